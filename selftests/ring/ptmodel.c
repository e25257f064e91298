// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of rings with the kernel's own Intel PT driver on a model of the hardware
 * (see selftests/modules/ptmodel). All data that the model wrote is in spans or in
 * gaps, or the model dropped it and it is in a gap of cause TRUNCATED. The tests try
 * each kind of event, size of segment and reader, with multi-entry and with
 * single-entry ToPA.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/kernel_ring.h"
#include "lib/pt_lib.h"

#define PAGE		4096
#define MAX_EVENTS	CHECK_CPUS
#define AUX_SIZE	(4UL << 20)

FIXTURE(pt) {
	struct check *check;
	struct ring ring;
	int cpus[CHECK_CPUS];
	int nr_cpus;
};

FIXTURE_VARIANT(pt) {
	const char *params;
	bool single;		/* single-entry ToPA */
};

FIXTURE_VARIANT_ADD(pt, multi) {
	.params = "chunks=64",
};

FIXTURE_VARIANT_ADD(pt, single) {
	.params = "chunks=64 topa_multiple_entries=0", .single = true,
};

FIXTURE_SETUP(pt)
{
	/* A test that failed may have removed perfaux. */
	module_insert("perfaux", "");
	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr_cpus = online_cpus(self->cpus, CHECK_CPUS);
	ASSERT_EQ(0, pt_insert(variant->params));
}

FIXTURE_TEARDOWN(pt)
{
	char text[4096] = "";

	EXPECT_EQ(0, pt_counter("faults")) {
		file_read("/sys/module/ptmodel/parameters/counters", text,
			  sizeof(text));
		TH_LOG("%s", text);
	}
	EXPECT_EQ(0, pt_remove());
	free(self->check);
}

enum reader { FAST, SLOW, NONE };

enum kind { TASK, INHERIT, CPUS };

struct run {
	uint32_t segment_size;
	uint32_t nr_segments;
	enum reader reader;
	enum kind kind;
	bool overwrite;
	unsigned int flags;	/* flags of the events */
	uint32_t padded;
	/* results */
	uint64_t no_gap;
	uint64_t full;
	uint64_t truncated;
	int64_t pmis;
};

static int open_events(struct ring *ring, const struct run *run, pid_t pid,
		       const int *cpus, int nr_cpus, int *events)
{
	int n = run->kind == CPUS ? nr_cpus : 1, i;

	for (i = 0; i < n; i++) {
		if (run->kind == CPUS)
			events[i] = pt_open(3, -1, cpus[i], run->flags);
		else
			events[i] = pt_open(3, pid, -1, run->flags |
					    (run->kind == INHERIT ?
					     EV_INHERIT : 0));
		if (events[i] < 0 || ring_attach(ring, events[i], COOKIE(3)))
			return -1;
	}
	return n;
}

static void read_some(struct ring *ring, struct check *check,
		      enum reader reader, uint64_t *lost)
{
	if (reader == FAST) {
		ring_poll(ring, 5);
		ring_read(ring, check_record, check);
	} else if (reader == SLOW &&
		   ring_lost(ring, PERFAUX_CAUSE_FULL) != *lost) {
		ring_read(ring, check_record, check);
		ring_poll(ring, 0);
		*lost = ring_lost(ring, PERFAUX_CAUSE_FULL);
	} else {
		sched_yield();
	}
}

/* Returns "" or what is wrong. */
static const char *run_work(struct ring *ring, struct check *check,
			    struct run *run, const int *cpus, int nr_cpus)
{
	struct work work = {
		.forks = run->kind == TASK ? 0 : 3,
		.threads = 2, .rounds = 16, .spin = 30000,
	};
	int events[MAX_EVENTS], nr, i;
	int64_t pmis = pt_counter("pmis");
	struct perfaux_create create;
	struct child child;
	uint64_t lost = 0;

