// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of insmod and rmmod of perfaux while raw samples continue all the time,
 * from every context. Samples have a reference while their event is attached, and
 * the payload itself before and after. Nothing changes for events that are not
 * attached.
 */
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/rawgen_check.h"

#define PAGE		4096
#define MIB		(1U << 20)
#define MAX_CPUS	16
#define SIZE		200
#define MAIN_SIZE	(256U << 10)
/* Samples of each event between two actions */
#define SAMPLES		100

struct flow {
	struct ring ring;
	struct rawgen_check check;
	int cpus[MAX_CPUS];
	int nr;
	/* see_any(): */
	uint64_t references;
	uint64_t payloads;
};

FIXTURE(flow) {
	struct flow flow;
};

/* For samples that are read when the ring is gone: all have their data. */
static const struct perfaux_control no_control;
static struct ring no_ring = { .fd = -1, .dev = -1, .ctl = &no_control };

FIXTURE_SETUP(flow)
{
	const struct rawgen_config config = {
		.config = 0x1d | RAWGEN_F_NEST,
		.config1 = 5000ULL << 32 | SIZE,
	};
	struct flow *flow = &self->flow;
	int i;

	module_insert("perfaux", "");
	flow->nr = online_cpus(flow->cpus, MAX_CPUS);
	flow->check.ring = &no_ring;
	for (i = 0; i < flow->nr; i++) {
		struct rawgen_source *source = &flow->check.source[i];

		ASSERT_EQ(0, rawgen_open(source, &config, -1, flow->cpus[i],
					 MAIN_SIZE));
		source->check = &flow->check;
		source->cookie = i + 1;
		source->loose = true;
		flow->check.nr++;
		ASSERT_EQ(0, event_enable(source->ev.fd));
	}
}

FIXTURE_TEARDOWN(flow)
{
	struct flow *flow = &self->flow;
	int i;

	for (i = 0; i < flow->check.nr; i++)
		raw_close(&flow->check.source[i].ev);
	ring_close(&flow->ring);
	module_insert("perfaux", "");
}

static int flow_ring(struct flow *flow)
{
	struct perfaux_create create;

	ring_params(&create, 65536, 2 * flow->nr + 2);
	return ring_open(&flow->ring, &create);
}

static int flow_attach(struct flow *flow)
{
	int i, ret = 0;

	for (i = 0; !ret && i < flow->nr; i++)
		ret = raw_attach(&flow->ring, flow->check.source[i].ev.fd, i + 1);
	return ret;
}

/* Make @n more samples in the context of a task on each CPU, and in other contexts. */
static int flow_on(struct flow *flow, unsigned int n)
{
	int i, ret = 0;

	for (i = 0; !ret && i < flow->nr; i++) {
		ret = pin_to(flow->cpus[i]);
		if (!ret)
			ret = rawgen_task(n);
	}
	return ret;
}

static uint64_t sum_frames(struct flow *flow)
{
	return rawgen_sum(&flow->check, frames);
}

static uint64_t sum_kept(struct flow *flow)
{
	return rawgen_sum(&flow->check, kept);
}

/*
 * Disable each event on its own CPU. A disable from another CPU can interrupt a softirq in the
 * middle of a sample. In that case, the sample, and the samples that interrupted it, are counted,
 * but data_head does not cover them yet.
 */
static void stop(struct flow *flow, struct __test_metadata *_metadata)
{
	int i;

	for (i = 0; i < flow->nr; i++) {
		ASSERT_EQ(0, pin_to(flow->cpus[i]));
		ASSERT_EQ(0, event_disable(flow->check.source[i].ev.fd));
	}
}

/*
 * Removing is refused while events are attached or the ring exists. Afterwards
 * everything is as before.
 */
