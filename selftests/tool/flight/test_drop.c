// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/drop.c: records for which there is no room while a snapshot is written.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "flight/survive.h"
#include "stream/records.h"

static struct rec_lost_samples told;

/* Replaces the function of history/recent.c, and remembers the record. */
int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	(void)r;
	(void)time;
	memcpy(&told, rec, sizeof(told));
	return 0;
}

/* Replaces the function of flight/survive.c. */
void survive_record(struct session *s, const struct perf_event_header *rec)
{
	(void)s;
	(void)rec;
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
	self->f->memory.meanwhile = 100;
	memset(&told, 0, sizeof(told));
}

FIXTURE_TEARDOWN(drop)
{
	free(self->opt);
	free(self->f);
	free(self->s);
}

/* Room is limited only while a snapshot is written, to the records' part of the memory. */
TEST_F(drop, room)
{
	EXPECT_TRUE(flight_has_room(self->f, 1000));
	self->f->child = 1;
	EXPECT_TRUE(flight_has_room(self->f, 60));
	EXPECT_TRUE(flight_has_room(self->f, 40));
	EXPECT_FALSE(flight_has_room(self->f, 1));
	EXPECT_FALSE(flight_has_room(self->f, 1));
}

TEST_F(drop, samples)
{
	const struct {
		struct perf_event_header header;
		__u64 id;
	} sample = { { PERF_RECORD_SAMPLE, 0, sizeof(sample) }, 77 };

	flight_drop(self->s, &sample.header, 2000);
	flight_drop(self->s, &sample.header, 1000);
	flight_tell_dropped(self->s);
	EXPECT_EQ(2, told.lost);
	EXPECT_EQ(2000, told.id.time);
	EXPECT_EQ(77, told.id.id);
	EXPECT_EQ(2, self->f->stats.not_kept);
}

TEST_HARNESS_MAIN
