// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the kernel's own AUX area while perfaux is loaded: it must be the same,
 * byte for byte, as without perfaux.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "kselftest_harness.h"
#include "lib/kernel_ring.h"

#define AUX_SIZE	(4UL << 20)
#define PAGE		4096
#define SAMPLE_PAGES	1024
#define MAX_CPUS	64

FIXTURE(kernel_aux) {
	struct check check;
	int cpu;
};

FIXTURE_SETUP(kernel_aux)
{
	int cpus[CHECK_CPUS];

	self->cpu = cpus[online_cpus(cpus, CHECK_CPUS) - 1];
	/* perfaux may be missing after a test that failed. */
	module_insert("perfaux", "");
}

FIXTURE_TEARDOWN(kernel_aux)
{
	module_insert("perfaux", "");
}

static const struct work work = {
	.forks = 2, .threads = 2, .rounds = 30, .spin = 20000,
};

static void pinned_fn(void *arg)
{
	pin_to(*(int *)arg);
	work_run(&work);
}

static int open_stream(int stream, pid_t pid, int cpu)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | (uint64_t)stream << 24 | 8, 200,
	};

	return auxgen_open(&config, pid, cpu, 0);
}

/* Do some work on the CPU of the events while they are enabled. */
static int work_once(int cpu)
{
	struct child child;

	if (child_start(&child, pinned_fn, &cpu))
		return -1;
	child_go(&child);
	return child_wait(&child);
}

/* Run an event of a CPU with the kernel's AUX area, and no other event. */
static const char *kernel_alone(struct check *check, int cpu)
{
	struct kernel_ring kernel;
	int ev = open_stream(1, -1, cpu), i;

	if (ev < 0 || kernel_ring_map(&kernel, ev, AUX_SIZE))
		return "cannot open or map the event";
	check_start(check, NULL);
	event_enable(ev);
	for (i = 0; i < 5; i++) {
		if (work_once(cpu))
			return "cannot fork";
		kernel_ring_read(&kernel, check);
	}
	event_disable(ev);
	kernel_ring_read(&kernel, check);
	check_end(check);
	if (kernel.bytes != kernel.record_bytes)
		check_fail(check, "%lu bytes, but records of %lu", kernel.bytes,
			   kernel.record_bytes);
	if (kernel.truncated || !check->timers)
		check_fail(check, "%lu times truncated, %lu chunks by timer",
			   kernel.truncated, check->timers);
	kernel_ring_unmap(&kernel);
	close(ev);
	return check->error;
}

TEST_F_TIMEOUT(kernel_aux, alone, SECONDS)
{
	EXPECT_STREQ("", kernel_alone(&self->check, self->cpu));
}

TEST_F_TIMEOUT(kernel_aux, alone_without_perfaux, SECONDS)
{
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	EXPECT_STREQ("", kernel_alone(&self->check, self->cpu));
	ASSERT_EQ(0, module_insert("perfaux", ""));
	EXPECT_STREQ("", kernel_alone(&self->check, self->cpu));
}

/* perfaux is inserted and removed while the event writes. */
TEST_F_TIMEOUT(kernel_aux, perfaux_comes_and_goes, SECONDS)
{
	struct kernel_ring kernel;
	int ev = open_stream(1, -1, self->cpu), i;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, kernel_ring_map(&kernel, ev, AUX_SIZE));
	check_start(&self->check, NULL);
	event_enable(ev);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, module_remove_wait("perfaux"));
		kernel_ring_read(&kernel, &self->check);
		ASSERT_EQ(0, module_insert("perfaux", ""));
		kernel_ring_read(&kernel, &self->check);
	}
	event_disable(ev);
	kernel_ring_read(&kernel, &self->check);
	check_end(&self->check);
	EXPECT_STREQ("", self->check.error);
	EXPECT_EQ(kernel.bytes, kernel.record_bytes);
	EXPECT_LT(0, self->check.timers);
	kernel_ring_unmap(&kernel);
	close(ev);
}

static void ring_or_fail(struct __test_metadata *_metadata, struct ring *ring)
{
	struct perfaux_create create;

	ring_params(&create, 65536, 32);
	ASSERT_EQ(0, ring_open(ring, &create));
}

