// SPDX-License-Identifier: GPL-2.0-only
/* Tests of every promise of uapi/perfaux.h: poll() and fdinfo. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

FIXTURE(reader) {
	struct ring ring;
	int ev;
};

FIXTURE_SETUP(reader)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24, 0 };
	struct perfaux_create create;

	ring_params(&create, 16384, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->ev = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
}

FIXTURE_TEARDOWN(reader)
{
	close(self->ev);
	ring_close(&self->ring);
}

TEST_F(reader, fdinfo)
{
	static const char * const names[] = {
		"seq", "claims", "spans", "bytes", "skipped", "gaps",
		"merged_begin", "merged_end",
	};
	static const char * const causes[] = {
		"full", "truncated", "overwritten", "overrun", "no_gap",
	};
	const __u64 *values = &self->ring.ctl->seq;
	struct auxgen_config config = {
		AUXGEN_F_CTX | 3ULL << 32 | 2ULL << 48 | 1 << 24, 0,
	};
	char name[64];
	size_t i;
	int ev;

	ev = auxgen_open(&config, 0, -1, EV_ENABLED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	/* Fill the pool, so that all counters but one have a value. */
	while (!ring_lost(&self->ring, PERFAUX_CAUSE_FULL))
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ASSERT_EQ(0, event_disable(ev));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));

	for (i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_EQ(values[i], ring_fdinfo(self->ring.fd, names[i]))
			TH_LOG("%s", names[i] ?: "");
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		snprintf(name, sizeof(name), "lost_%s", causes[i]);
		EXPECT_EQ(self->ring.ctl->lost_count[i + 1],
			  ring_fdinfo(self->ring.fd, name))
			TH_LOG("%s", name);
		snprintf(name, sizeof(name), "lost_%s_bytes", causes[i]);
		EXPECT_EQ(self->ring.ctl->lost_bytes[i + 1],
			  ring_fdinfo(self->ring.fd, name))
			TH_LOG("%s", name);
	}
	EXPECT_LT(0, self->ring.ctl->bytes);
	EXPECT_LT(0, self->ring.ctl->skipped);
	EXPECT_LT(0, self->ring.ctl->lost_count[PERFAUX_CAUSE_TRUNCATED]);
	EXPECT_EQ(self->ring.ctl->segment_size,
		  ring_fdinfo(self->ring.fd, "segment_size"));
	EXPECT_EQ(self->ring.ctl->nr_segments,
		  ring_fdinfo(self->ring.fd, "nr_segments"));
	EXPECT_EQ(self->ring.ctl->spans_per_segment,
		  ring_fdinfo(self->ring.fd, "spans_per_segment"));
	EXPECT_EQ(self->ring.ctl->watermark,
		  ring_fdinfo(self->ring.fd, "watermark"));
	EXPECT_EQ(self->ring.ctl->flags, ring_fdinfo(self->ring.fd, "flags"));
	EXPECT_EQ(self->ring.ctl->ring_flags,
		  ring_fdinfo(self->ring.fd, "ring_flags"));
	EXPECT_EQ(PERFAUX_ABI, ring_fdinfo(self->ring.fd, "abi"));
	EXPECT_EQ(self->ring.ctl->pmu_type,
		  ring_fdinfo(self->ring.fd, "pmu_type"));
	EXPECT_EQ(4, ring_fdinfo(self->ring.fd, "ready"));
	close(ev);
}

/* Make @n segments READY in tiny steps; the event writes 16 chunks each time. */
static void make_ready(struct ring *ring, int n)
{
	while (ring_fdinfo(ring->fd, "ready") < n &&
	       !ring_lost(ring, PERFAUX_CAUSE_FULL))
		ring_flush(ring, PERFAUX_FLUSH_SPANS);
}

TEST_F_TIMEOUT(reader, poll, SECONDS)
{
	struct perfaux_create create;
	static struct check check;
	struct ring ring;

	ring_params(&create, 4096, 8);
	/* Each task switch can make one more segment READY. */
	create.watermark = 6;
	ASSERT_EQ(0, ring_open(&ring, &create));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	check_start(&check, &ring);
	ASSERT_EQ(0, event_enable(self->ev));
	make_ready(&ring, 2);
	ASSERT_GT(6, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	make_ready(&ring, 6);
	ASSERT_LE(6, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	EXPECT_EQ(POLLIN, ring_poll(&ring, -1));

	/* Released segments are not READY any more. */
	ring_read(&ring, check_record, &check);
	EXPECT_EQ(0, ring_poll(&ring, 0));

	/* STARVED and a gap wake the reader. */
	make_ready(&ring, 9);
	ASSERT_EQ(PERFAUX_CTL_STARVED, ring.ctl->flags);
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&ring, 0));
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	ring_read(&ring, check_record, &check);
	EXPECT_LE(1, check.gaps);
	EXPECT_EQ(0, ring_poll(&ring, 0) & POLLIN);

	EXPECT_EQ(0, ring_detach(&ring, self->ev));
	EXPECT_EQ(POLLHUP, ring_poll(&ring, 0));
	EXPECT_EQ(POLLHUP, ring_poll(&ring, -1));
	EXPECT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	check_end(&check);
	EXPECT_STREQ("", check.error);
	ring_close(&ring);
}

