// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/ring/gaps.c: a flight recorder keeps its gaps, however many there are.
 */
#include <string.h>

#include "kselftest_harness.h"
#include "ring/gaps.h"

FIXTURE(gaps)
{
	struct gaps g;
};

FIXTURE_SETUP(gaps)
{
	memset(&self->g, 0, sizeof(self->g));
}

FIXTURE_TEARDOWN(gaps)
{
	gaps_free(&self->g);
}

static int lose(struct gaps *g, enum perfaux_cause cause, __u32 cpu, __u32 tid, __u64 time)
{
	const struct perfaux_gap gap = {
		.t_begin = time, .t_end = time + 10, .cookie = 5, .cpu = cpu, .cause = cause,
		.pid = tid, .tid = tid, .count = 1, .bytes = 64,
	};

	return gaps_add(g, &gap);
}

struct sum {
	__u64 count, bytes, begin, end;
};

/* Sum up the gaps of one CPU and cause. */
static struct sum sum_of(const struct gaps *g, enum perfaux_cause cause, __u32 cpu)
{
	struct sum sum = { .begin = ~0ULL };
	size_t i;

	for (i = 0; i < g->nr; i++) {
		const struct perfaux_gap *gap = &g->list[i];

		if (gap->cause != cause || gap->cpu != cpu)
			continue;
		sum.count += gap->count;
		sum.bytes += gap->bytes;
		if (gap->t_begin < sum.begin)
			sum.begin = gap->t_begin;
		if (gap->t_end > sum.end)
			sum.end = gap->t_end;
	}
	return sum;
}

/* Up to GAPS_MAX gaps stay as they were, until they are too old. */
TEST_F(gaps, as_they_were)
{
	__u64 i;

	for (i = 0; i < GAPS_MAX; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, 1, 7, 100 * i));
	ASSERT_EQ(GAPS_MAX, self->g.nr);
	for (i = 0; i < GAPS_MAX; i++)
		ASSERT_EQ(100 * i, self->g.list[i].t_begin);
	gaps_trim(&self->g, 100 * 500 + 10);
	ASSERT_EQ(GAPS_MAX - 500, self->g.nr);
	EXPECT_EQ(100 * 500, self->g.list[0].t_begin);
	gaps_trim(&self->g, ~0ULL);
	EXPECT_EQ(0, self->g.nr);
}

/* None of a million gaps is forgotten, new gaps stay apart, and memory is bounded. */
TEST_F(gaps, joined)
{
	const struct perfaux_gap *last;
	struct sum sum;
	__u64 i;

	for (i = 0; i < 1000000; i++) {
		ASSERT_EQ(0, lose(&self->g, i % 5 ? PERFAUX_CAUSE_FULL : PERFAUX_CAUSE_FROZEN,
				  i % 3, i % 7, 100 * i));
		ASSERT_LE(self->g.nr, GAPS_MAX);
	}
	ASSERT_LE(self->g.room, GAPS_MAX);
	for (i = 0; i < 3; i++) {
		sum = sum_of(&self->g, PERFAUX_CAUSE_FROZEN, i);
		EXPECT_EQ((1000000 - 5 * (2 * i % 3) + 14) / 15, sum.count);
		EXPECT_EQ(64 * sum.count, sum.bytes);
		EXPECT_LE(sum.begin, 1500);
		sum = sum_of(&self->g, PERFAUX_CAUSE_FULL, i);
		EXPECT_LE(sum.begin, 500);
		EXPECT_GE(sum.end, 100 * 999995);
	}
	for (i = 1; i < self->g.nr; i++)
		ASSERT_GE(self->g.list[i].t_end, self->g.list[i - 1].t_end);
	for (i = 0; i < GAPS_MAX / 4; i++) {
		last = &self->g.list[self->g.nr - 1 - i];
		ASSERT_EQ(1, last->count);
		ASSERT_EQ(100 * (999999 - i), last->t_begin);
	}
	/* A gap that was joined from gaps of several threads has a CPU, but no thread. */
	EXPECT_EQ((__u32)-1, self->g.list[0].tid);
}

/* A joined gap is in the queue of one thread, on whatever CPUs it ran, or in no queue. */
TEST_F(gaps, of_threads)
{
	size_t i, none = 0;

	self->g.per_task = true;
	for (i = 0; i <= GAPS_MAX; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, i % 2, 7, i));
	ASSERT_LT(self->g.nr, GAPS_MAX);
	for (i = 0; i < self->g.nr; i++)
		EXPECT_EQ(7, self->g.list[i].tid);
	for (i = 0; i <= GAPS_MAX; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, 0, 100 + i, 10000 + i));
	for (i = 0; i < self->g.nr; i++) {
		none += self->g.list[i].tid == (__u32)-1;
		EXPECT_EQ(self->g.list[i].tid == (__u32)-1, self->g.list[i].cpu == (__u32)-1);
	}
	EXPECT_LT(0, none);
}

/*
 * More kinds of gaps than half of GAPS_MAX come again and again: gaps of the same kind are
 * joined.
 */
TEST_F(gaps, many_kinds)
{
	__u64 i, count = 0;

	for (i = 0; i < 300000; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, i % 600, 7, i));
	EXPECT_LE(self->g.room, 2 * GAPS_MAX);
	for (i = 0; i < self->g.nr; i++)
		count += self->g.list[i].count;
	EXPECT_EQ(300000, count);
}

/* Each thread keeps its own gaps, as long as there is room. */
TEST_F(gaps, threads_apart)
{
	size_t i;

	self->g.per_task = true;
	for (i = 0; i < 100000; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, i % 4, 100 + i % 50, i));
	ASSERT_LE(self->g.nr, GAPS_MAX);
	for (i = 0; i < self->g.nr; i++)
		ASSERT_NE((__u32)-1, self->g.list[i].tid);
}

/* Gaps that are all of different kinds are all kept. */
TEST_F(gaps, kinds)
{
	size_t i;

	for (i = 0; i < 3 * GAPS_MAX; i++)
		ASSERT_EQ(0, lose(&self->g, PERFAUX_CAUSE_FULL, i, 7, i));
	ASSERT_EQ(3 * GAPS_MAX, self->g.nr);
	for (i = 0; i < 3 * GAPS_MAX; i++)
		ASSERT_EQ(i, self->g.list[i].cpu);
}

TEST_HARNESS_MAIN
