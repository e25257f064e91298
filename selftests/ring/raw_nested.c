// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of raw samples from tasks, softirqs, hard interrupts and NMIs that
 * interrupt each other in the middle of a copy, on all CPUs, into one ring. Each
 * payload is whole and in order, and each sample is accounted for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "lib/rawgen_check.h"

#define MAX_CPUS	16
#define KIB		(1U << 10)
#define MIB		(1U << 20)

#define CTX(name)	RAWGEN_CONTEXT(RAWGEN_##name)
#define INTERRUPTS	(CTX(SOFTIRQ) | CTX(HARDIRQ) | CTX(NMI))
#define ALL		(CTX(TASK) | INTERRUPTS)
#define NEST		RAWGEN_F_NEST
#define FRAGS		RAWGEN_F_FRAGS
#define RANDOM		RAWGEN_F_RANDOM
#define FAIL(n)		((uint64_t)(n) << 16)

/* Other activities at the same time */
#define WALK		(1U << 0)	/* another reader goes through the frames */
#define MARKS		(1U << 1)	/* wrong and late marks */
#define FLUSH		(1U << 2)	/* FLUSH in a loop, also with ABANDON */
#define ATTACH		(1U << 3)	/* one more event is attached and detached */

/* Events of one kind on each CPU */
struct group {
	uint64_t config;
	uint32_t size;
	uint32_t each;		/* samples in each context */
	uint32_t period;	/* us */
	bool split;		/* an event for each context */
};

struct run {
	struct ring ring;
	struct rawgen_check check;
	uint64_t target;
	pthread_t threads[MAX_CPUS + 8];
	int nr_threads;
	bool stop;
	bool paced;
	unsigned int round;	/* round of the reader */
	int cpus[MAX_CPUS];
	int nr;
	/* of threads: */
	const char *wrong;
	uint64_t walked;
	struct rawgen_source *loose;
};

FIXTURE(nested) {
	struct run run;
};

FIXTURE_VARIANT(nested) {
	struct group group[2];
	uint32_t segment_size;
	uint32_t nr_segments;	/* 0: two for each CPU, plus two */
	uint32_t ring_flags;
	uint32_t main_size;
	uint32_t lag;		/* samples between two reads */
	uint32_t beside;
};

FIXTURE_VARIANT_ADD(nested, byte_1) {
	.group = { { ALL | FRAGS, 1, 300, 700, true } },
	.segment_size = 64 * KIB, .main_size = 256 * KIB,
};

FIXTURE_VARIANT_ADD(nested, bytes_7) {
	.group = { { ALL | NEST, 7, 300, 700, true } },
	.segment_size = 64 * KIB, .main_size = 256 * KIB,
};

FIXTURE_VARIANT_ADD(nested, bytes_64) {
	.group = { { ALL | NEST, 64, 500, 700 } },
	.segment_size = 16 * KIB, .main_size = 64 * KIB, .beside = WALK,
};

FIXTURE_VARIANT_ADD(nested, random) {
	.group = { { ALL | NEST | RANDOM, 8 * KIB, 200, 1500 },
		   { ALL | RANDOM, 500, 200, 900 } },
	.segment_size = 64 * KIB, .main_size = 64 * KIB, .beside = WALK,
};

FIXTURE_VARIANT_ADD(nested, kib_64) {
	.group = { { ALL | NEST, 64 * KIB, 20, 10000 },
		   { INTERRUPTS | NEST, 200, 200, 1000 } },
	.segment_size = 2 * MIB, .main_size = 64 * KIB, .beside = WALK,
};

FIXTURE_VARIANT_ADD(nested, mib_1) {
	.group = { { CTX(TASK) | CTX(SOFTIRQ) | NEST, MIB, 4, 30000 },
		   { INTERRUPTS | NEST, 200, 200, 1000 } },
	.segment_size = 4 * MIB, .main_size = 64 * KIB, .beside = WALK,
};

/* The ring has fewer segments than CPUs. */
FIXTURE_VARIANT_ADD(nested, few_segments) {
	.group = { { ALL | NEST | RANDOM, 2000, 200, 1000 } },
	.segment_size = MIB, .nr_segments = 2, .main_size = 64 * KIB,
	.beside = WALK,
};

/* The ring has no room most of the time. */
FIXTURE_VARIANT_ADD(nested, loss) {
	.group = { { ALL | NEST | RANDOM, 5000, 200, 1000 } },
	.segment_size = 16 * KIB, .nr_segments = 4, .main_size = 256 * KIB,
	.lag = 300, .beside = WALK,
};

