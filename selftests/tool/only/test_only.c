// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/only.c: which records a snapshot of one process has.
 */
#include <string.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "stream/records.h"

/* Processes: A forks B at 100, B forks C at 200 and D at 300. C triggers. */
enum { A = 10, B, C, D, OTHER };

/* Any record of a main ring: what follows the header, and the sample id at the end */
struct record {
	struct perf_event_header header;
	__u32 words[8];
	struct rec_sample_id id;
};

FIXTURE(only) {
	struct options opt;
	struct flight_wish wish[2];
	struct flight_task task[2];
	struct flight f;
	struct session s;
	struct only_tasks *only;
};

static struct record sideband(__u32 type, __u32 pid, __u32 parent, __u64 time)
{
	return (struct record){
		.header = { .type = type, .size = sizeof(struct record) },
		.words = { pid, type == PERF_RECORD_FORK ? parent : pid, pid, parent },
		.id = { .pid = pid, .tid = pid, .time = time },
	};
}

static void triggers(struct flight_wish *w, struct flight_task *t, __u32 pid)
{
	*t = (struct flight_task){ pid, 400, 400 };
	w->tasks = t;
	w->nr_tasks = 1;
}

static void add(FIXTURE_DATA(only) *self, __u32 type, __u32 pid, __u32 parent, __u64 time)
{
	const struct record rec = sideband(type, pid, parent, time);

	if (recent_add(self->f.recent, &rec.header, time))
		abort();
}

FIXTURE_SETUP(only)
{
	const struct recent_limits limits = { .memory = 1 << 20 };

	self->f.recent = recent_new(&limits);
	ASSERT_NE(NULL, self->f.recent);
	self->s.flight = &self->f;
	self->s.opt = &self->opt;
	self->f.writing = &self->wish[0];
	triggers(&self->wish[0], &self->task[0], C);
	add(self, PERF_RECORD_FORK, OTHER, 1, 50);
	add(self, PERF_RECORD_FORK, B, A, 100);
	add(self, PERF_RECORD_FORK, C, B, 200);
	add(self, PERF_RECORD_FORK, D, B, 300);
	add(self, PERF_RECORD_FORK, C, C, 310);
}

FIXTURE_TEARDOWN(only)
{
	recent_free(self->f.recent);
}

static bool keeps(FIXTURE_DATA(only) *self, __u32 type, __u32 pid, __u64 time)
{
	const struct record rec = sideband(type, pid, B, time);

	return only_tasks_keeps(self->only, &rec.header);
}

/* A sample has its id and IP before the process, and no sample id at its end. */
static bool keeps_sample_at(FIXTURE_DATA(only) *self, __u32 pid, __u64 time)
{
	struct record rec = sideband(PERF_RECORD_SAMPLE, C, C, 400);

	rec.words[4] = pid;
	memcpy(&rec.words[6], &time, sizeof(time));
	if (pid != C)
		rec.words[0] = C;
	return only_tasks_keeps(self->only, &rec.header);
}

static bool keeps_sample(FIXTURE_DATA(only) *self, __u32 pid)
{
	return keeps_sample_at(self, pid, 400);
}

/* Does the snapshot have the late id of this file? */
static bool keeps_id(FIXTURE_DATA(only) *self, const char *name)
{
	union {
		struct perf_event_header header;
		char bytes[64];
	} rec = { .header = { .type = REC_BUILD_ID, .size = sizeof(rec) } };

	strcpy(rec.bytes + REC_BUILD_ID_NAME, name);
	return only_tasks_keeps(self->only, &rec.header);
}

TEST_F(only, all_without_the_option)
{
	EXPECT_TRUE(keeps_sample(self, OTHER));
	EXPECT_TRUE(keeps(self, PERF_RECORD_COMM, OTHER, 1));
	EXPECT_TRUE(only_tasks_has(NULL, OTHER, 1));
}

TEST_F(only, process)
{
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_TRUE(keeps_sample(self, C));
	EXPECT_FALSE(keeps_sample(self, B));
	EXPECT_FALSE(keeps_sample(self, OTHER));
	EXPECT_TRUE(only_tasks_has(self->only, C, 400));
	EXPECT_FALSE(only_tasks_has(self->only, B, 400));
	EXPECT_TRUE(keeps(self, PERF_RECORD_MMAP2, C, 400));
	EXPECT_TRUE(keeps(self, PERF_RECORD_EXIT, C, 400));
	EXPECT_FALSE(keeps(self, PERF_RECORD_MMAP2, OTHER, 10));
	EXPECT_FALSE(keeps(self, PERF_RECORD_NAMESPACES, OTHER, 10));
	EXPECT_TRUE(keeps(self, PERF_RECORD_SWITCH_CPU_WIDE, C, 400));
	EXPECT_FALSE(keeps(self, PERF_RECORD_SWITCH_CPU_WIDE, B, 100));
}