TEST_F_TIMEOUT(flow, in_use, SECONDS)
{
	struct flow *flow = &self->flow;
	struct rawgen_check *check = &flow->check;
	struct rawgen_use *uses;
	uint64_t frames, kept;
	int i;

	ASSERT_EQ(0, flow_ring(flow));
	uses = calloc(flow->ring.ctl->nr_segments, sizeof(*uses));
	ASSERT_NE(NULL, uses);
	check->ring = &flow->ring;
	check->uses = uses;
	check->copy = malloc(65536);
	ASSERT_NE(NULL, check->copy);
	for (i = 0; i < (int)flow->ring.ctl->nr_segments; i++) {
		uses[i].followed = calloc(1, 65536 / 64 + 1);
		ASSERT_NE(NULL, uses[i].followed);
	}
	ASSERT_EQ(0, flow_attach(flow));
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	while (sum_frames(flow) < (uint64_t)SAMPLES * flow->nr && !check->wrong) {
		ASSERT_EQ(0, flow_on(flow, 4));
		ASSERT_EQ(0, rawgen_read_ring(check, true, 0));
	}
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	for (i = 0; i < flow->nr; i++)
		ASSERT_EQ(0, ring_detach(&flow->ring, check->source[i].ev.fd));
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	/* The ring has only frames that samples led to. */
	ASSERT_EQ(0, ring_flush(&flow->ring, 0));
	ASSERT_EQ(0, rawgen_read_ring(check, true, 0));
	frames = sum_frames(flow);
	kept = sum_kept(flow);
	EXPECT_EQ(flow->ring.ctl->frames, check->frames);
	EXPECT_EQ(check->frames, frames + check->orphans);
	EXPECT_GE(rawgen_sum_missed(check), check->orphans);

	check->ring = &no_ring;
	ring_close(&flow->ring);
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	while (sum_kept(flow) < kept + (uint64_t)SAMPLES * flow->nr &&
	       !check->wrong) {
		ASSERT_EQ(0, flow_on(flow, 4));
		ASSERT_EQ(0, rawgen_read(check));
	}
	stop(flow, _metadata);
	ASSERT_EQ(0, rawgen_read(check));
	EXPECT_STREQ("", check->wrong ?: "");
	EXPECT_EQ(frames, sum_frames(flow));
	EXPECT_EQ(rawgen_sum_written(check),
		  rawgen_sum(check, samples) + rawgen_sum_missed(check));
}

struct seer {
	struct flow *flow;
	struct rawgen_source *source;
};

/* The sample has a reference to any ring, or the payload. */
static void see_any(void *ctx, const struct raw_sample *sample)
{
	struct seer *seer = ctx;
	struct flow *flow = seer->flow;
	const char *what;

	if (sample->raw_size == sizeof(struct perfaux_reference)) {
		flow->references++;
		return;
	}
	what = rawgen_check_payload(seer->source, sample->raw, sample->raw_size,
				    sample->cpu);
	if (what && !flow->check.wrong)
		flow->check.wrong = what;
	flow->payloads++;
}

static int read_any(struct flow *flow)
{
	int i, ret = 0;

	for (i = 0; !ret && i < flow->nr; i++) {
		struct seer seer = { flow, &flow->check.source[i] };

		ret = raw_read(&seer.source->ev, see_any, &seer);
	}
	return ret;
}

/* Close the ring and remove the module while samples continue. */
TEST_F_TIMEOUT(flow, in_and_out, SECONDS)
{
	struct flow *flow = &self->flow;
	struct rawgen_check *check = &flow->check;
	struct rnd rnd = { rnd_seed() };
	uint64_t before;
	int i;

	for (i = 0; i < 10; i++) {
		before = flow->references;
		ASSERT_EQ(0, flow_ring(flow));
		ASSERT_EQ(0, flow_attach(flow));
		while (flow->references == before && !check->wrong) {
			ASSERT_EQ(0, flow_on(flow, 1 + rnd_below(&rnd, 16)));
			ASSERT_EQ(0, read_any(flow));
		}
		ring_close(&flow->ring);
		ASSERT_EQ(0, module_remove_wait("perfaux"));
		/* Read the samples from before; later ones have no references. */
		ASSERT_EQ(0, read_any(flow));
		before = flow->references;
		ASSERT_EQ(0, flow_on(flow, SAMPLES));
		ASSERT_EQ(0, read_any(flow));
		EXPECT_EQ(before, flow->references);
		ASSERT_EQ(0, module_insert("perfaux", ""));
	}
	stop(flow, _metadata);
	ASSERT_EQ(0, read_any(flow));
	EXPECT_STREQ("", check->wrong ?: "");
	EXPECT_EQ(rawgen_sum_written(check), flow->references + flow->payloads +
					     rawgen_sum_missed(check));
}

/* --- how long the hooks stay ----------------------------------------------- */

/* pa_raw_unhook_later(): time after the last event has gone */
#define UNHOOK_NS	2000000000ULL