/* The events' main rings have no room, either. */
FIXTURE_VARIANT_ADD(nested, main_loss) {
	.group = { { ALL | NEST | RANDOM, 1000, 500, 1000 } },
	.segment_size = 64 * KIB, .nr_segments = 16, .main_size = 4 * KIB,
	.lag = 400, .beside = WALK,
};

FIXTURE_VARIANT_ADD(nested, overwrite) {
	.group = { { ALL | NEST | RANDOM, 3000, 200, 1000 } },
	.segment_size = 16 * KIB, .main_size = 256 * KIB,
	.ring_flags = PERFAUX_RING_OVERWRITE, .lag = 200, .beside = WALK,
};

/* The copy function of each third sample fails. */
FIXTURE_VARIANT_ADD(nested, failing_copy) {
	.group = { { ALL | NEST | RANDOM | FAIL(3), 2000, 150, 1000 } },
	.segment_size = 64 * KIB, .main_size = MIB, .beside = WALK,
};

FIXTURE_VARIANT_ADD(nested, wrong_marks) {
	.group = { { ALL | NEST | RANDOM, 2000, 200, 1000 } },
	.segment_size = 16 * KIB, .main_size = 256 * KIB,
	.beside = WALK | MARKS,
};

FIXTURE_VARIANT_ADD(nested, flushed) {
	.group = { { ALL | NEST | RANDOM, 2000, 200, 1000 } },
	.segment_size = 64 * KIB, .main_size = 256 * KIB,
	.beside = WALK | FLUSH,
};

FIXTURE_VARIANT_ADD(nested, attached) {
	.group = { { ALL | NEST | RANDOM, 2000, 200, 1000 } },
	.segment_size = 64 * KIB, .main_size = 256 * KIB,
	.beside = WALK | FLUSH | ATTACH,
};

static bool stopped(struct run *run)
{
	return __atomic_load_n(&run->stop, __ATOMIC_ACQUIRE);
}

/* --- activities at the same time -------------------------------------------- */

struct worker {
	struct run *run;
	int cpu;
};

static void *work_thread(void *arg)
{
	struct worker *worker = arg;
	struct run *run = worker->run;
	unsigned int round;

	pin_to(worker->cpu);
	while (!stopped(run)) {
		round = __atomic_load_n(&run->round, __ATOMIC_ACQUIRE);
		if (rawgen_task(4))
			run->wrong = "rawgen's task file";
		do {
			sched_yield();
		} while (run->paced && !stopped(run) && round ==
			 __atomic_load_n(&run->round, __ATOMIC_ACQUIRE));
	}
	free(worker);
	return NULL;
}

struct walker {
	struct run *run;
	uint8_t *copy;
};

/*
 * A frame below frames_end. If the segment has changed meanwhile, the frame proves
 * nothing.
 */
static void walk_frame(void *ctx, const struct perfaux_frame *frame)
{
	struct walker *walker = ctx;
	struct run *run = walker->run;
	const struct perfaux_frame head = *frame;
	struct rawgen_source source;
	const char *what;

	if (PERFAUX_STATE(head.state) != PERFAUX_FRAME_COMMITTED ||
	    head.segment >= run->ring.ctl->nr_segments ||
	    head.length > run->ring.ctl->segment_size ||
	    head.length < sizeof(struct rawgen_header))
		return;
	memcpy(walker->copy, frame->data, head.length);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (PERFAUX_SEQ(ring_state(&run->ring, head.segment)) !=
	    PERFAUX_SEQ(head.state))
		return;
	run->walked++;
	if (!head.cookie || head.cookie > (uint64_t)run->check.nr) {
		run->wrong = "cookie of a frame";
		return;
	}
	memset(&source, 0, sizeof(source));
	source.config = run->check.source[head.cookie - 1].config;
	what = rawgen_check_payload(&source, walker->copy, head.length, head.cpu);
	if (what)
		run->wrong = what;
}

static void *walk_thread(void *arg)
{
	struct run *run = arg;
	struct walker walker = { run, malloc(run->ring.ctl->segment_size) };

	while (walker.copy && !stopped(run)) {
		if (raw_walk(&run->ring, walk_frame, &walker, false) < 0)
			run->wrong = "not ended below frames_end";
		sched_yield();
	}
	free(walker.copy);
	return NULL;
}