	ring_params(&create, run->segment_size, run->nr_segments);
	if (run->overwrite)
		create.flags = PERFAUX_RING_OVERWRITE;
	if (ring_open(ring, &create))
		return "cannot create the ring";
	if (child_start(&child, work_fn, &work))
		return "cannot fork";
	nr = open_events(ring, run, child.pid, cpus, nr_cpus, events);
	if (nr < 0)
		return "cannot open or attach the events";
	check_start(check, ring);
	check->padded = run->padded;
	for (i = 0; i < nr; i++)
		event_enable(events[i]);
	child_go(&child);
	while (!waitpid(child.pid, NULL, WNOHANG))
		read_some(ring, check, run->reader, &lost);
	close(child.go);
	for (i = 0; i < nr; i++)
		if (run->flags & EV_PINNED && pt_in_error(events[i]))
			check_fail(check, "event %d is in error state", i);
	for (i = 0; i < nr; i++)
		event_disable(events[i]);
	ring_flush(ring, 0);
	if (run->overwrite || run->reader == NONE)
		ring_read_still(ring, check_record, check);
	else
		ring_read(ring, check_record, check);
	check_end(check);
	run->no_gap = ring_lost(ring, PERFAUX_CAUSE_NO_GAP);
	run->full = ring_lost(ring, PERFAUX_CAUSE_FULL);
	run->truncated = ring_lost(ring, PERFAUX_CAUSE_TRUNCATED);
	run->pmis = pt_counter("pmis") - pmis;
	for (i = 0; i < nr; i++)
		close(events[i]);
	ring_close(ring);
	return check->error;
}

/* Also check that bytes that are no chunks are zeros, and as many as the driver says. */
static void run_and_check(struct __test_metadata *_metadata,
			  FIXTURE_DATA(pt) *self,
			  const FIXTURE_VARIANT(pt) *variant, struct run *run)
{
	struct check *check = self->check;
	int64_t before = pt_counter("padding");
	const char *error;

	run->padded = variant->single * PT_MARGIN;
	error = run_work(&self->ring, check, run, self->cpus, self->nr_cpus);
	EXPECT_STREQ("", error) {
		TH_LOG("%u segments of %u, reader %d, kind %d: %u errors",
		       run->nr_segments, run->segment_size, run->reader,
		       run->kind, check->errors);
	}
	if (!run->no_gap)
		EXPECT_EQ(pt_counter("padding") - before, check->padding);
	EXPECT_LT(0, check->chunks);
}

/*
 * Nothing is lost at the end of segments, because the interrupt comes early enough.
 * Only a segment of one page has no place for the interrupt, unless the hardware itself
 * is early.
 */
static void run_sizes(struct __test_metadata *_metadata,
		      FIXTURE_DATA(pt) *self,
		      const FIXTURE_VARIANT(pt) *variant, enum kind kind)
{
	static const struct {
		uint32_t size, nr;
		enum reader reader;
	} pools[] = {
		{ PAGE, 64, FAST },
		{ PAGE, 3, SLOW },
		{ 2 * PAGE, 32, FAST },
		{ 2 * PAGE, 2, SLOW },
		{ 16384, 32, FAST },
		{ 16384, 8, NONE },
		{ 65536, 16, FAST },
		{ 65536, 2, SLOW },
		{ 1 << 20, 8, FAST },
	};
	uint64_t full = 0, chunks = 0, truncated = 0;
	int64_t pmis = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		struct run run = {
			.segment_size = pools[i].size,
			.nr_segments = pools[i].nr,
			.reader = pools[i].reader,
			.kind = kind,
		};

		run_and_check(_metadata, self, variant, &run);
		if (run.segment_size > PAGE || variant->single)
			EXPECT_EQ(0, run.truncated) {
				TH_LOG("%u segments of %u", run.nr_segments,
				       run.segment_size);
			}
		full += run.full;
		pmis += run.pmis;
		truncated += run.truncated;
		chunks += self->check->chunks;
	}
	/* Check that the test has tested what it claims. */
	EXPECT_LT(0, full);
	EXPECT_LT(0, pmis);
	TH_LOG("%lu chunks, %lu PMIs; gaps: %lu full, %lu truncated", chunks,
	       pmis, full, truncated);
}