/* Two events that run at the same time: one has a ring, the other the kernel's area */
struct beside {
	struct check *check;		/* check of the ring */
	struct check other;		/* check of the kernel's area */
	struct kernel_ring kernel;
	struct ring ring;
	int a, b;
};

/* Take over the events @a, for the ring, and @b, and start them. */
static void beside_start(struct __test_metadata *_metadata, struct beside *two,
			 struct check *check, int a, int b)
{
	two->check = check;
	two->a = a;
	two->b = b;
	ring_or_fail(_metadata, &two->ring);
	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	ASSERT_EQ(0, ring_attach(&two->ring, a, COOKIE(1)));
	ASSERT_EQ(0, kernel_ring_map(&two->kernel, b, AUX_SIZE));
	check_start(check, &two->ring);
	check_start(&two->other, NULL);
	check->elsewhere = 1 << 2;
	two->other.elsewhere = 1 << 1;
	event_enable(a);
	event_enable(b);
}

static void beside_read(struct beside *two)
{
	ring_read(&two->ring, check_record, two->check);
	kernel_ring_read(&two->kernel, &two->other);
}

/* End the events. Each has all data that it wrote, and none of the other's. */
static void beside_end(struct __test_metadata *_metadata, struct beside *two)
{
	event_disable(two->a);
	event_disable(two->b);
	ring_flush(&two->ring, 0);
	beside_read(two);
	check_end(two->check);
	check_end(&two->other);
	EXPECT_STREQ("", two->check->error);
	EXPECT_STREQ("", two->other.error);
	EXPECT_EQ(two->kernel.bytes, two->kernel.record_bytes);
	kernel_ring_unmap(&two->kernel);
	ring_close(&two->ring);
	close(two->a);
	close(two->b);
}

TEST_F_TIMEOUT(kernel_aux, beside_a_ring, SECONDS)
{
	static struct beside two;
	int i;

	beside_start(_metadata, &two, &self->check,
		     open_stream(1, -1, self->cpu),
		     open_stream(2, -1, self->cpu));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, work_once(self->cpu));
		beside_read(&two);
		ring_poll(&two.ring, 0);
	}
	beside_end(_metadata, &two);
	EXPECT_LT(0, two.other.timers);
	EXPECT_LT(0, self->check.timers);
}

/* The same for two events of one task. */
TEST_F_TIMEOUT(kernel_aux, beside_a_ring_task, SECONDS)
{
	static struct beside two;
	struct child child;

	ASSERT_EQ(0, child_start(&child, pinned_fn, &self->cpu));
	beside_start(_metadata, &two, &self->check,
		     open_stream(1, child.pid, -1),
		     open_stream(2, child.pid, self->cpu));
	child_go(&child);
	ASSERT_EQ(0, child_wait(&child));
	beside_end(_metadata, &two);
	EXPECT_LT(0, two.other.chunks);
	EXPECT_LT(0, self->check.chunks);
}

/*
 * Two events share one area. If a driver let both write to it at the same time,
 * perf_aux_output_begin() would warn. Data that the second event cannot write is
 * lost, and the loss is reported.
 */
struct shared {
	struct check *check;
	struct kernel_ring kernel;
	int first;
	int second;
};

static void shared_start(struct __test_metadata *_metadata, struct shared *shared)
{
	ASSERT_LE(0, shared->first);
	ASSERT_LE(0, shared->second);
	ASSERT_EQ(0, kernel_ring_map(&shared->kernel, shared->first, AUX_SIZE));
	ASSERT_EQ(0, ioctl(shared->second, PERF_EVENT_IOC_SET_OUTPUT, shared->first));
	check_start(shared->check, NULL);
	ASSERT_EQ(0, event_enable(shared->first));
	ASSERT_EQ(0, event_enable(shared->second));
}

static void shared_end(struct __test_metadata *_metadata, struct shared *shared)
{
	uint64_t lost = 0;
	int cpu;

	ASSERT_EQ(0, event_disable(shared->second));
	kernel_ring_read(&shared->kernel, shared->check);
	check_end(shared->check);
	EXPECT_STREQ("", shared->check->error);
	EXPECT_LT(0, shared->kernel.bytes);
	EXPECT_EQ(shared->kernel.bytes, shared->kernel.record_bytes);
	for (cpu = 0; cpu < CHECK_CPUS; cpu++)
		lost += shared->check->stream[cpu][1].holes;
	EXPECT_LT(0, lost);
	kernel_ring_unmap(&shared->kernel);
	close(shared->first);
	close(shared->second);
}