/*
 * Return a number that is not that of the present use of this segment, or of a
 * later one.
 */
static uint64_t wrong_mark(const struct ring *ring, struct rnd *rnd, uint32_t i)
{
	const uint32_t nr = ring->ctl->nr_segments;

	switch (rnd_below(rnd, 4)) {
	case 0:
		return 0;
	case 1:
		return 1ULL << 60 | rnd_next(rnd);
	case 2:
		return PERFAUX_SEQ(ring_state(ring, i)) - 1;
	default:
		return PERFAUX_SEQ(ring_state(ring, (i + 1 +
					      rnd_below(rnd, nr - 1)) % nr));
	}
}

static void *marks_thread(void *arg)
{
	struct run *run = arg;
	struct rnd rnd = { rnd_seed() };

	while (!stopped(run)) {
		uint32_t i;

		for (i = 0; i < run->ring.ctl->nr_segments; i++)
			__atomic_store_n(&run->ring.marks[i],
					 wrong_mark(&run->ring, &rnd, i),
					 __ATOMIC_RELEASE);
		sched_yield();
	}
	return NULL;
}

static void *flush_thread(void *arg)
{
	struct run *run = arg;
	unsigned int n;

	for (n = 0; !stopped(run); n++)
		if (ring_flush(&run->ring, n % 2 ? PERFAUX_FLUSH_ABANDON : 0))
			run->wrong = "FLUSH";
	return NULL;
}

static void *attach_thread(void *arg)
{
	struct run *run = arg;
	const int fd = run->loose->ev.fd;

	while (!stopped(run)) {
		if (ring_detach(&run->ring, fd) ||
		    raw_attach(&run->ring, fd, run->loose->cookie)) {
			run->wrong = "attach and detach";
			break;
		}
	}
	return NULL;
}

static int start(struct run *run, void *(*fn)(void *), void *arg)
{
	int ret = pthread_create(&run->threads[run->nr_threads], NULL, fn, arg);

	run->nr_threads += !ret;
	return ret;
}

static int start_all(struct run *run, uint32_t beside)
{
	int i, ret = 0;

	for (i = 0; !ret && i < run->nr; i++) {
		struct worker *worker = malloc(sizeof(*worker));

		if (!worker)
			return -ENOMEM;
		*worker = (struct worker){ run, run->cpus[i] };
		ret = start(run, work_thread, worker);
	}
	if (!ret && beside & WALK)
		ret = start(run, walk_thread, run);
	if (!ret && beside & MARKS)
		ret = start(run, marks_thread, run);
	if (!ret && beside & FLUSH)
		ret = start(run, flush_thread, run);
	if (!ret && beside & ATTACH)
		ret = start(run, attach_thread, run);
	return ret;
}

static void stop_all(struct run *run)
{
	__atomic_store_n(&run->stop, true, __ATOMIC_RELEASE);
	while (run->nr_threads)
		pthread_join(run->threads[--run->nr_threads], NULL);
}

/* --- events ------------------------------------------------------------------ */

static int add_event(struct run *run, const struct group *group,
		     uint64_t contexts, int cpu, uint32_t main_size)
{
	const struct rawgen_config config = {
		.config = (group->config & ~0xffULL) | contexts,
		.config1 = (uint64_t)group->period << 32 | group->size,
		.config2 = rounds(group->each),
	};

	run->target += (uint64_t)rounds(group->each) *
			__builtin_popcountll(contexts);
	return rawgen_add(&run->check, &config, -1, cpu, main_size) ? 0 : -errno;
}

static int add_group(struct run *run, const struct group *group,
		     int cpu, uint32_t main_size)
{
	const uint64_t contexts = group->config & 0xff;
	int ret = 0, c;

	if (!group->split)
		return add_event(run, group, contexts, cpu, main_size);
	for (c = 0; !ret && c < RAWGEN_CONTEXTS; c++)
		if (contexts & RAWGEN_CONTEXT(c))
			ret = add_event(run, group, RAWGEN_CONTEXT(c), cpu,
					main_size);
	return ret;
}