/* Each of the reasons wakes a task that sleeps in poll(). */
TEST_F_TIMEOUT(reader, poll_wakes, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;
	int status;
	pid_t pid;

	ring_params(&create, 4096, 4);
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	pid = fork();
	if (!pid)
		_exit(ring_poll(&ring, 20000));
	ASSERT_EQ(0, event_enable(self->ev));
	make_ready(&ring, 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(POLLIN, WEXITSTATUS(status));
	ASSERT_EQ(0, event_disable(self->ev));
	ring_close(&ring);

	create.watermark = 4;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	pid = fork();
	if (!pid)
		_exit(ring_poll(&ring, 20000));
	ASSERT_EQ(0, ring_detach(&ring, self->ev));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(POLLHUP, WEXITSTATUS(status));
	ring_close(&ring);
}

/*
 * Return how often the process gave up the CPU to sleep, or -1 if it does not sleep now in a system
 * call whose number is in /proc/PID/syscall.
 */
static long sleeps(pid_t pid)
{
	char path[64], line[256];
	long n = -1, nr = -1;
	FILE *f;

	/* Read the number of the call first: then the count includes the sleep in that call. */
	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld", &nr) != 1)
		nr = -1;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	return nr == SYS_poll || nr == SYS_ppoll ? n : -1;
}

/* A reader that waits for the watermark sleeps until it is reached, and no longer. */
TEST_F_TIMEOUT(reader, watermark, SECONDS)
{
	struct perfaux_create create;
	static struct check check;
	struct ring ring;
	long before, n;
	int status, i;
	pid_t pid;

	ring_params(&create, 4096, 64);
	create.watermark = 40;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	check_start(&check, &ring);
	ASSERT_EQ(0, event_enable(self->ev));
	/* The second time the reader has released what it read, so the count starts above 0. */
	for (i = 0; i < 2; i++) {
		make_ready(&ring, 10);
		pid = fork();
		if (!pid)
			_exit(ring_poll(&ring, 60000));
		do
			before = sleeps(pid);
		while (before < 0);
		make_ready(&ring, 20);
		ASSERT_GT(40, ring_fdinfo(ring.fd, "ready"));
		n = sleeps(pid);
		EXPECT_EQ(before, n);
		make_ready(&ring, 40);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(POLLIN, WEXITSTATUS(status));
		ring_read(&ring, check_record, &check);
		EXPECT_EQ(0, ring_poll(&ring, 0));
	}
	EXPECT_STREQ("", check.error);
	ring_close(&ring);
}

struct detach {
	struct ring *ring;
	int ev;
	int ret;
};

static void *detach_fn(void *arg)
{
	struct detach *detach = arg;

	detach->ret = ring_detach(detach->ring, detach->ev);
	return NULL;
}

static unsigned int nr_busy(const struct ring *ring)
{
	unsigned int i, n = 0;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		n += PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_BUSY ||
		     PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_CLAIMED;
	return n;
}

/* A reader that sees POLLHUP while DETACH still runs has seen all data of the event. */
TEST_F_TIMEOUT(reader, poll_hup_last, SECONDS)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 3 << 24 | 20, 150,
	};
	int cpus[CHECK_CPUS], nr = online_cpus(cpus, CHECK_CPUS), i;
	struct perfaux_create create;
	struct detach detach;
	pthread_t thread;
	struct ring ring;
	uint64_t seq;

	ring_params(&create, 65536, 16);
	create.watermark = 16;
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ring_open(&ring, &create));
		detach = (struct detach){
			&ring, auxgen_open(&config, -1, cpus[nr - 1], 0), -1,
		};
		ASSERT_LE(0, detach.ev);
		ASSERT_EQ(0, ring_attach(&ring, detach.ev, COOKIE(1)));
		ASSERT_EQ(0, event_enable(detach.ev));
		while (!counter(&ring.ctl->seq) || !nr_busy(&ring))
			sched_yield();
		ASSERT_EQ(0, pthread_create(&thread, NULL, detach_fn, &detach));
		while (!(ring_poll(&ring, 0) & POLLHUP))
			;
		EXPECT_EQ(0, nr_busy(&ring));
		seq = counter(&ring.ctl->seq);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_EQ(0, detach.ret);
		EXPECT_EQ(seq, counter(&ring.ctl->seq));
		close(detach.ev);
		ring_close(&ring);
	}
}

TEST_F_TIMEOUT(reader, poll_overwrite, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;

	ring_params(&create, 4096, 2);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(self->ev));
	while (!ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN))
		ASSERT_EQ(0, ring_flush(&ring, PERFAUX_FLUSH_SPANS));
	EXPECT_EQ(0, ring_lost(&ring, PERFAUX_CAUSE_FULL));
	EXPECT_LE(1, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	ring_close(&ring);
}

TEST_HARNESS_MAIN