static bool hooked(void)
{
	FILE *f = fopen("/sys/kernel/tracing/enabled_functions", "re");
	bool found = false;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		found |= !strncmp(line, "perf_event_output_forward ", 26);
	if (f)
		fclose(f);
	return found;
}

/* Make samples on all CPUs. *@more: how many of them led to the ring */
static int more_references(struct flow *flow, uint64_t *more)
{
	const uint64_t before = flow->references;
	int ret = flow_on(flow, SAMPLES) ?: read_any(flow);

	*more = flow->references - before;
	return ret;
}

/*
 * The hooks stay for a while after the last event. A user who attaches again in
 * that time finds the hooks and keeps them. Then the hooks are removed, and come
 * again with the next event. Samples continue meanwhile.
 */
TEST_F_TIMEOUT(flow, unhook, SECONDS)
{
	struct flow *flow = &self->flow;
	struct raw_event *ev = &flow->check.source[0].ev;
	uint64_t detached, attached, more;

	EXPECT_FALSE(hooked());
	ASSERT_EQ(0, flow_ring(flow));
	ASSERT_EQ(0, raw_attach(&flow->ring, ev->fd, 1));
	EXPECT_TRUE(hooked());
	detached = now_ns();
	ASSERT_EQ(0, ring_detach(&flow->ring, ev->fd));
	/* A slow machine may have taken too long for this. */
	if (hooked())
		TH_LOG("hooked after the last has gone");
	else
		EXPECT_LT(detached + UNHOOK_NS, now_ns());
	ASSERT_EQ(0, raw_attach(&flow->ring, ev->fd, 1));
	EXPECT_TRUE(hooked());
	attached = now_ns();
	/* The work that should unhook finds that an event is attached again. */
	do {
		ASSERT_EQ(0, ring_flush(&flow->ring, 0));
		raw_read_ready(&flow->ring, NULL, NULL);
		ASSERT_EQ(0, more_references(flow, &more));
		EXPECT_LT(0, more);
	} while (now_ns() < attached + 2 * UNHOOK_NS);
	EXPECT_TRUE(hooked());

	detached = now_ns();
	ASSERT_EQ(0, ring_detach(&flow->ring, ev->fd));
	ASSERT_EQ(0, read_any(flow));
	while (hooked() && now_ns() < detached + 10 * UNHOOK_NS) {
		ASSERT_EQ(0, more_references(flow, &more));
		EXPECT_EQ(0, more);
	}
	EXPECT_FALSE(hooked());
	EXPECT_LE(detached + UNHOOK_NS * 9 / 10, now_ns());
	ASSERT_EQ(0, raw_attach(&flow->ring, ev->fd, 1));
	EXPECT_TRUE(hooked());
	ASSERT_EQ(0, more_references(flow, &more));
	EXPECT_LT(0, more);
	stop(flow, _metadata);
	ASSERT_EQ(0, read_any(flow));
	EXPECT_STREQ("", flow->check.wrong ?: "");
}

/* --- events that are not attached ------------------------------------------ */

#define HITS		1000
#define PLAIN_SIZE	MIB

/*
 * All parts of a sample that are the same each time. Not the caller's registers,
 * and not the address on the stack to which prctl() returns.
 */
#define PLAIN_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | \
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | \
			 PERF_SAMPLE_STACK_USER)

#define PLAIN_REGS	(1U << PERF_REG_X86_AX | 1U << PERF_REG_X86_SI | \
			 1U << PERF_REG_X86_DI | 1U << PERF_REG_X86_SP | \
			 1U << PERF_REG_X86_IP)

struct plain {
	int fd;
	uint8_t *map;
	uint8_t *bytes;		/* bytes of all records, and their number */
	uint64_t size;
};

static struct perf_event_attr plain_attr(void)
{
	struct perf_event_attr attr = raw_rename_attr();

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.sample_type = PLAIN_TYPE;
	attr.exclude_callchain_user = 1;
	attr.sample_regs_user = PLAIN_REGS;
	attr.sample_stack_user = sizeof(uint64_t);
	return attr;
}

/* FNV-1a */
static uint64_t checksum(const struct plain *plain)
{
	uint64_t hash = 0xcbf29ce484222325, i;

	for (i = 0; i < plain->size; i++)
		hash = (hash ^ plain->bytes[i]) * 0x100000001b3;
	return hash;
}

