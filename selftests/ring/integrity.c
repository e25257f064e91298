// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the reader gets the data that auxgen writes: whole, in order, and once;
 * missing data was counted. The tests combine ways of writing, kinds of events, sizes
 * of pools and kinds of readers.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define MAX_EVENTS	(CHECK_CPUS + 4)

enum reader {
	FAST,		/* as the manual says */
	SIMPLE,		/* the other implementation */
	SLOW,		/* only when the pool is exhausted */
	NONE,		/* after all events have ended */
	NR_READERS,
};

static const char * const reader_names[] = { "fast", "simple", "slow", "none" };

static const struct pool {
	uint32_t nr_segments;
	uint32_t segment_size;
} pools[] = {
	{ 2, 65536 },
	{ 3, 4096 },
	{ 8, 16384 },
	{ 64, 4096 },
	{ 256, 4096 },
	{ 4, 1 << 20 },
	{ 256, 65536 },
};

/* The way in which the PMU writes */
FIXTURE(integrity) {
	struct ring ring;
	struct check *check;
	int events[MAX_EVENTS];
	int nr_events;
};

FIXTURE_VARIANT(integrity) {
	uint64_t config;
	uint64_t period;
	/* Each write fills a segment; not used with large segments. */
	bool fill;
	/* chunks that must exist */
	bool ctx, timer, nmi;
	/* The interrupt comes in time, so nothing is lost. */
	bool in_time;
};

#define CHUNKS(n)	(n)
#define TRUNCATE(n)	((uint64_t)(n) << 32)
#define SKIPPED(n)	((uint64_t)(n) << 48)

FIXTURE_VARIANT_ADD(integrity, ctx) {
	.config = CHUNKS(4) | AUXGEN_F_CTX, .ctx = true,
};

FIXTURE_VARIANT_ADD(integrity, timer) {
	.config = CHUNKS(8) | AUXGEN_F_TIMER, .period = 200, .timer = true,
};

FIXTURE_VARIANT_ADD(integrity, nmi) {
	.config = CHUNKS(8) | AUXGEN_F_NMI, .period = 200, .nmi = true,
};

FIXTURE_VARIANT_ADD(integrity, mixed) {
	.config = CHUNKS(3) | AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI,
	.period = 150, .ctx = true, .timer = true, .nmi = true,
};

FIXTURE_VARIANT_ADD(integrity, marker) {
	.config = CHUNKS(40) | AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_MARKER,
	.period = 200, .ctx = true, .timer = true,
};

FIXTURE_VARIANT_ADD(integrity, pt) {
	.config = CHUNKS(40) | AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_PT,
	.period = 200, .ctx = true, .timer = true, .in_time = true,
};

FIXTURE_VARIANT_ADD(integrity, fill) {
	.config = CHUNKS(4) | AUXGEN_F_CTX | AUXGEN_F_FILL, .ctx = true,
	.fill = true,
};

FIXTURE_VARIANT_ADD(integrity, truncate) {
	.config = CHUNKS(5) | AUXGEN_F_CTX | AUXGEN_F_TIMER | TRUNCATE(3),
	.period = 200, .ctx = true, .timer = true,
};

/* As many gaps as possible: their entries are used again and again. */
FIXTURE_VARIANT_ADD(integrity, gaps) {
	.config = CHUNKS(1) | AUXGEN_F_CTX | AUXGEN_F_TIMER | TRUNCATE(1),
	.period = 50, .ctx = true, .timer = true,
};

FIXTURE_VARIANT_ADD(integrity, skip) {
	.config = CHUNKS(6) | AUXGEN_F_CTX | AUXGEN_F_TIMER | SKIPPED(5),
	.period = 200, .ctx = true, .timer = true,
};

FIXTURE_SETUP(integrity)
{
	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr_events = 0;
}

FIXTURE_TEARDOWN(integrity)
{
	free(self->check);
}

/* Read like @reader until the child is gone. */
static void read_while(struct ring *ring, struct check *check,
		       enum reader reader, pid_t pid)
{
	uint64_t lost = 0;

	while (!waitpid(pid, NULL, WNOHANG)) {
		switch (reader) {
		case FAST:
			ring_poll(ring, 5);
			ring_read(ring, check_record, check);
			break;
		case SIMPLE:
			ring_poll(ring, 5);
			ring_read_manual(ring, check_record, check);
			break;
		case SLOW:
			if (ring_lost(ring, PERFAUX_CAUSE_FULL) == lost) {
				sched_yield();
				break;
			}
			ring_read(ring, check_record, check);
			/* The event must start again, even if no task sleeps. */
			ring_poll(ring, 0);
			lost = ring_lost(ring, PERFAUX_CAUSE_FULL);
			break;
		default:
			sched_yield();
		}
	}
}

static void read_end(struct ring *ring, struct check *check, enum reader reader)
{
	if (reader == FAST || reader == SLOW)
		ring_read(ring, check_record, check);
	else if (reader == SIMPLE)
		ring_read_manual(ring, check_record, check);
	else
		ring_read_still(ring, check_record, check);
}

struct kind {
	bool task;		/* one task without its children */
	bool inherit;		/* a task and its descendants, on any CPU */
	bool cpus;		/* an event for each CPU */
};

/*
 * Each CPU has a timer. If few CPUs emulate many, the timers must not ask for more
 * interrupts than all CPUs can take, or nothing else makes progress.
 */
static uint64_t cpus_period(uint64_t period, int nr)
{
	return period * ((nr + 3) / 4);
}