TEST_F_TIMEOUT(kernel_aux, two_of_one_area, SECONDS)
{
	struct shared shared = { .check = &self->check };
	uint64_t bytes;

	shared.first = open_stream(1, -1, self->cpu);
	shared.second = open_stream(1, -1, self->cpu);
	shared_start(_metadata, &shared);
	ASSERT_EQ(0, work_once(self->cpu));
	ASSERT_EQ(0, event_disable(shared.first));
	bytes = kernel_ring_head(&shared.kernel);
	EXPECT_LT(0, bytes);
	/* Now the second event can write. */
	ASSERT_EQ(0, event_disable(shared.second));
	ASSERT_EQ(0, event_enable(shared.second));
	ASSERT_EQ(0, work_once(self->cpu));
	ASSERT_EQ(0, event_disable(shared.second));
	EXPECT_LT(bytes, kernel_ring_head(&shared.kernel));
	shared_end(_metadata, &shared);
}

/* The event is inherited, and its children run on all CPUs. */
TEST_F_TIMEOUT(kernel_aux, inherited_to_one_area, SECONDS)
{
	const struct auxgen_config config = { AUXGEN_F_CTX | AUXGEN_F_TIMER | 1 << 24 | 8, 200 };
	struct shared shared = { .check = &self->check };
	struct child child;

	ASSERT_EQ(0, child_start(&child, work_fn, (void *)&work));
	shared.first = open_stream(1, child.pid, -1);
	shared.second = auxgen_open(&config, child.pid, -1, EV_INHERIT);
	shared_start(_metadata, &shared);
	child_go(&child);
	ASSERT_EQ(0, child_wait(&child));
	ASSERT_EQ(0, event_disable(shared.first));
	shared_end(_metadata, &shared);
}

/* One event that writes to a ring while it is attached, otherwise to the kernel's area */
struct both {
	struct check *check;
	struct kernel_ring kernel;
	struct ring ring;
	int ev;
};

static void both_start(struct __test_metadata *_metadata, struct both *both,
		       struct check *check, int cpu)
{
	both->check = check;
	ring_or_fail(_metadata, &both->ring);
	both->ev = open_stream(1, -1, cpu);
	ASSERT_LE(0, both->ev);
	ASSERT_EQ(0, kernel_ring_map(&both->kernel, both->ev, AUX_SIZE));
	check_start(check, NULL);
	event_enable(both->ev);
}

/* The ring and the area together have all data. */
static void both_end(struct __test_metadata *_metadata, struct both *both)
{
	struct check *check = both->check;

	ASSERT_EQ(0, event_disable(both->ev));
	kernel_ring_read(&both->kernel, check);
	ring_flush(&both->ring, 0);
	ring_read(&both->ring, check_record, check);
	check_end(check);
	EXPECT_STREQ("", check->error);
	EXPECT_EQ(both->kernel.bytes, both->kernel.record_bytes);
	EXPECT_EQ(both->ring.ctl->bytes, check->bytes);
	EXPECT_LT(0, both->kernel.bytes);
	EXPECT_LT(0, check->bytes);
	kernel_ring_unmap(&both->kernel);
	ring_close(&both->ring);
	close(both->ev);
}