FIXTURE_SETUP(nested)
{
	struct run *run = &self->run;
	const struct group loose = { INTERRUPTS | RANDOM, 600, 300, 1000, false };
	struct perfaux_create create;
	int i, g;

	run->nr = online_cpus(run->cpus, MAX_CPUS);
	/* The reader keeps up with the data that tasks write. */
	run->paced = !variant->lag;
	ring_params(&create, variant->segment_size,
		    variant->nr_segments ?: 2U * run->nr + 2);
	create.flags = variant->ring_flags;
	ASSERT_EQ(0, ring_open(&run->ring, &create));
	ASSERT_EQ(0, rawgen_check_init(&run->check, &run->ring));
	for (i = 0; i < run->nr; i++)
		for (g = 0; g < 2 && variant->group[g].config; g++)
			ASSERT_EQ(0, add_group(run, &variant->group[g],
					       run->cpus[i],
					       variant->main_size));
	if (variant->beside & ATTACH) {
		ASSERT_EQ(0, add_group(run, &loose, run->cpus[0], MIB));
		run->loose = &run->check.source[run->check.nr - 1];
		run->loose->loose = true;
	}
	for (i = 0; i < run->check.nr; i++)
		ASSERT_EQ(0, event_enable(run->check.source[i].ev.fd));
}

FIXTURE_TEARDOWN(nested)
{
	struct run *run = &self->run;

	stop_all(run);
	rawgen_check_exit(&run->check);
	ring_close(&run->ring);
}

static const char *wrong_of(struct run *run)
{
	return run->check.wrong ?: run->wrong ?: "";
}

/* Read until all samples are written, and then read the rest. */
static int read_all(struct run *run, uint32_t lag)
{
	const bool overwrite = run->ring.create.flags & PERFAUX_RING_OVERWRITE;
	uint64_t written = 0, next = lag;
	unsigned int n;
	int ret = 0;

	for (n = 0; !ret && written < run->target && !*wrong_of(run); n++) {
		do {
			sched_yield();
			written = rawgen_sum_written(&run->check);
		} while (written < next && written < run->target);
		next = written + lag;
		if (overwrite)
			ret = rawgen_read(&run->check);
		else
			ret = rawgen_read_ring(&run->check, n % 4 == 3, 0);
		rawgen_release_again(&run->check);
		__atomic_store_n(&run->round, n + 1, __ATOMIC_RELEASE);
	}
	stop_all(run);
	for (n = 0; !ret && n < (unsigned int)run->check.nr; n++)
		ret = event_disable(run->check.source[n].ev.fd);
	if (!ret)
		ret = ring_flush(&run->ring, 0);
	if (!ret)
		ret = rawgen_read_ring(&run->check, true, 0);
	return ret;
}

static uint64_t sum_lost(struct run *run)
{
	uint64_t sum = 0;
	int i, cause;

	for (i = 0; i < run->check.nr; i++)
		for (cause = 0; cause < 16; cause++)
			sum += run->check.source[i].lost[cause];
	return sum;
}