static int open_events(struct ring *ring, const struct kind *kind,
		       uint64_t config, uint64_t period, pid_t pid, int *events)
{
	struct auxgen_config c = { config, period };
	int cpus[CHECK_CPUS], nr = online_cpus(cpus, CHECK_CPUS), n = 0, i;

	if (kind->task) {
		c.config = config | 1 << 24;
		events[n] = auxgen_open(&c, pid, -1, 0);
		if (events[n] < 0 || ring_attach(ring, events[n], COOKIE(1)))
			return -1;
		n++;
	}
	if (kind->inherit) {
		c.config = config | 2 << 24;
		events[n] = auxgen_open(&c, pid, -1, EV_INHERIT);
		if (events[n] < 0 || ring_attach(ring, events[n], COOKIE(2)))
			return -1;
		n++;
	}
	c.config = config | 3 << 24;
	c.period = cpus_period(period, nr);
	for (i = 0; kind->cpus && i < nr; i++) {
		events[n] = auxgen_open(&c, -1, cpus[i], 0);
		if (events[n] < 0 || ring_attach(ring, events[n], COOKIE(3)))
			return -1;
		n++;
	}
	return n;
}

/* Returns "" or what is wrong. */
static const char *run_one(struct ring *ring, struct check *check,
			   const struct pool *pool, enum reader reader,
			   const struct kind *kind, uint64_t config,
			   uint64_t period)
{
	struct work work = {
		.forks = kind->task && !kind->inherit ? 0 : 3,
		.threads = 2, .rounds = rounds(12), .spin = 20000,
	};
	struct perfaux_create create;
	int events[MAX_EVENTS], nr, i;
	struct child child;

	ring_params(&create, pool->segment_size, pool->nr_segments);
	/* The reader SIMPLE is woken when half of the segments are READY, others for each one. */
	create.watermark = reader == SIMPLE ? (pool->nr_segments + 1) / 2 : 0;
	if (ring_open(ring, &create))
		return "cannot create the ring";
	if (child_start(&child, work_fn, &work))
		return "cannot fork";
	nr = open_events(ring, kind, config, period, child.pid, events);
	if (nr < 0)
		return "cannot open or attach the events";
	check_start(check, ring);
	for (i = 0; i < nr; i++)
		event_enable(events[i]);
	child_go(&child);
	read_while(ring, check, reader, child.pid);
	close(child.go);
	for (i = 0; i < nr; i++)
		event_disable(events[i]);
	ring_flush(ring, 0);
	read_end(ring, check, reader);
	check_end(check);
	for (i = 0; i < nr; i++)
		close(events[i]);
	ring_close(ring);
	return check->error;
}

/* Test each pool, with one or two of the readers. */
static void run_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(integrity) *self,
		    const FIXTURE_VARIANT(integrity) *variant,
		    const struct kind *kind)
{
	uint64_t full = 0, ctx = 0, timer = 0, nmi = 0, skipped = 0;
	struct check *check = self->check;
	enum reader reader;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		const struct pool *pool = &pools[i];
		const char *error;

		if (variant->fill && pool->segment_size > 65536)
			continue;
		if (is_short() && (i + kind->cpus) % 2)
			continue;
		/* Each mode and kind gets other pairs of pool and reader. */
		reader = (i + (variant->config >> 16) * 3 +
			  kind->inherit + 2 * kind->cpus) % NR_READERS;
		error = run_one(&self->ring, check, pool, reader, kind,
				variant->config, variant->period);
		EXPECT_STREQ("", error)
			TH_LOG("%u segments of %u, %s reader: %u errors, last number %lu",
			       pool->nr_segments, pool->segment_size,
			       reader_names[reader], check->errors,
			       check->seq);
		/* A segment of one page has no place for an interrupt before its end. */
		if (variant->in_time && pool->segment_size > 4096)
			EXPECT_EQ(0, check->gap_count[PERFAUX_CAUSE_TRUNCATED])
				TH_LOG("%u segments of %u", pool->nr_segments,
				       pool->segment_size);
		full += check->gap_count[PERFAUX_CAUSE_FULL];
		skipped += check->gap_count[PERFAUX_CAUSE_TRUNCATED];
		ctx += check->switches;
		timer += check->timers;
		nmi += check->nmis;
	}
	/* Check that the test has tested what it claims. */
	if (variant->ctx)
		EXPECT_LT(0, ctx);
	if (variant->timer)
		EXPECT_LT(0, timer);
	if (variant->nmi)
		EXPECT_LT(0, nmi);
	if (AUXGEN_TRUNCATE(variant->config))
		EXPECT_LT(0, skipped);
	TH_LOG("chunks: %lu ctx, %lu timer, %lu nmi; gaps: %lu full, %lu truncated",
	       ctx, timer, nmi, full, skipped);
}

TEST_F_TIMEOUT(integrity, task, SECONDS)
{
	/* The neighbour's event sends the NMIs. */
	run_all(_metadata, self, variant, &(struct kind){
		.task = true, .cpus = variant->nmi,
	});
}

TEST_F_TIMEOUT(integrity, inherit, SECONDS)
{
	run_all(_metadata, self, variant, &(struct kind){ .inherit = true });
}

TEST_F_TIMEOUT(integrity, cpus, SECONDS)
{
	run_all(_metadata, self, variant, &(struct kind){ .cpus = true });
}

TEST_F_TIMEOUT(integrity, all, SECONDS)
{
	run_all(_metadata, self, variant, &(struct kind){
		.task = true, .inherit = true, .cpus = true,
	});
}

TEST_HARNESS_MAIN