TEST_F_TIMEOUT(kernel_aux, same_event, SECONDS)
{
	struct check *check = &self->check;
	struct both both;
	uint64_t chunks;
	int i;

	both_start(_metadata, &both, check, self->cpu);
	for (i = 0; i < 4; i++) {
		chunks = check->chunks;
		ASSERT_EQ(0, work_once(self->cpu));
		ASSERT_EQ(0, event_disable(both.ev));
		kernel_ring_read(&both.kernel, check);
		EXPECT_LT(chunks, check->chunks);

		chunks = check->chunks;
		ASSERT_EQ(0, ring_attach(&both.ring, both.ev, COOKIE(1)));
		ASSERT_EQ(0, event_enable(both.ev));
		ASSERT_EQ(0, work_once(self->cpu));
		EXPECT_EQ(kernel_ring_head(&both.kernel), both.kernel.bytes);
		/*
		 * Detach also while the event runs. If it needs new room before
		 * DETACH has stopped it, it finds the room in the kernel's area.
		 */
		if (i % 2) {
			ASSERT_EQ(0, event_disable(both.ev));
			EXPECT_EQ(kernel_ring_head(&both.kernel),
				  both.kernel.bytes);
		}
		ASSERT_EQ(0, ring_detach(&both.ring, both.ev));
		ASSERT_EQ(0, event_disable(both.ev));
		/* If a slow machine has filled the ring, FLUSH also ends a gap. */
		ASSERT_EQ(0, ring_flush(&both.ring, 0));
		ring_read(&both.ring, check_record, check);
		kernel_ring_read(&both.kernel, check);
		EXPECT_LT(chunks, check->chunks);
		ASSERT_EQ(0, event_enable(both.ev));
	}
	both_end(_metadata, &both);
}

/* Attach the event while a span of the kernel's area is open, and detach it again. */
TEST_F_TIMEOUT(kernel_aux, attach_in_a_span, SECONDS)
{
	struct both both;
	int i;

	both_start(_metadata, &both, &self->check, self->cpu);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ring_attach(&both.ring, both.ev, COOKIE(1)));
		/*
		 * FLUSH ends the span in the kernel's area; the next span is in the
		 * ring.
		 */
		ASSERT_EQ(0, ring_flush(&both.ring, PERFAUX_FLUSH_SPANS));
		kernel_ring_read(&both.kernel, &self->check);
		spin(20000);
		ASSERT_EQ(0, ring_detach(&both.ring, both.ev));
		ring_flush(&both.ring, 0);
		ring_read(&both.ring, check_record, &self->check);
		ASSERT_EQ(0, event_disable(both.ev));
		ASSERT_EQ(0, event_enable(both.ev));
		spin(20000);
	}
	both_end(_metadata, &both);
}

/* The event is attached first and gets the kernel's area afterwards. */
TEST_F_TIMEOUT(kernel_aux, after_detach, SECONDS)
{
	struct kernel_ring kernel;
	struct check *check = &self->check;
	uint64_t chunks;
	struct ring ring;
	int ev;

	ring_or_fail(_metadata, &ring);
	ev = open_stream(1, -1, self->cpu);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&ring, ev, COOKIE(1)));
	check_start(check, NULL);
	event_enable(ev);
	ASSERT_EQ(0, work_once(self->cpu));
	event_disable(ev);
	ring_flush(&ring, 0);
	ring_read(&ring, check_record, check);
	chunks = check->chunks;
	EXPECT_LT(0, chunks);
	ring_close(&ring);

	ASSERT_EQ(0, kernel_ring_map(&kernel, ev, AUX_SIZE));
	event_enable(ev);
	ASSERT_EQ(0, work_once(self->cpu));
	event_disable(ev);
	kernel_ring_read(&kernel, check);
	EXPECT_LT(chunks, check->chunks);
	check_end(check);
	EXPECT_STREQ("", check->error);
	kernel_ring_unmap(&kernel);
	close(ev);
}

/*
 * Open a CPU clock in @leader's group that takes the last data of @leader into its
 * samples.
 */
static int open_sampler(int leader, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_AUX,
		.aux_sample_size = 1024,
		/* The same clock as the leader's, or they cannot be a group. */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, leader, 0);
}

static uint64_t samples_head(const void *page)
{
	const struct perf_event_mmap_page *p = page;

	return __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE);
}

/* Return whether the samples from @from on contain any of auxgen's data. */
static bool samples_have_data(const void *page, uint64_t from)
{
	static const uint32_t magic = AUXGEN_MAGIC;

	return memmem(page + PAGE + from, samples_head(page) - from, &magic,
		      sizeof(magic));
}

#define OTHERS	2	/* the stream of events that do not belong to the check */

/*
 * AUX samples of an event that has both the kernel's area and a ring. While
 * somebody samples from the event, it stays with the area.
 */