TEST_F_TIMEOUT(pt, task, SECONDS)
{
	run_sizes(_metadata, self, variant, TASK);
}

TEST_F_TIMEOUT(pt, inherit, SECONDS)
{
	run_sizes(_metadata, self, variant, INHERIT);
}

TEST_F_TIMEOUT(pt, cpus, SECONDS)
{
	run_sizes(_metadata, self, variant, CPUS);
}

TEST_F_TIMEOUT(pt, overwrite, SECONDS)
{
	struct run run = {
		.segment_size = 16384, .nr_segments = 4, .reader = NONE,
		.kind = INHERIT, .overwrite = true,
	};

	int64_t pmis = 0;
	int i;

	for (i = 0; i < 5; i++) {
		run_and_check(_metadata, self, variant, &run);
		EXPECT_EQ(0, run.full);
		pmis += run.pmis;
	}
	EXPECT_LT(0, pmis);
}

/* A ring that is full most of the time; pt_event_add() must not fail. */
TEST_F_TIMEOUT(pt, pinned, SECONDS)
{
	static const enum kind kinds[] = { TASK, INHERIT, CPUS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct run run = {
			.segment_size = PAGE, .nr_segments = 2, .reader = SLOW,
			.kind = kinds[i], .flags = EV_PINNED,
		};

		run_and_check(_metadata, self, variant, &run);
		EXPECT_LT(0, run.full);
	}
}

static void spin_fn(void *arg)
{
	pin_to(*(int *)arg);
	for (;;)
		spin(100000);
}

/* An event of the last CPU, where a child spins, and its ring */
struct alone {
	struct child child;
	int ev;
};

static void alone_start(struct __test_metadata *_metadata,
			FIXTURE_DATA(pt) *self,
			const FIXTURE_VARIANT(pt) *variant, struct alone *alone,
			uint32_t segment_size, uint32_t nr_segments)
{
	struct perfaux_create create;
	int *cpu = &self->cpus[self->nr_cpus - 1];

	ring_params(&create, segment_size, nr_segments);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	alone->ev = pt_open(1, -1, *cpu, 0);
	ASSERT_LE(0, alone->ev);
	ASSERT_EQ(0, ring_attach(&self->ring, alone->ev, COOKIE(1)));
	check_start(self->check, &self->ring);
	self->check->padded = variant->single * PT_MARGIN;
	ASSERT_EQ(0, child_start(&alone->child, spin_fn, cpu));
	child_go(&alone->child);
}

static void alone_end(struct __test_metadata *_metadata,
		      FIXTURE_DATA(pt) *self, struct alone *alone)
{
	child_kill(&alone->child);
	event_disable(alone->ev);
	ring_flush(&self->ring, 0);
	ring_read(&self->ring, check_record, self->check);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	close(alone->ev);
	ring_close(&self->ring);
}

/* Read until @segments more were published. */
static bool read_segments(FIXTURE_DATA(pt) *self, uint64_t segments)
{
	uint64_t end = now_ns() + 20000000000ULL;
	uint64_t until = self->ring.released + segments;

	while (self->ring.released < until && now_ns() < end) {
		ring_poll(&self->ring, 5);
		ring_read(&self->ring, check_record, self->check);
	}
	return self->ring.released >= until;
}

/*
 * Test how much may be written until the interrupt is served: as much as the room
 * after the segment's marker and not one chunk more, for every size of segments.
 * With single-entry ToPA the amount is the room that the hardware leaves, which is
 * always the same.
 */
