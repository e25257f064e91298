// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of kept rings and PERFAUX_IOC_KEPT, without those that need a crash. Without memory of
 * reserve_mem=, as in most VMs, all calls must report that. selftests/crash runs this program
 * with such memory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/ring_lib.h"

#define PAGE	4096
#define TESTER	1000

FIXTURE(kept) {
	int dev;
	struct perfaux_kept arg;
	struct perfaux_create create;
	bool has;			/* there is a region */
};

FIXTURE_SETUP(kept)
{
	self->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->dev);
	memset(&self->arg, 0, sizeof(self->arg));
	self->arg.size = sizeof(self->arg);
	ASSERT_EQ(0, call(self->dev, PERFAUX_IOC_KEPT, &self->arg));
	self->has = self->arg.region_size;
	EXPECT_EQ(self->has ? PERFAUX_KEPT_EMPTY : PERFAUX_KEPT_NONE, self->arg.state);
	self->arg.state = 0;
	self->arg.region_size = 0;
	ring_params(&self->create, 2 * PAGE, 4);
	self->create.flags = PERFAUX_RING_KEPT;
	self->create.user_size = 2 * PAGE;
}

FIXTURE_TEARDOWN(kept)
{
	close(self->dev);
}

static uint32_t state(int dev)
{
	struct perfaux_kept arg = { .size = sizeof(arg) };

	return call(dev, PERFAUX_IOC_KEPT, &arg) ? ~0U : arg.state;
}

/* A closed ring is freed when its last writer has gone. Return the state then. */
static uint32_t state_after_close(int dev)
{
	const uint64_t end = now_ns() + 30000000000ULL;
	uint32_t now;

	do {
		now = state(dev);
	} while (now == PERFAUX_KEPT_USED && !sched_yield() && now_ns() < end);
	return now;
}

TEST_F(kept, info)
{
	struct perfaux_kept kept = { .size = sizeof(kept) };
	struct perfaux_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, call(self->dev, PERFAUX_IOC_INFO, &info));
	ASSERT_EQ(0, call(self->dev, PERFAUX_IOC_KEPT, &kept));
	EXPECT_EQ(info.region_size, kept.region_size);
	EXPECT_EQ(0, info.region_size % PAGE);
	/* An old program gets the old fields. */
	info = (struct perfaux_info){ .size = PERFAUX_INFO_SIZE_V0, .region_size = 7 };
	ASSERT_EQ(0, call(self->dev, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(7, info.region_size);
}

TEST_F(kept, bad_arguments)
{
	LONG(perfaux_kept) large = { .arg = { .size = sizeof(large) } };
	struct perfaux_kept arg = self->arg;

	EXPECT_EQ(0, call(self->dev, PERFAUX_IOC_KEPT, &large));
	large.arg.state = 0;
	large.arg.region_size = 0;
	large.tail[1] = 1;
	EXPECT_EQ(-E2BIG, call(self->dev, PERFAUX_IOC_KEPT, &large));
	EXPECT_EQ(-EFAULT, call(self->dev, PERFAUX_IOC_KEPT, NULL));
	arg.size = PERFAUX_KEPT_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
	arg = self->arg;
	arg.flags = PERFAUX_KEPT_OPEN | PERFAUX_KEPT_WIPE;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
	arg.flags = 4;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
	arg = self->arg;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
	arg = self->arg;
	arg.state = 1;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
	arg = self->arg;
	arg.region_size = PAGE;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_KEPT, &arg));
}

TEST_F(kept, nothing_kept)
{
	self->arg.flags = PERFAUX_KEPT_OPEN;
	EXPECT_EQ(self->has ? -ENODATA : -ENODEV,
		  call(self->dev, PERFAUX_IOC_KEPT, &self->arg));
	self->arg = (struct perfaux_kept){ .size = sizeof(self->arg), .flags = PERFAUX_KEPT_WIPE };
	EXPECT_EQ(self->has ? 0 : -ENODEV, call(self->dev, PERFAUX_IOC_KEPT, &self->arg));
}

TEST_F(kept, bad_create)
{
	struct perfaux_create arg = self->create;

	arg.user_size = PAGE + 1;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_CREATE, &arg));
	arg.user_size = 1ULL << 62;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_CREATE, &arg));
	arg = self->create;
	arg.segment_size = 128 << 10;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_CREATE, &arg));
	arg = self->create;
	arg.flags = 0;
	EXPECT_EQ(-EINVAL, call(self->dev, PERFAUX_IOC_CREATE, &arg));
	arg = self->create;
	arg.nr_segments = 4096;
	arg.segment_size = 64 << 10;
	EXPECT_EQ(self->has ? -ENOSPC : -ENODEV, call(self->dev, PERFAUX_IOC_CREATE, &arg));
	EXPECT_EQ(self->has ? PERFAUX_KEPT_EMPTY : PERFAUX_KEPT_NONE, state(self->dev));
}

