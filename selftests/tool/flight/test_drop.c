// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool/flight_drop.c: what there is no room for while a snapshot is written.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "flight.h"
#include "flight_gap.h"
#include "records.h"

static struct perfaux_gap kept[16];
static size_t nr_kept;
static struct rec_lost_samples told;

/* recent.c: what comes is looked at. */
int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	(void)r;
	(void)time;
	if (!flight_is_gap(rec))
		memcpy(&told, rec, sizeof(told));
	else if (nr_kept < ARRAY_LEN(kept))
		kept[nr_kept++] = *flight_gap(rec);
	return 0;
}

size_t recent_sample_size(size_t size)
{
	return size;
}

FIXTURE(drop)
{
	struct session *s;
	struct flight *f;
	struct options *opt;
};

FIXTURE_SETUP(drop)
{
	self->s = calloc(1, sizeof(*self->s));
	self->f = calloc(1, sizeof(*self->f));
	self->opt = calloc(1, sizeof(*self->opt));
	ASSERT_TRUE(self->s && self->f && self->opt);
	self->s->flight = self->f;
	self->s->opt = self->opt;
	self->opt->system_wide = true;
	self->f->memory.reserve = 300;
	self->f->memory.sideband = 200;
	nr_kept = 0;
	memset(&told, 0, sizeof(told));
}

FIXTURE_TEARDOWN(drop)
{
	free(self->f->dropped.gaps);
	free(self->opt);
	free(self->f);
	free(self->s);
}

/* Only while a snapshot is written, and only what the sideband leaves of the reserve. */
TEST_F(drop, room)
{
	EXPECT_TRUE(flight_has_room(self->f, 1000));
	self->f->child = 1;
	EXPECT_TRUE(flight_has_room(self->f, 60));
	EXPECT_TRUE(flight_has_room(self->f, 40));
	EXPECT_FALSE(flight_has_room(self->f, 1));
	EXPECT_FALSE(flight_has_room(self->f, 1));
}

static int lose(struct session *s, enum perfaux_cause cause, __u32 cpu, __u32 tid, __u64 time)
{
	const struct perfaux_gap gap = {
		.t_begin = time, .t_end = time + 10, .cookie = 5, .cpu = cpu, .cause = cause,
		.pid = tid, .tid = tid, .count = 1, .bytes = 64,
	};

	return flight_drop_gap(s, &gap);
}

/* Each CPU's, whose data they are missing in, in time and bytes around all of them */
TEST_F(drop, of_cpus)
{
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 7, 100));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 1, 8, 90));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 9, 200));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 7, 50));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_TRUNCATED, 0, 7, 300));
	EXPECT_EQ(0, nr_kept);
	flight_tell_dropped(self->s);
	ASSERT_EQ(3, nr_kept);
	EXPECT_EQ(0, kept[0].cpu);
	EXPECT_EQ((__u32)-1, kept[0].tid);
	EXPECT_EQ(50, kept[0].t_begin);
	EXPECT_EQ(210, kept[0].t_end);
	EXPECT_EQ(3, kept[0].count);
	EXPECT_EQ(192, kept[0].bytes);
	EXPECT_EQ(1, kept[1].cpu);
	EXPECT_EQ(8, kept[1].tid);
	EXPECT_EQ(1, kept[1].count);
	EXPECT_EQ(PERFAUX_CAUSE_TRUNCATED, kept[2].cause);
	/* They are over. */
	flight_tell_dropped(self->s);
	EXPECT_EQ(3, nr_kept);
	EXPECT_EQ(0, told.header.size);
}

/* A thread's queue is that of no other, wherever it ran. */
TEST_F(drop, of_threads)
{
	self->opt->system_wide = false;
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 7, 100));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 1, 7, 200));
	flight_tell_dropped(self->s);
	ASSERT_EQ(1, nr_kept);
	EXPECT_EQ(7, kept[0].tid);
	EXPECT_EQ(2, kept[0].count);
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 7, 100));
	ASSERT_EQ(0, lose(self->s, PERFAUX_CAUSE_FULL, 0, 8, 200));
	flight_tell_dropped(self->s);
	ASSERT_EQ(2, nr_kept);
	EXPECT_EQ((__u32)-1, kept[1].tid);
	EXPECT_EQ((__u32)-1, kept[1].cpu);
}

TEST_F(drop, samples)
{
	const struct {
		struct perf_event_header header;
		__u64 id;
	} sample = { { PERF_RECORD_SAMPLE, 0, sizeof(sample) }, 77 };

	flight_drop(self->s, &sample.header, 1000);
	flight_drop(self->s, &sample.header, 2000);
	flight_tell_dropped(self->s);
	EXPECT_EQ(2, told.lost);
	EXPECT_EQ(2000, told.id.time);
	EXPECT_EQ(77, told.id.id);
	EXPECT_EQ(2, self->f->stats.not_kept);
}

TEST_HARNESS_MAIN