static void run_skid(struct __test_metadata *_metadata, FIXTURE_DATA(pt) *self,
		     const FIXTURE_VARIANT(pt) *variant)
{
	static const uint32_t sizes[] = {
		PAGE, 2 * PAGE, 16384, 65536, 262144, 1 << 20,
	};
	struct alone alone;
	int64_t stops, pmis;
	uint64_t lost;
	size_t i;
	int late;

	pt_set("ctx", 0);
	pt_set("period", 100);
	for (i = 0; i < ARRAY_SIZE(sizes) * 2; i++) {
		uint32_t size = sizes[i / 2];
		uint64_t tail = variant->single ? PT_MARGIN : pt_tail(size);
		unsigned int chunks = tail / AUXGEN_CHUNK;

		late = i % 2;
		pt_set("skid", late || !chunks ? chunks : chunks - 1);
		/* A segment must not have room for a whole number of such writes. */
		pt_set("chunks", size / AUXGEN_CHUNK / 3 + 7);
		stops = pt_counter("stops");
		pmis = pt_counter("pmis");
		alone_start(_metadata, self, variant, &alone, size, 16);
		event_enable(alone.ev);
		EXPECT_TRUE(read_segments(self, 6));
		lost = ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED);
		EXPECT_EQ(late || !chunks, lost > 0) {
			TH_LOG("segments of %u, %s, skid of %u: lost %lu times",
			       size, late ? "late" : "in time", chunks, lost);
		}
		/*
		 * The bits in the tables decide: INT always, STOP only if the
		 * interrupt was late.
		 */
		if (lost)
			EXPECT_LT(stops, pt_counter("stops"));
		EXPECT_LT(pmis, pt_counter("pmis"));
		alone_end(_metadata, self, &alone);
	}
}

TEST_F_TIMEOUT(pt, skid, SECONDS)
{
	run_skid(_metadata, self, variant);
}

/*
 * The same with memory in runs of single pages. With other memory the last run
 * begins at the marker, and the driver's interrupt one run before the end comes at
 * the marker anyway.
 */
TEST_F_TIMEOUT(pt, skid_short_runs, SECONDS)
{
	char params[128];

	ASSERT_EQ(0, pt_remove());
	snprintf(params, sizeof(params), "%s run_order=0", variant->params);
	ASSERT_EQ(0, pt_insert(params));
	run_skid(_metadata, self, variant);
}

/* Stop and start the event from outside while it writes and PMIs come. */
TEST_F_TIMEOUT(pt, enable_disable, SECONDS)
{
	struct alone alone;
	int i;

	alone_start(_metadata, self, variant, &alone, 16384, 8);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, event_enable(alone.ev));
		if (i % 3)
			ring_flush(&self->ring, i % 2 ? PERFAUX_FLUSH_SPANS : 0);
		if (i % 5)
			spin(20000);
		ring_read(&self->ring, check_record, self->check);
		ASSERT_EQ(0, event_disable(alone.ev));
	}
	EXPECT_LT(0, self->check->chunks);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED));
	alone_end(_metadata, self, &alone);
}

/*
 * Detach the event while it writes. pt_event_add() then fails, and attaching
 * repairs that.
 */
TEST_F_TIMEOUT(pt, detach, SECONDS)
{
	struct alone alone;
	int i;

	alone_start(_metadata, self, variant, &alone, 16384, 8);
	for (i = 0; i < 100; i++) {
		event_enable(alone.ev);
		spin(i % 4 * 10000);
		ASSERT_EQ(0, ring_detach(&self->ring, alone.ev));
		ring_read(&self->ring, check_record, self->check);
		event_disable(alone.ev);
		ASSERT_EQ(0, ring_attach(&self->ring, alone.ev, COOKIE(1)));
	}
	event_enable(alone.ev);
	EXPECT_TRUE(read_segments(self, 4));
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED));
	alone_end(_metadata, self, &alone);
}

