// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the number of sinks: memory follows the CPUs that need a sink, and while a ring has too
 * few sinks, nothing is lost without a gap. CPUs are switched off, so that the ring begins with
 * few.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

FIXTURE(sinks) {
	struct ring ring;
	struct check *check;
	int cpus[CHECK_CPUS];
	int nr;
	uint64_t at_first;	/* locked pages while one CPU was online */
};

static int switch_cpu(int cpu, bool on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, on ? "1" : "0");
}

static uint64_t locked(const struct ring *ring)
{
	return ring_fdinfo(ring->fd, "locked_pages");
}

FIXTURE_SETUP(sinks)
{
	struct perfaux_create create;
	int i;

	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
	if (self->nr < 3)
		SKIP(return, "there are fewer than 3 CPUs");
	for (i = 1; i < self->nr; i++)
		if (switch_cpu(self->cpus[i], false))
			SKIP(return, "CPU %d cannot be switched off", self->cpus[i]);
	ring_params(&create, 4096, 2);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->at_first = locked(&self->ring);
	check_start(self->check, &self->ring);
}

FIXTURE_TEARDOWN(sinks)
{
	int i;

	for (i = 1; i < self->nr; i++)
		switch_cpu(self->cpus[i], true);
	ring_close(&self->ring);
	free(self->check);
}

TEST_F_TIMEOUT(sinks, of_online_cpus, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;
	int i;

	for (i = 1; i < self->nr; i++)
		ASSERT_EQ(0, switch_cpu(self->cpus[i], true));
	ring_params(&create, 4096, 2);
	ASSERT_EQ(0, ring_open(&ring, &create));
	EXPECT_EQ(self->at_first + self->nr - 1, locked(&ring));
	ring_close(&ring);
}

/* Each event that is attached can have a sink. */
TEST_F_TIMEOUT(sinks, of_events, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24, 0 };
	int ev[3], i;

	for (i = 0; i < 3; i++) {
		ev[i] = auxgen_open(&config, 0, -1, 0);
		ASSERT_LE(0, ev[i]);
		ASSERT_EQ(0, ring_attach(&self->ring, ev[i], COOKIE(i)));
		EXPECT_EQ(self->at_first + i, locked(&self->ring));
	}
	for (i = 0; i < 3; i++)
		close(ev[i]);
}

/* Start and stop the event on @cpu, until its loss on this CPU was counted. */
static bool lose_on(const struct ring *ring, int ev, int cpu)
{
	uint64_t lost = ring_lost(ring, PERFAUX_CAUSE_FULL);
	uint64_t end = now_ns() + 60000000000ULL;

	pin_to(cpu);
	do {
		if (event_enable(ev) || event_disable(ev) || now_ns() > end)
			return false;
	} while (ring_lost(ring, PERFAUX_CAUSE_FULL) == lost);
	return true;
}

/* The event comes to CPUs that have no sink yet. A work makes sinks before all are taken. */
TEST_F_TIMEOUT(sinks, grow, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | AUXGEN_F_FILL | 3 << 24, 0 };
	uint64_t end = now_ns() + 60000000000ULL, most;
	int ev = auxgen_open(&config, 0, -1, 0), i;
	cpu_set_t before;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(3)));
	EXPECT_EQ(self->at_first, locked(&self->ring));
	for (i = 1; i < self->nr; i++)
		ASSERT_EQ(0, switch_cpu(self->cpus[i], true));
	sched_getaffinity(0, sizeof(before), &before);
	for (i = 0; i < self->nr; i++)
		EXPECT_TRUE(lose_on(&self->ring, ev, self->cpus[i]));
	/* Each CPU gets a sink. A CPU that found none asks again. */
	most = self->at_first + self->nr - 1;
	for (i = 0; locked(&self->ring) < most && now_ns() < end; i = (i + 1) % self->nr)
		EXPECT_TRUE(lose_on(&self->ring, ev, self->cpus[i]));
	EXPECT_EQ(most, locked(&self->ring));
	sched_setaffinity(0, sizeof(before), &before);

	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ring_read(&self->ring, check_record, self->check);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->gap_bytes);
	close(ev);
}

TEST_HARNESS_MAIN