/* The ring is as usual, with the user part behind it. */
TEST_F(kept, maps)
{
	struct perfaux_create *arg = &self->create;
	int fd = call(self->dev, PERFAUX_IOC_CREATE, arg);
	off_t at = arg->marks_size + arg->ring_size;
	uint64_t *user;

	if (!self->has) {
		EXPECT_EQ(-ENODEV, fd);
		return;
	}
	ASSERT_LE(0, fd);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, at));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd, at));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, at + PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, at));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, at));
	user = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	ASSERT_NE(MAP_FAILED, user);
	EXPECT_EQ(0, user[1023]);
	user[1023] = 5;
	munmap(user, 2 * PAGE);
	user = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, at);
	ASSERT_NE(MAP_FAILED, user);
	EXPECT_EQ(5, user[1023]);
	/* A mapping keeps the ring. */
	close(fd);
	EXPECT_EQ(PERFAUX_KEPT_USED, state(self->dev));
	munmap(user, 2 * PAGE);
	EXPECT_EQ(PERFAUX_KEPT_EMPTY, state_after_close(self->dev));
}

TEST_F(kept, one_ring)
{
	struct perfaux_create other = self->create;
	int fd = call(self->dev, PERFAUX_IOC_CREATE, &self->create);

	if (!self->has) {
		EXPECT_EQ(-ENODEV, fd);
		return;
	}
	ASSERT_LE(0, fd);
	EXPECT_EQ(PERFAUX_KEPT_USED, state(self->dev));
	EXPECT_EQ(-EBUSY, call(self->dev, PERFAUX_IOC_CREATE, &other));
	self->arg.flags = PERFAUX_KEPT_OPEN;
	EXPECT_EQ(-EBUSY, call(self->dev, PERFAUX_IOC_KEPT, &self->arg));
	self->arg = (struct perfaux_kept){ .size = sizeof(self->arg), .flags = PERFAUX_KEPT_WIPE };
	EXPECT_EQ(-EBUSY, call(self->dev, PERFAUX_IOC_KEPT, &self->arg));
	close(fd);
	/* What was recorded is gone with the ring. */
	EXPECT_EQ(PERFAUX_KEPT_EMPTY, state_after_close(self->dev));
	EXPECT_EQ(-ENODATA, module_insert("crashgen", "how=look"));
}

/* Data that auxgen writes arrives as in any ring. The spans have sums. */
TEST_F(kept, spans)
{
	/* crash_start does not use this stream: its own must have no older data in this boot. */
	const struct auxgen_config config = { AUXGEN_F_CTX | 4 | 15 << 24, 0 };
	struct ring ring;
	int event;
	uint32_t i;

	if (!self->has) {
		EXPECT_EQ(-ENODEV, ring_open(&ring, &self->create));
		return;
	}
	ASSERT_EQ(0, ring_open(&ring, &self->create));
	event = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, ring_attach(&ring, event, 0xc0de0f));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, event_enable(event));
		ASSERT_EQ(0, event_disable(event));
	}
	EXPECT_LE(20, ring.ctl->spans);
	EXPECT_NE(0, ring.spans->reserved);
	close(event);
	ring_close(&ring);
	EXPECT_EQ(PERFAUX_KEPT_EMPTY, state_after_close(self->dev));
}

/* Exits with the number of calls that were not refused. */
static void try_all(void *arg)
{
	struct perfaux_kept kept = { .size = sizeof(kept), .flags = PERFAUX_KEPT_OPEN };
	struct perfaux_create create;
	const int dev = *(int *)arg;
	int n = call(dev, PERFAUX_IOC_KEPT, &kept) != -EPERM;

	kept = (struct perfaux_kept){ .size = sizeof(kept), .flags = PERFAUX_KEPT_WIPE };
	n += call(dev, PERFAUX_IOC_KEPT, &kept) != -EPERM;
	ring_params(&create, PAGE, 2);
	create.flags = PERFAUX_RING_KEPT;
	_exit(n + (call(dev, PERFAUX_IOC_CREATE, &create) != -EPERM));
}

static void try_as_user(void *arg)
{
	if (become_uid(TESTER))
		_exit(100);
	try_all(arg);
}

TEST_F(kept, rights)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, try_as_user, &self->dev));
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
}

TEST_HARNESS_MAIN