/* Close everything while tasks write, in each order. Modules stay in use. */
TEST_F_TIMEOUT(pt, close, SECONDS)
{
	struct perfaux_create create;
	struct child child;
	int i, ev;

	ring_params(&create, 16384, 4);
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, ring_open(&self->ring, &create));
		ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
		ev = pt_open(1, child.pid, -1, EV_INHERIT | EV_ENABLED);
		ASSERT_LE(0, ev);
		ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
		child_go(&child);
		ring_poll(&self->ring, 200);
		EXPECT_EQ(-EAGAIN, module_remove("ptmodel"));
		EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
		if (i % 3 == 0)
			child_kill(&child);
		if (i % 2) {
			close(ev);
			ring_close(&self->ring);
		} else {
			ring_close(&self->ring);
			close(ev);
		}
		if (i % 3)
			child_kill(&child);
	}
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, module_insert("perfaux", ""));
}

/* Map the kernel's own AUX area. @snapshot: bytes of an overwrite area */
static int map_area(struct kernel_ring *kernel, int ev, size_t snapshot)
{
	if (snapshot)
		return kernel_ring_map_snapshot(kernel, ev, snapshot);
	return kernel_ring_map(kernel, ev, AUX_SIZE);
}

static void kernel_alone(struct __test_metadata *_metadata,
			 FIXTURE_DATA(pt) *self,
			 const FIXTURE_VARIANT(pt) *variant, size_t snapshot)
{
	struct check *check = self->check;
	struct kernel_ring kernel;
	struct child child;
	int *cpu = &self->cpus[self->nr_cpus - 1], ev, i;
	int64_t before = pt_counter("padding");

	ev = pt_open(1, -1, *cpu, 0);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, map_area(&kernel, ev, snapshot));
	check_start(check, NULL);
	check->padded = variant->single * PT_MARGIN;
	ASSERT_EQ(0, child_start(&child, spin_fn, cpu));
	child_go(&child);
	for (i = 0; i < 10; i++) {
		event_enable(ev);
		spin(3000000);
		event_disable(ev);
		if (!snapshot)
			kernel_ring_read(&kernel, check);
	}
	child_kill(&child);
	if (snapshot)
		kernel_ring_read_snapshot(&kernel, check);
	check_end(check);
	EXPECT_STREQ("", check->error);
	EXPECT_LT(0, check->chunks);
	EXPECT_EQ(pt_counter("padding") - before, check->padding);
	EXPECT_EQ(0, kernel.truncated);
	kernel_ring_unmap(&kernel);
	close(ev);
}

/* The model itself: the driver's results without perfaux */
TEST_F_TIMEOUT(pt, without_perfaux, SECONDS)
{
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	kernel_alone(_metadata, self, variant, 0);
	kernel_alone(_metadata, self, variant, 65536);
	kernel_alone(_metadata, self, variant, PAGE);
	ASSERT_EQ(0, module_insert("perfaux", ""));
	kernel_alone(_metadata, self, variant, 0);
	kernel_alone(_metadata, self, variant, 65536);
}

/*
 * The event of the last CPU has a ring, the event of the first CPU the kernel's AUX
 * area.
 */
static void beside(struct __test_metadata *_metadata, FIXTURE_DATA(pt) *self,
		   const FIXTURE_VARIANT(pt) *variant, size_t snapshot)
{
	struct check *other = calloc(1, sizeof(*other));
	struct kernel_ring kernel;
	struct alone alone;
	int ev, i;

	ASSERT_LT(1, self->nr_cpus);
	ASSERT_NE(NULL, other);
	alone_start(_metadata, self, variant, &alone, 16384, 16);
	ev = pt_open(2, -1, self->cpus[0], 0);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, map_area(&kernel, ev, snapshot));
	check_start(other, NULL);
	other->padded = variant->single * PT_MARGIN;
	self->check->elsewhere = 1 << 2;
	other->elsewhere = 1 << 1;
	event_enable(alone.ev);
	for (i = 0; i < 20; i++) {
		event_enable(ev);
		EXPECT_TRUE(read_segments(self, 2));
		event_disable(ev);
		if (!snapshot)
			kernel_ring_read(&kernel, other);
	}
	alone_end(_metadata, self, &alone);
	if (snapshot)
		kernel_ring_read_snapshot(&kernel, other);
	check_end(other);
	EXPECT_STREQ("", other->error);
	EXPECT_LT(0, other->chunks);
	EXPECT_EQ(0, kernel.truncated);
	kernel_ring_unmap(&kernel);
	close(ev);
	free(other);
}