/* Records of the kernel's maps, of the idle task, and of no task */
TEST_F(only, nobody)
{
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_TRUE(keeps(self, PERF_RECORD_MMAP, -1, 10));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, 0, 10));
	EXPECT_TRUE(keeps(self, PERF_RECORD_KSYMBOL, OTHER, 10));
	EXPECT_TRUE(keeps(self, PERF_RECORD_LOST_SAMPLES, OTHER, 10));
}

/* Sideband of ancestors is needed up to the fork; their samples and other children are not. */
TEST_F(only, ancestors)
{
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_TRUE(keeps(self, PERF_RECORD_COMM, B, 200));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, B, 201));
	EXPECT_TRUE(keeps(self, PERF_RECORD_MMAP2, A, 100));
	EXPECT_FALSE(keeps(self, PERF_RECORD_MMAP2, A, 101));
	EXPECT_TRUE(keeps(self, PERF_RECORD_FORK, C, 200));
	EXPECT_FALSE(keeps(self, PERF_RECORD_FORK, D, 300));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, OTHER, 10));
}

/* C and D trigger, and share a snapshot: the sideband of B is now needed up to the fork of D. */
TEST_F(only, several)
{
	self->wish[0].next = &self->wish[1];
	triggers(&self->wish[1], &self->task[1], D);
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_TRUE(keeps_sample(self, C));
	EXPECT_TRUE(keeps_sample(self, D));
	EXPECT_TRUE(keeps(self, PERF_RECORD_COMM, B, 300));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, B, 301));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, A, 101));
}

/* The sample of the trigger was lost. */
TEST_F(only, unknown)
{
	self->wish[0].nr_tasks = 0;
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_FALSE(keeps_sample(self, C));
	EXPECT_FALSE(keeps(self, PERF_RECORD_COMM, C, 100));
	EXPECT_TRUE(keeps(self, PERF_RECORD_MMAP, -1, 10));
}

/* Other processes have the pid of C before the fork and after the trigger, and that of B before. */
TEST_F(only, pid_again)
{
	add(self, PERF_RECORD_FORK, C, OTHER, 150);
	add(self, PERF_RECORD_FORK, C, OTHER, 500);
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_FALSE(keeps_sample_at(self, C, 199));
	EXPECT_TRUE(keeps_sample_at(self, C, 200));
	EXPECT_TRUE(keeps_sample_at(self, C, 499));
	EXPECT_FALSE(keeps_sample_at(self, C, 500));
	EXPECT_FALSE(keeps(self, PERF_RECORD_MMAP2, C, 150));
	EXPECT_FALSE(keeps(self, PERF_RECORD_MMAP2, B, 99));
	EXPECT_TRUE(keeps(self, PERF_RECORD_MMAP2, B, 100));
	EXPECT_FALSE(only_tasks_has(self->only, C, 199));
}

static void add_map(FIXTURE_DATA(only) *self, __u32 pid, const char *name)
{
	union {
		struct perf_event_header header;
		__u32 words[30];
		char bytes[120];
	} rec = { .header = { .type = PERF_RECORD_MMAP2, .size = sizeof(rec) } };
	const struct rec_sample_id id = { .pid = pid, .tid = pid, .time = 350 };

	rec.words[2] = pid;
	rec.words[3] = pid;
	strcpy(rec.bytes + REC_MMAP2_NAME, name);
	memcpy(rec.bytes + sizeof(rec) - sizeof(id), &id, sizeof(id));
	if (recent_add(self->f.recent, &rec.header, 350))
		abort();
}

TEST_F(only, late_ids)
{
	add_map(self, C, "/ours");
	add_map(self, OTHER, "/theirs");
	ASSERT_EQ(0, only_tasks_find(&self->s, &self->only));
	EXPECT_TRUE(keeps_id(self, "/ours"));
	EXPECT_FALSE(keeps_id(self, "/theirs"));
}

TEST_HARNESS_MAIN