/* Return the first offset where @a and @b differ, or -1. */
static long difference(const struct plain *a, const struct plain *b)
{
	uint64_t at;

	for (at = 0; at < a->size && at < b->size; at++)
		if (a->bytes[at] != b->bytes[at])
			return at;
	return a->size == b->size ? -1 : (long)at;
}

static int plain_open(struct plain *plain)
{
	struct perf_event_attr attr = plain_attr();

	plain->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (plain->fd < 0)
		return -errno;
	plain->map = mmap(NULL, PAGE + PLAIN_SIZE, PROT_READ | PROT_WRITE,
			  MAP_SHARED, plain->fd, 0);
	return plain->map == MAP_FAILED ? -errno : 0;
}

/*
 * All names have the same length: after a shorter name, strscpy() leaves the rest
 * of a longer one in perf's buffer of this CPU (perf_trace_buf).
 */
static void plain_hit(int n)
{
	char name[16];

	snprintf(name, sizeof(name), "plain-%04d", n);
	prctl(PR_SET_NAME, name);
}

/*
 * Set common_flags of each tracepoint's entry to 0. The flag for a pending
 * reschedule depends on chance (tracing_gen_ctx_irq_test()).
 */
static void forget_flags(struct plain *plain)
{
	struct perf_event_header *rec;
	uint64_t at, nr;
	uint8_t *raw;

	for (at = 0; at < plain->size; at += rec->size) {
		rec = (void *)(plain->bytes + at);
		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		raw = (uint8_t *)(rec + 1) + 4 * sizeof(uint64_t);
		memcpy(&nr, raw, sizeof(nr));
		raw += (1 + nr) * sizeof(uint64_t) + sizeof(uint32_t);
		raw[sizeof(uint16_t)] = 0;
	}
}

static void plain_close(struct plain *plain)
{
	struct perf_event_mmap_page *page = (void *)plain->map;

	plain->size = page->data_head;
	plain->bytes = malloc(plain->size);
	if (plain->bytes) {
		memcpy(plain->bytes, plain->map + PAGE, plain->size);
		forget_flags(plain);
	}
	munmap(plain->map, PAGE + PLAIN_SIZE);
	close(plain->fd);
}

/*
 * An event that is not attached writes the same bytes (see above) as without the
 * module: while the module is inserted, while samples of the same tracepoint and
 * task go to a ring, and after the module is removed.
 */
TEST_F_TIMEOUT(flow, not_attached, SECONDS)
{
	struct perf_event_attr attr = plain_attr();
	struct flow *flow = &self->flow;
	struct plain plain[4] = {};
	struct raw_event ev;
	int i, n;

	stop(flow, _metadata);
	ASSERT_EQ(0, pin_to(flow->cpus[0]));
	for (i = 0; i < 4; i++) {
		if (i % 3 == 0)
			ASSERT_EQ(0, module_remove_wait("perfaux"));
		if (i == 1)
			ASSERT_EQ(0, module_insert("perfaux", ""));
		if (i == 2) {
			ASSERT_EQ(0, flow_ring(flow));
			ASSERT_EQ(0, raw_open(&ev, &attr, 0, -1, PLAIN_SIZE));
			ASSERT_EQ(0, raw_attach(&flow->ring, ev.fd, 1));
			ASSERT_EQ(0, event_enable(ev.fd));
		}
		ASSERT_EQ(0, plain_open(&plain[i]));
		plain_hit(HITS);
		ASSERT_EQ(0, event_enable(plain[i].fd));
		for (n = 0; n < HITS; n++)
			plain_hit(n);
		ASSERT_EQ(0, event_disable(plain[i].fd));
		plain_close(&plain[i]);
		ASSERT_NE(NULL, plain[i].bytes);
		if (i == 2) {
			raw_close(&ev);
			ASSERT_EQ(0, ring_flush(&flow->ring, 0));
			EXPECT_EQ(HITS + 1, flow->ring.ctl->frames);
			ring_close(&flow->ring);
		}
		TH_LOG("%llu bytes, %016llx",
		       (unsigned long long)plain[i].size,
		       (unsigned long long)checksum(&plain[i]));
		EXPECT_LT(HITS * 200, plain[i].size);
		EXPECT_EQ(-1, difference(&plain[0], &plain[i]));
	}
	for (i = 0; i < 4; i++)
		free(plain[i].bytes);
}

TEST_HARNESS_MAIN
