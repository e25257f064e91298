// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the order of spans and gaps: those of one thread, read by their numbers,
 * are in order of time, also when the thread moves between CPUs. A gap does not
 * extend over data that was kept.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define ROUNDS		200

FIXTURE(order) {
	struct ring ring;
	struct check *check;
	int cpus[2];
	int ev;
};

FIXTURE_VARIANT(order) {
	uint64_t config;
	unsigned int segments;
	unsigned int read_each;		/* read after this number of moves */
	enum perfaux_cause cause;	/* cause of the gaps that must exist */
};

FIXTURE_VARIANT_ADD(order, truncated) {
	.config = AUXGEN_F_CTX | 1ULL << 32 | 4,
	.segments = 64,
	.read_each = 20,
	.cause = PERFAUX_CAUSE_TRUNCATED,
};

FIXTURE_VARIANT_ADD(order, full) {
	.config = AUXGEN_F_CTX | 4,
	.segments = 2,
	.read_each = 20,
	.cause = PERFAUX_CAUSE_FULL,
};

FIXTURE_VARIANT_ADD(order, truncated_and_full) {
	.config = AUXGEN_F_CTX | 3ULL << 32 | 4,
	.segments = 2,
	.read_each = 15,
	.cause = PERFAUX_CAUSE_FULL,
};

FIXTURE_SETUP(order)
{
	struct auxgen_config config = { variant->config | 1 << 24, 0 };
	struct perfaux_create create;

	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	ASSERT_EQ(2, online_cpus(self->cpus, 2));
	ring_params(&create, 4096, variant->segments);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->ev = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(1)));
	check_start(self->check, &self->ring);
}

FIXTURE_TEARDOWN(order)
{
	close(self->ev);
	ring_close(&self->ring);
	free(self->check);
}

struct order {
	struct check *check;
	uint64_t end;		/* end of the previous record */
	uint64_t worst;		/* the most that a record began before @end */
	uint64_t spans;
	uint64_t gaps[PERFAUX_NR_CAUSES];
};

static void order_record(void *arg, const struct record *record)
{
	struct order *order = arg;
	uint64_t begin = record->gap ? record->gap->t_begin :
				       record->span->t_begin;

	check_record(order->check, record);
	if (order->end > begin && order->end - begin > order->worst)
		order->worst = order->end - begin;
	order->end = record->gap ? record->gap->t_end : record->span->t_end;
	if (record->gap)
		order->gaps[record->gap->cause]++;
	else
		order->spans++;
}

TEST_F_TIMEOUT(order, of_a_thread_that_moves, SECONDS)
{
	struct order order = { .check = self->check };
	unsigned int i;

	ASSERT_EQ(0, event_enable(self->ev));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pin_to(self->cpus[i % 2]));
		/* This does not publish the gap that waits in the other CPU's slot. */
		if (i % variant->read_each == 0)
			ring_read(&self->ring, order_record, &order);
	}
	event_disable(self->ev);
	ring_flush(&self->ring, 0);
	ring_read(&self->ring, order_record, &order);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_GT(SKEW, order.worst);
	EXPECT_LT(0, order.gaps[variant->cause]);
	EXPECT_LT(ROUNDS / variant->read_each, order.spans);
	TH_LOG("%lu spans, %lu gaps; at worst %lu ns back", order.spans,
	       order.gaps[variant->cause], order.worst);
}

/* The records that the events of two CPUs left, as a sequence of kinds */
struct kinds {
	uint64_t spans, gaps;
	bool gap_first;
};

static void kinds_record(void *arg, const struct record *record)
{
	struct kinds *kinds = arg;

	kinds->gap_first |= record->gap && !kinds->spans;
	kinds->spans += !!record->span;
	kinds->gaps += !!record->gap;
}

/* The first CPU has filled the ring and has a gap that has ended. */
FIXTURE(two_cpus) {
	struct ring ring;
	struct kinds kinds;
	int ev[2];
};

FIXTURE_SETUP(two_cpus)
{
	struct perfaux_create create;
	int cpus[2], i;

	ASSERT_EQ(2, online_cpus(cpus, 2));
	ring_params(&create, 4096, 2);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	for (i = 0; i < 2; i++) {
		const struct auxgen_config config = {
			AUXGEN_F_CTX | AUXGEN_F_FILL | (i + 1ULL) << 24, 0,
		};

		self->ev[i] = auxgen_open(&config, -1, cpus[i], 0);
		ASSERT_LE(0, self->ev[i]);
		ASSERT_EQ(0, ring_attach(&self->ring, self->ev[i],
					 COOKIE(i + 1)));
	}
	while (!ring_lost(&self->ring, PERFAUX_CAUSE_FULL)) {
		ASSERT_EQ(0, event_enable(self->ev[0]));
		ASSERT_EQ(0, event_disable(self->ev[0]));
	}
}

FIXTURE_TEARDOWN(two_cpus)
{
	close(self->ev[0]);
	close(self->ev[1]);
	ring_close(&self->ring);
}

/* A reader of later data of another CPU needs the gap first. */
TEST_F(two_cpus, span_of_the_other)
{
	ring_read(&self->ring, kinds_record, &self->kinds);
	EXPECT_LT(0, self->kinds.spans);
	EXPECT_EQ(0, self->kinds.gaps);

	self->kinds = (struct kinds){ 0 };
	while (ring_fdinfo(self->ring.fd, "ready") < 1) {
		ASSERT_EQ(0, event_enable(self->ev[1]));
		ASSERT_EQ(0, event_disable(self->ev[1]));
	}
	ring_read(&self->ring, kinds_record, &self->kinds);
	EXPECT_TRUE(self->kinds.gap_first);
	EXPECT_LT(0, self->kinds.spans);
}

/* A reader that is woken for segments may already wait for the gap's number. */
TEST_F(two_cpus, poll)
{
	EXPECT_TRUE(ring_poll(&self->ring, 0) & POLLIN);
	ring_read(&self->ring, kinds_record, &self->kinds);
	EXPECT_LT(0, self->kinds.spans);
	EXPECT_LT(0, self->kinds.gaps);
}

TEST_HARNESS_MAIN