TEST_F_TIMEOUT(nested, all, SECONDS)
{
	struct run *run = &self->run;
	const bool overwrite = variant->ring_flags & PERFAUX_RING_OVERWRITE;
	struct rawgen_check *check = &run->check;
	const struct perfaux_control *ctl = run->ring.ctl;
	uint64_t written, missed, samples, frames, kept, lost, stale;
	uint32_t depth[RAWGEN_CONTEXTS] = { };
	int i, c;

	ASSERT_EQ(0, start_all(run, variant->beside));
	ASSERT_EQ(0, read_all(run, variant->lag));
	EXPECT_STREQ("", wrong_of(run));

	written = rawgen_sum_written(check);
	missed = rawgen_sum_missed(check);
	samples = rawgen_sum(check, samples);
	frames = rawgen_sum(check, frames);
	kept = rawgen_sum(check, kept);
	stale = rawgen_sum(check, stale);
	lost = ring_lost(&run->ring, PERFAUX_CAUSE_FULL) +
	       ring_lost(&run->ring, PERFAUX_CAUSE_TOO_LARGE);
	TH_LOG("%lu samples, %lu missed, %lu frames, %lu kept, %lu stale, %lu lost, %lu walked, %lu discarded",
	       samples, missed, frames, kept, stale, lost, run->walked,
	       check->discarded);

	/* Each sample was read, or lost by its main ring. */
	EXPECT_EQ(run->target, written);
	EXPECT_EQ(written, samples + missed);
	EXPECT_EQ(samples, frames + kept + stale + sum_lost(run));
	/* The ring has the frames of the samples, and no others. */
	if (!overwrite) {
		EXPECT_EQ(ctl->frames, check->frames);
		EXPECT_EQ(ctl->frame_bytes, check->bytes);
		EXPECT_EQ(check->frames, frames + check->orphans);
		EXPECT_EQ(0, stale);
		EXPECT_EQ(0, ring_lost(&run->ring, PERFAUX_CAUSE_OVERWRITTEN));
		if (!run->loose)
			EXPECT_EQ(written, ctl->frames + check->discarded + lost);
	} else {
		EXPECT_EQ(ctl->frame_bytes, check->bytes +
			  ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN]);
		EXPECT_EQ(written, ctl->frames + lost);
		EXPECT_LT(0, ring_lost(&run->ring, PERFAUX_CAUSE_OVERWRITTEN));
	}
	EXPECT_GE(missed, check->orphans);
	EXPECT_EQ(0, ring_lost(&run->ring, PERFAUX_CAUSE_ABANDONED));
	EXPECT_EQ(0, ring_lost(&run->ring, PERFAUX_CAUSE_TOO_LARGE));
	if (!missed) {
		EXPECT_EQ(lost, sum_lost(run));
		EXPECT_EQ(ctl->lost_bytes[PERFAUX_CAUSE_FULL],
			  rawgen_sum(check, lost_bytes));
	}

	/* The test has done what its name says. */
	for (i = 0; i < check->nr; i++)
		for (c = 0; c < RAWGEN_CONTEXTS; c++)
			if (depth[c] < check->source[i].depth[c])
				depth[c] = check->source[i].depth[c];
	TH_LOG("samples interrupted by a softirq's %u, hard interrupt's %u, NMI's %u",
	       depth[RAWGEN_SOFTIRQ], depth[RAWGEN_HARDIRQ], depth[RAWGEN_NMI]);
	/* If no data was lost or overwritten, the reader must see samples that were interrupted. */
	if (variant->group[0].config & NEST && variant->group[0].size >= 64 &&
	    !overwrite && !lost && !missed) {
		EXPECT_LE(1, depth[RAWGEN_HARDIRQ]);
		EXPECT_LE(1, depth[RAWGEN_NMI]);
	}
	if (variant->beside & WALK)
		EXPECT_LT(0, run->walked);
	EXPECT_EQ(!!RAWGEN_FAIL(variant->group[0].config), check->discarded > 0);
	EXPECT_LT(0, frames);
}

/* --- tasks that are switched ------------------------------------------------- */

FIXTURE(task) {
	struct ring ring;
	struct rawgen_check check;
};

FIXTURE_SETUP(task)
{
	struct perfaux_create create;

	ring_params(&create, 64 * KIB, 8);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	ASSERT_EQ(0, rawgen_check_init(&self->check, &self->ring));
}

FIXTURE_TEARDOWN(task)
{
	rawgen_check_exit(&self->check);
	ring_close(&self->ring);
}

/* Samples with the runqueue locked, on any CPU, and an NMI in the middle of each copy. */
TEST_F_TIMEOUT(task, switched, SECONDS)
{
	const struct rawgen_config config = {
		.config = CTX(SWITCH) | NEST | RANDOM,
		.config1 = 3000, .config2 = 500,
	};
	const struct rawgen_config nmi = {
		.config = CTX(NMI) | RANDOM,
		.config1 = 1000, .config2 = 500,
	};
	struct rawgen_check *check = &self->check;
	struct rawgen_source *source, *nested;
	struct child child;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	nested = rawgen_add(check, &nmi, child.pid, -1, 256 * KIB);
	ASSERT_NE(NULL, nested);
	source = rawgen_add(check, &config, child.pid, -1, 256 * KIB);
	ASSERT_NE(NULL, source);
	ASSERT_EQ(0, event_enable(nested->ev.fd));
	ASSERT_EQ(0, event_enable(source->ev.fd));
	child_go(&child);
	while (rawgen_written(source) < config.config2 && !check->wrong) {
		ASSERT_EQ(0, rawgen_read_ring(check, false, 0));
		sched_yield();
	}
	child_kill(&child);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ASSERT_EQ(0, rawgen_read_ring(check, true, 0));
	EXPECT_STREQ("", check->wrong ?: "");
	EXPECT_EQ(500, source->frames);
	EXPECT_LE(1, nested->depth[RAWGEN_NMI]);
	EXPECT_EQ(rawgen_written(nested), nested->frames);
	EXPECT_EQ(check->frames, source->frames + nested->frames);
	EXPECT_EQ(self->ring.ctl->frames, check->frames);
}

TEST_HARNESS_MAIN
