// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests for a machine with two NUMA nodes: a writer gets segments whose memory is on its own node,
 * as long as there are any. If there are none, it gets others, and loses nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define SEGMENTS	8	/* each node has half of them */

FIXTURE(numa) {
	struct ring ring;
	int cpu[2];		/* one of each node */
	int ev;
};

/* Return the node of the memory of segment @i, or -errno. */
static int node_of(const struct ring *ring, uint32_t i)
{
	const void *page = ring->data + (size_t)i * ring->ctl->segment_size;
	int status = -1;

	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0))
		return -errno;
	return status;
}

/* Write a span that fills a segment. */
static int fill_segment(FIXTURE_DATA(numa) *self)
{
	return event_enable(self->ev) ?: event_disable(self->ev);
}

static int open_ring(FIXTURE_DATA(numa) *self, uint32_t flags)
{
	struct perfaux_create create;

	ring_params(&create, 4096, SEGMENTS);
	create.spans_per_segment = 1;
	create.flags = flags;
	return ring_open(&self->ring, &create) ?: ring_attach(&self->ring, self->ev, COOKIE(1));
}

FIXTURE_SETUP(numa)
{
	const struct auxgen_config config = { AUXGEN_F_CTX | 4, 0 };
	int cpus[CHECK_CPUS], nr = online_cpus(cpus, CHECK_CPUS);
	unsigned int node;

	self->cpu[0] = -1;
	self->cpu[1] = -1;
	while (nr--) {
		ASSERT_EQ(0, pin_to(cpus[nr]));
		ASSERT_EQ(0, getcpu(NULL, &node));
		ASSERT_GT(2, node);
		self->cpu[node] = cpus[nr];
	}
	ASSERT_LE(0, self->cpu[0]);
	ASSERT_LE(0, self->cpu[1])
		TH_LOG("the machine has one node: see vm/run --numa");
	self->ev = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
}

FIXTURE_TEARDOWN(numa)
{
	close(self->ev);
	ring_close(&self->ring);
}

/* The memory of neighbouring segments is on different nodes. */
TEST_F(numa, is_distributed)
{
	unsigned int i, on[2] = { 0 };
	int node;

	ASSERT_EQ(0, open_ring(self, 0));
	for (i = 0; i < SEGMENTS; i++) {
		node = node_of(&self->ring, i);
		ASSERT_LE(0, node);
		ASSERT_GT(2, node);
		on[node]++;
	}
	EXPECT_EQ(SEGMENTS / 2, on[0]);
	EXPECT_EQ(SEGMENTS / 2, on[1]);
}

struct seen {
	const struct ring *ring;
	int node;
	unsigned int spans, wrong;
};

static void see(void *ctx, const struct record *record)
{
	struct seen *seen = ctx;
	uint32_t i;

	if (!record->span)
		return;
	i = (record->span - seen->ring->spans) / seen->ring->ctl->spans_per_segment;
	seen->spans++;
	seen->wrong += node_of(seen->ring, i) != seen->node;
}

/* A writer gets segments of its node: first FREE ones, then those that the reader released. */
TEST_F(numa, writes_near)
{
	struct seen seen = { .ring = &self->ring };
	unsigned int round, k;

	ASSERT_EQ(0, open_ring(self, 0));
	for (round = 0; round < 20; round++) {
		seen.node = round / 2 % 2;
		ASSERT_EQ(0, pin_to(self->cpu[seen.node]));
		for (k = 0; k < 3; k++)
			ASSERT_EQ(0, fill_segment(self));
		ASSERT_EQ(0, ring_flush(&self->ring, 0));
		ring_read(&self->ring, see, &seen);
	}
	EXPECT_EQ(60, seen.spans);
	EXPECT_EQ(0, seen.wrong);
	EXPECT_EQ(60, self->ring.ctl->claims);
	EXPECT_EQ(0, self->ring.ctl->far_claims);
	EXPECT_EQ(0, ring_fdinfo(self->ring.fd, "far_claims"));
}

/* If the node has no segment left, the writer takes others, and loses nothing. */
TEST_F(numa, writes_far)
{
	unsigned int k;

	ASSERT_EQ(0, open_ring(self, 0));
	ASSERT_EQ(0, pin_to(self->cpu[1]));
	for (k = 1; k <= SEGMENTS; k++) {
		ASSERT_EQ(0, fill_segment(self));
		EXPECT_EQ(k <= SEGMENTS / 2 ? 0 : k - SEGMENTS / 2, self->ring.ctl->far_claims);
	}
	EXPECT_EQ(SEGMENTS, self->ring.ctl->spans);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_EQ(SEGMENTS / 2, ring_fdinfo(self->ring.fd, "far_claims"));
}

/* The oldest segment is overwritten wherever it is, so that the history has no hole. */
TEST_F(numa, overwrites_the_oldest)
{
	struct seen seen = { .ring = &self->ring };
	unsigned int k;

	ASSERT_EQ(0, open_ring(self, PERFAUX_RING_OVERWRITE));
	ASSERT_EQ(0, pin_to(self->cpu[0]));
	for (k = 0; k < 5 * SEGMENTS; k++)
		ASSERT_EQ(0, fill_segment(self));
	EXPECT_EQ(4 * SEGMENTS, ring_lost(&self->ring, PERFAUX_CAUSE_OVERWRITTEN));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ring_read_still(&self->ring, see, &seen);
	EXPECT_EQ(SEGMENTS, seen.spans);
	EXPECT_EQ(SEGMENTS / 2, seen.wrong);
	EXPECT_LT(0, self->ring.ctl->far_claims);
}

TEST_HARNESS_MAIN