static void samples(struct __test_metadata *_metadata, struct check *check, int cpu,
		    const struct auxgen_config *config, unsigned int flags, bool running)
{
	struct kernel_ring kernel;
	struct ring ring;
	int ev, sampler;
	uint64_t head;
	void *page;

	ring_or_fail(_metadata, &ring);
	ev = auxgen_open(config, -1, cpu, flags);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, kernel_ring_map(&kernel, ev, AUX_SIZE));
	sampler = open_sampler(ev, cpu);
	ASSERT_LE(0, sampler);
	page = mmap(NULL, (SAMPLE_PAGES + 1) * PAGE,
		    PROT_READ | PROT_WRITE, MAP_SHARED, sampler, 0);
	ASSERT_NE(MAP_FAILED, page);
	check_start(check, NULL);
	check->elsewhere = 1 << OTHERS;
	event_enable(ev);
	ASSERT_EQ(0, work_once(cpu));
	event_disable(ev);
	EXPECT_TRUE(samples_have_data(page, 0));

	if (running)
		event_enable(ev);
	ASSERT_EQ(0, ring_attach(&ring, ev, COOKIE(1)));
	head = samples_head(page);
	if (!running)
		event_enable(ev);
	ASSERT_EQ(0, work_once(cpu));
	event_disable(ev);
	EXPECT_LT(head, samples_head(page));
	/* The ring has not wrapped yet, so unwritten memory is zero. */
	EXPECT_GT(SAMPLE_PAGES * PAGE, samples_head(page));
	EXPECT_TRUE(samples_have_data(page, head));
	EXPECT_EQ(0, ring.ctl->spans);

	munmap(page, (SAMPLE_PAGES + 1) * PAGE);
	close(sampler);
	event_enable(ev);
	ASSERT_EQ(0, work_once(cpu));
	event_disable(ev);
	EXPECT_LT(0, ring.ctl->spans);
	kernel_ring_read(&kernel, check);
	ring_flush(&ring, 0);
	ring_read(&ring, check_record, check);
	check_end(check);
	EXPECT_STREQ("", check->error);
	TH_LOG("%lu chunks from NMIs, %lu spans", check->nmis, (unsigned long)ring.ctl->spans);
	kernel_ring_unmap(&kernel);
	ring_close(&ring);
	close(ev);
}

TEST_F_TIMEOUT(kernel_aux, samples, SECONDS)
{
	const struct auxgen_config config = {
		.config = AUXGEN_F_CTX | AUXGEN_F_TIMER | 1 << 24 | 8,
		.period = 200,
	};

	samples(_metadata, &self->check, self->cpu, &config, 0, false);
}

/*
 * The same if the driver begins anew in an NMI, as Intel PT's does: here at each watermark.
 * @running: the event is attached while it runs, so the first begin after that is in an NMI.
 */
static void samples_nmi(struct __test_metadata *_metadata, struct check *check, int cpu,
			bool running)
{
	const struct auxgen_config config = {
		.config = AUXGEN_F_CTX | AUXGEN_F_NMI | AUXGEN_F_MARKER | 1 << 24 | 8,
		.period = 200,
	};
	struct auxgen_config others = config;
	int cpus[MAX_CPUS], ev[MAX_CPUS], nr, i;
	struct ring beside;

	/*
	 * The timer of an event that has output sends NMIs to the next CPU. So open such an
	 * event on each CPU.
	 */
	ring_or_fail(_metadata, &beside);
	others.config += 1 << 24;	/* OTHERS */
	nr = online_cpus(cpus, MAX_CPUS);
	ASSERT_LE(2, nr);
	for (i = 0; i < nr; i++) {
		ev[i] = auxgen_open(&others, -1, cpus[i], EV_WATERMARK(4));
		ASSERT_LE(0, ev[i]);
		ASSERT_EQ(0, ring_attach(&beside, ev[i], COOKIE(i)));
		ASSERT_EQ(0, event_enable(ev[i]));
	}
	samples(_metadata, check, cpu, &config, EV_WATERMARK(4), running);
	while (i)
		close(ev[--i]);
	ring_close(&beside);
}

TEST_F_TIMEOUT(kernel_aux, samples_nmi, SECONDS)
{
	samples_nmi(_metadata, &self->check, self->cpu, false);
}

TEST_F_TIMEOUT(kernel_aux, samples_nmi_running, SECONDS)
{
	samples_nmi(_metadata, &self->check, self->cpu, true);
}

TEST_HARNESS_MAIN