TEST_F_TIMEOUT(pt, beside_kernel_aux, SECONDS)
{
	beside(_metadata, self, variant, 0);
	beside(_metadata, self, variant, 65536);
}

/*
 * The driver's requests to the hardware. The driver uses a single range only for
 * the kernel's own snapshots of one page (pt_buffer_try_single()), never for a
 * ring.
 */
TEST_F_TIMEOUT(pt, capabilities, SECONDS)
{
	char params[128];

	ASSERT_EQ(0, pt_remove());
	EXPECT_EQ(-ENODEV, pt_insert("topa_output=0"));
	snprintf(params, sizeof(params), "%s single_range_output=1",
		 variant->params);
	ASSERT_EQ(0, pt_insert(params));
	kernel_alone(_metadata, self, variant, PAGE);
	EXPECT_LT(0, pt_counter("single"));
	kernel_alone(_metadata, self, variant, 0);
}

/* attr.aux_action, which the headers of older kernels do not know. */
#define AUX_START_PAUSED	1
#define AUX_PAUSE		2
#define AUX_RESUME		4

static int open_action(uint32_t type, uint64_t config, uint32_t action, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_period = 1000000,
		.disabled = leader < 0,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.__reserved_3 = action,
	};
	int fd = syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, leader,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_pt_paused(uint32_t action, int cpu)
{
	/* pt, branch */
	return open_action(pmu_type("intel_pt"), 1 | 1 << 13, action, cpu, -1);
}

static int open_clock(uint32_t action, int leader)
{
	return open_action(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, action, -1, leader);
}

/* Attach @event and detach it again. */
static int try_attach(struct ring *ring, int event)
{
	int ret = ring_attach(ring, event, 1);

	return ret ?: ring_detach(ring, event);
}

/*
 * perf_event_aux_pause() does nothing for an event without a main ring of its own.
 * Such an event would never be resumed, and nobody would learn of it.
 */
TEST_F_TIMEOUT(pt, paused_by_others, SECONDS)
{
	const size_t main_size = 2 * PAGE;
	struct perfaux_create create;
	int event, pause_it, resume_it;
	void *page;

	event = open_pt_paused(AUX_START_PAUSED, -1);
	/* Before 6.13 perf does not know this field. */
	if (event == -EINVAL)
		return;
	ASSERT_LE(0, event);
	ring_params(&create, 65536, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, event, 1));
	page = mmap(NULL, main_size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0, try_attach(&self->ring, event));
	munmap(page, main_size);
	close(event);

	event = open_pt_paused(0, -1);
	ASSERT_LE(0, event);
	EXPECT_EQ(0, try_attach(&self->ring, event));
	pause_it = open_clock(AUX_PAUSE, event);
	ASSERT_LE(0, pause_it);
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, event, 1));
	close(pause_it);
	EXPECT_EQ(0, try_attach(&self->ring, event));
	resume_it = open_clock(AUX_RESUME, event);
	ASSERT_LE(0, resume_it);
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, event, 1));
	page = mmap(NULL, main_size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0, try_attach(&self->ring, event));
	munmap(page, main_size);
	close(resume_it);
	close(event);
	ring_close(&self->ring);
}

TEST_HARNESS_MAIN
