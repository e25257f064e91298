// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of events that found no segment when they should start: when they do start,
 * and that gaps cover the time in between. They are events of a CPU, which nothing
 * else stops and starts.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

/*
 * How long a test leaves an event without a segment, and how much time may be
 * uncovered
 */
#define HUNGRY		400000000ULL
#define TOLERANCE	150000000ULL

FIXTURE(starved) {
	struct ring ring;
	struct check *check;
	int ev;
	int filler;		/* an event that uses the pool up */
	int cpu;
};

FIXTURE_VARIANT(starved) {
	uint64_t config;
};

/*
 * The events write only when they are started and stopped, so only the ring makes
 * them look for a segment again.
 */
FIXTURE_VARIANT_ADD(starved, plain) {
	.config = AUXGEN_F_CTX,
};

FIXTURE_VARIANT_ADD(starved, pt) {
	.config = AUXGEN_F_CTX | AUXGEN_F_PT,
};

FIXTURE_SETUP(starved)
{
	struct auxgen_config config = { variant->config | 3 << 24 | 4, 0 };
	struct perfaux_create create;
	int cpus[CHECK_CPUS];

	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	ring_params(&create, 4096, 2);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->cpu = cpus[online_cpus(cpus, CHECK_CPUS) - 1];
	self->ev = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, self->ev);
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(3)));
	config.config = AUXGEN_F_CTX | AUXGEN_F_FILL | 5 << 24;
	self->filler = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->filler);
	ASSERT_EQ(0, ring_attach(&self->ring, self->filler, COOKIE(5)));
	check_start(self->check, &self->ring);
}

FIXTURE_TEARDOWN(starved)
{
	close(self->filler);
	close(self->ev);
	ring_close(&self->ring);
	free(self->check);
}

static uint32_t counter_flags(const struct ring *ring)
{
	return __atomic_load_n(&ring->ctl->flags, __ATOMIC_ACQUIRE);
}

/*
 * An event that finds no segment queues an irq_work on its CPU, which looks for a
 * segment once more. Run a task there, so that the irq_work is over before the test
 * releases segments.
 */
static void settle(int cpu)
{
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	pin_to(cpu);
	sched_setaffinity(0, sizeof(before), &before);
}

/* Use up all segments. */
static bool use_up(struct ring *ring, int filler)
{
	uint64_t end = now_ns() + 20000000000ULL;

	while (ring_fdinfo(ring->fd, "ready") < ring->ctl->nr_segments) {
		if (now_ns() > end)
			return false;
		event_enable(filler);
		event_disable(filler);
	}
	return true;
}

/* Enable the event without a free segment: it cannot start. */
static bool starve(struct ring *ring, int filler, int ev, int cpu)
{
	uint64_t full;

	if (!use_up(ring, filler))
		return false;
	full = ring_lost(ring, PERFAUX_CAUSE_FULL);
	event_enable(ev);
	settle(cpu);
	return ring_lost(ring, PERFAUX_CAUSE_FULL) > full &&
	       counter_flags(ring) == PERFAUX_CTL_STARVED;
}

/* Wait until @value exceeds @was. */
static bool wait_more(const __u64 *value, uint64_t was)
{
	uint64_t end = now_ns() + 20000000000ULL;

	while (counter(value) <= was)
		if (now_ns() > end)
			return false;
	return true;
}

static void pass_time(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void finish(struct ring *ring, struct check *check, int ev)
{
	event_disable(ev);
	ring_flush(ring, 0);
	ring_read(ring, check_record, check);
	check_end(check);
}

TEST_F_TIMEOUT(starved, resumes_by_poll, SECONDS)
{
	uint64_t claims;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
		claims = counter(&self->ring.ctl->claims);
		EXPECT_EQ(POLLIN, ring_poll(&self->ring, -1));
		EXPECT_EQ(claims, counter(&self->ring.ctl->claims));
		ring_read(&self->ring, check_record, self->check);
		/*
		 * poll() starts the event again, in a work. The work of the first poll() may come
		 * late enough to find the segments that were released since.
		 */
		ring_poll(&self->ring, 0);
		ASSERT_TRUE(wait_more(&self->ring.ctl->claims, claims));
		ASSERT_EQ(0, event_disable(self->ev));
	}
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LE(10, self->check->gaps);
}

/*
 * The reader sleeps until two segments are READY. One is, and an event writes to the
 * other one. An event that finds no segment wakes the reader, for which one READY
 * segment is enough from then on.
 */
TEST_F_TIMEOUT(starved, wakes_reader, SECONDS)
{
	struct auxgen_config config = { variant->config | 4 << 24 | 1, 0 };
	struct epoll_event wake = { .events = EPOLLIN };
	int cpus[CHECK_CPUS], poller, busy, ev;
	struct perfaux_create create;
	struct ring ring;

	if (online_cpus(cpus, CHECK_CPUS) < 2)
		SKIP(return, "one CPU");
	ring_params(&create, 4096, 2);
	create.watermark = 2;
	ASSERT_EQ(0, ring_open(&ring, &create));
	busy = auxgen_open(&config, -1, cpus[0], EV_PINNED);
	ASSERT_LE(0, busy);
	ASSERT_EQ(0, ring_attach(&ring, busy, COOKIE(4)));
	/* The event writes when it starts and when it stops. Both together fill one segment. */
	config.config = variant->config | 1 << 24 | 30;
	ev = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(busy));
	ASSERT_EQ(0, event_enable(ev));
	ASSERT_EQ(0, event_disable(ev));
	ASSERT_EQ(1, ring_fdinfo(ring.fd, "ready"));
	ASSERT_EQ(0, counter_flags(&ring));
	poller = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_EQ(0, epoll_ctl(poller, EPOLL_CTL_ADD, ring.fd, &wake));
	/* From here on poll() is called again only if somebody wakes the reader. */
	ASSERT_EQ(0, epoll_wait(poller, &wake, 1, 0));

	ASSERT_EQ(0, event_enable(ev));
	EXPECT_EQ(PERFAUX_CTL_STARVED, counter_flags(&ring));
	EXPECT_EQ(1, epoll_wait(poller, &wake, 1, 5000));
	EXPECT_EQ(1, ring_fdinfo(ring.fd, "ready"));
	close(poller);
	close(ev);
	close(busy);
	ring_close(&ring);
}

/*
 * The first event has the CPU's sink, so the second one cannot start at all. With
 * Intel PT's driver it would not be active, but that driver allows only one event.
 */
TEST_F_TIMEOUT(starved, second_of_a_cpu, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24 | 3, 0 };
	uint64_t claims, full;
	int ev, i;

	ev = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
		full = ring_lost(&self->ring, PERFAUX_CAUSE_FULL);
		ASSERT_EQ(0, event_enable(ev));
		settle(self->cpu);
		/* perf may have scheduled the first event out and in for the second. */
		EXPECT_LT(full, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
		claims = counter(&self->ring.ctl->claims);
		ring_read(&self->ring, check_record, self->check);
		EXPECT_EQ(claims, counter(&self->ring.ctl->claims));
		ring_poll(&self->ring, 0);
		/* Each event has a segment. */
		ASSERT_TRUE(wait_more(&self->ring.ctl->claims, claims + 1));
		ASSERT_EQ(0, event_disable(ev));
		ASSERT_EQ(0, event_disable(self->ev));
	}
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
	/* Each time that one event reported bytes, the other one could not. */
	EXPECT_LE(20, self->check->gaps);
	EXPECT_LT(0, self->check->gap_bytes);
	close(ev);
}

TEST_F_TIMEOUT(starved, resumes_by_flush, SECONDS)
{
	uint64_t claims;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
		claims = counter(&self->ring.ctl->claims);
		ring_read(&self->ring, check_record, self->check);
		ASSERT_EQ(0, ring_flush(&self->ring, 0));
		ASSERT_TRUE(wait_more(&self->ring.ctl->claims, claims));
		ASSERT_EQ(0, event_disable(self->ev));
	}
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
}

/* Return whether a segment is being written to on @cpu. */
static bool busy_on(const struct ring *ring, int cpu)
{
	uint32_t i;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		if (PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_BUSY &&
		    ring->segments[i].cpu == (uint32_t)cpu)
			return true;
	return false;
}

static bool wait_busy_on(const struct ring *ring, int cpu)
{
	uint64_t end = now_ns() + 20000000000ULL;

	while (!busy_on(ring, cpu))
		if (now_ns() > end)
			return false;
	return true;
}

/* A segment that another writer leaves is enough, without the help of the reader. */
TEST_F_TIMEOUT(starved, resumes_by_idle_segment, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 4 << 24 | 1, 0 };
	int cpus[CHECK_CPUS], other;
	uint64_t full;

	if (online_cpus(cpus, CHECK_CPUS) < 2)
		SKIP(return, "one CPU");
	other = auxgen_open(&config, -1, cpus[0], EV_PINNED);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, ring_attach(&self->ring, other, COOKIE(4)));
	ASSERT_EQ(0, event_enable(other));
	while (ring_fdinfo(self->ring.fd, "ready") < 1) {
		ASSERT_EQ(0, event_enable(self->filler));
		ASSERT_EQ(0, event_disable(self->filler));
	}
	full = ring_lost(&self->ring, PERFAUX_CAUSE_FULL);
	ASSERT_EQ(0, event_enable(self->ev));
	ASSERT_LT(full, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	ASSERT_FALSE(busy_on(&self->ring, self->cpu));
	ASSERT_EQ(0, event_disable(other));
	ASSERT_TRUE(wait_busy_on(&self->ring, self->cpu));
	EXPECT_EQ(0, event_disable(self->ev));
	close(other);
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
}

/* The same for a task, which may not be running when it is enabled. */
static bool starve_task(struct ring *ring, int filler, int ev)
{
	uint64_t end = now_ns() + 20000000000ULL, full;

	if (!use_up(ring, filler))
		return false;
	full = ring_lost(ring, PERFAUX_CAUSE_FULL);
	event_enable(ev);
	while (ring_lost(ring, PERFAUX_CAUSE_FULL) == full)
		if (now_ns() > end)
			return false;
	return true;
}

static void spin_fn(void *arg)
{
	(void)arg;
	for (;;)
		spin(1000000);
}

/* The same for a task that never sleeps. */
TEST_F_TIMEOUT(starved, spinning_task, SECONDS)
{
	struct auxgen_config config = { variant->config | 1 << 24 | 4, 0 };
	struct child child;
	uint64_t claims;
	int ev, i;

	ASSERT_EQ(0, child_start(&child, spin_fn, NULL));
	ev = auxgen_open(&config, child.pid, -1, EV_INHERIT);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	child_go(&child);
	for (i = 0; i < 10; i++) {
		event_disable(ev);
		ASSERT_TRUE(starve_task(&self->ring, self->filler, ev));
		claims = counter(&self->ring.ctl->claims);
		ring_read(&self->ring, check_record, self->check);
		ring_poll(&self->ring, 0);
		ASSERT_TRUE(wait_more(&self->ring.ctl->claims, claims));
	}
	child_kill(&child);
	close(ev);
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
}

/* STARVED ends when the events have started again. */
TEST_F_TIMEOUT(starved, flag_goes, SECONDS)
{
	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, event_disable(self->ev));
	ring_read(&self->ring, check_record, self->check);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(0, counter_flags(&self->ring));
	ring_read(&self->ring, check_record, self->check);
	EXPECT_EQ(0, ring_poll(&self->ring, 0));
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
}

/* The time of a stream that is in neither its spans nor its gaps */
struct coverage {
	struct check *check;
	uint32_t stream;
	uint64_t covered;	/* covered up to this time */
	uint64_t worst;		/* the longest time that is not covered */
};

static void coverage_add(struct coverage *c, const struct record *record)
{
	uint64_t begin, end, cookie;

	cookie = record->span ? record->span->cookie : record->gap->cookie;
	if (COOKIE_STREAM(cookie) != c->stream)
		return;
	begin = record->span ? record->span->t_begin : record->gap->t_begin;
	end = record->span ? record->span->t_end : record->gap->t_end;
	if (c->covered && begin > c->covered &&
	    begin - c->covered > c->worst)
		c->worst = begin - c->covered;
	if (end > c->covered)
		c->covered = end;
}

static void coverage_record(void *arg, const struct record *record)
{
	struct coverage *c = arg;

	check_record(c->check, record);
	coverage_add(c, record);
}

/* The same for two streams. */
static void coverage_both(void *arg, const struct record *record)
{
	struct coverage *c = arg;

	coverage_record(&c[0], record);
	coverage_add(&c[1], record);
}

/*
 * FLUSH ends a gap, but the event is still without a segment: the time after FLUSH
 * is in a gap, too.
 */
TEST_F_TIMEOUT(starved, time_after_flush, SECONDS)
{
	struct coverage c = { .check = self->check, .stream = 3 };
	uint64_t claims, spans;

	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	pass_time(HUNGRY);
	claims = counter(&self->ring.ctl->claims);
	ring_read(&self->ring, coverage_record, &c);
	ring_poll(&self->ring, 0);
	ASSERT_TRUE(wait_more(&self->ring.ctl->claims, claims));
	spans = counter(&self->ring.ctl->spans);
	while (counter(&self->ring.ctl->spans) == spans) {
		/* The event may have filled the ring and be starved again. */
		ring_read(&self->ring, coverage_record, &c);
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	}
	event_disable(self->ev);
	ring_flush(&self->ring, 0);
	ring_read(&self->ring, coverage_record, &c);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(c.worst, TOLERANCE);
	TH_LOG("at most %lu us in neither span nor gap", c.worst / 1000);
}

/*
 * The first event is disabled. The event that found neither segment nor sink has
 * nothing to write to until the ring is read, and its gap lasts until then.
 */
TEST_F_TIMEOUT(starved, time_of_second, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24 | 3, 0 };
	struct coverage c = { .check = self->check, .stream = 1 };
	uint64_t spans;
	int ev;

	ev = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, event_enable(ev));
	ASSERT_EQ(0, event_disable(self->ev));
	spans = counter(&self->ring.ctl->spans);
	pass_time(HUNGRY);
	EXPECT_EQ(spans, counter(&self->ring.ctl->spans));
	ring_read(&self->ring, coverage_record, &c);
	while (counter(&self->ring.ctl->spans) == spans)
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	event_disable(ev);
	ring_flush(&self->ring, 0);
	ring_read(&self->ring, coverage_record, &c);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, c.covered);
	EXPECT_LT(c.worst, TOLERANCE);
	TH_LOG("at most %lu us in neither span nor gap", c.worst / 1000);
	close(ev);
}

/* Gaps of one stream */
struct gaps {
	struct check *check;
	uint32_t stream;
	struct perfaux_gap last;
	uint64_t n;
	uint64_t tids;		/* how often the thread changed */
};

static void gaps_record(void *arg, const struct record *record)
{
	struct gaps *gaps = arg;

	check_record(gaps->check, record);
	if (!record->gap || COOKIE_STREAM(record->gap->cookie) != gaps->stream)
		return;
	gaps->tids += record->gap->tid != gaps->last.tid;
	gaps->last = *record->gap;
	gaps->n++;
}

/* Losses of one thread on one CPU without a span in between are one gap. */
TEST_F_TIMEOUT(starved, joined, SECONDS)
{
	struct gaps gaps = { .check = self->check, .stream = 3 };
	uint64_t begin = now_ns(), last = 0;
	int i;

	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	for (i = 0; i < 4; i++) {
		last = now_ns();
		ASSERT_EQ(0, event_disable(self->ev));
		ASSERT_EQ(0, event_enable(self->ev));
	}
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ring_read(&self->ring, gaps_record, &gaps);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_EQ(1, gaps.n);
	EXPECT_LE(5, gaps.last.count);
	/* The event writes when it starts and when it stops. */
	EXPECT_EQ(gaps.last.count * 2 * 4 * AUXGEN_CHUNK, gaps.last.bytes);
	EXPECT_LE(begin, gaps.last.t_begin);
	EXPECT_LE(last, gaps.last.t_end);
	EXPECT_LE(gaps.last.t_end, now_ns());
	EXPECT_EQ(self->cpu, gaps.last.cpu);
}

/* The time before and after a call */
struct around {
	uint64_t before;
	uint64_t after;
};

/* Start and stop an event that finds no segment. The begin and the end of its gap are within. */
static void lose(int ev, struct around *begin, struct around *end)
{
	begin->before = now_ns();
	event_enable(ev);
	begin->after = now_ns();
	end->before = now_ns();
	event_disable(ev);
	end->after = now_ns();
}

/*
 * Gaps that find no entry in the gap table share one interval: from the begin of the
 * first one to the end of the last one. Two events lose data by turns, because gaps of
 * the same event would be joined.
 */
TEST_F_TIMEOUT(starved, merged, SECONDS)
{
	struct auxgen_config config = { variant->config | 1 << 24 | 4, 0 };
	const struct perfaux_control *ctl = self->ring.ctl;
	struct around begin = {}, end = {}, ignored;
	uint64_t bytes = 0, count;
	unsigned int i, n;
	int ev[2];

	ev[0] = self->ev;
	ev[1] = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, ev[1]);
	ASSERT_EQ(0, ring_attach(&self->ring, ev[1], COOKIE(1)));
	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, event_disable(self->ev));
	for (i = 1; !ring_lost(&self->ring, PERFAUX_CAUSE_NO_GAP); i++) {
		ASSERT_GE(ctl->nr_gaps, i);
		EXPECT_EQ(0, ctl->merged_begin);
		EXPECT_EQ(0, ctl->merged_end);
		bytes = ctl->lost_bytes[PERFAUX_CAUSE_FULL];
		lose(ev[i % 2], &begin, &end);
	}
	for (n = 0; n < 10; n++) {
		pass_time(1000000);
		lose(ev[(i + n) % 2], &ignored, &end);
	}
	count = ring_lost(&self->ring, PERFAUX_CAUSE_NO_GAP);
	EXPECT_LE(11, count);
	EXPECT_EQ(ctl->nr_gaps + count, ctl->gaps);
	/* An event writes when it starts and when it stops. */
	EXPECT_EQ(count * 2 * 4 * AUXGEN_CHUNK, ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP]);
	EXPECT_EQ(ctl->lost_bytes[PERFAUX_CAUSE_FULL] - bytes,
		  ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP]);
	EXPECT_LE(begin.before, ctl->merged_begin);
	EXPECT_GE(begin.after, ctl->merged_begin);
	EXPECT_LE(end.before, ctl->merged_end);
	EXPECT_GE(end.after, ctl->merged_end);
	close(ev[1]);
	finish(&self->ring, self->check, self->ev);
	EXPECT_STREQ("", self->check->error);
	EXPECT_EQ(ctl->nr_gaps, self->check->gaps);
}

static void two_on_cpu_fn(void *arg)
{
	pin_to(*(int *)arg);
	if (!fork())
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	spin_fn(NULL);
}

/* Losses of two threads are two gaps, even if they have one event. */
TEST_F_TIMEOUT(starved, not_joined, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24 | 4, 0 };
	struct gaps gaps = { .check = self->check, .stream = 1 };
	struct child child;
	uint64_t full;
	int ev;

	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, child_start(&child, two_on_cpu_fn, &self->cpu));
	ev = auxgen_open(&config, child.pid, -1, EV_INHERIT);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(ev));
	full = ring_lost(&self->ring, PERFAUX_CAUSE_FULL);
	child_go(&child);
	/* Wait for 20 losses, so that both threads have had time slices. */
	ASSERT_TRUE(wait_more(&self->ring.ctl->lost_count[PERFAUX_CAUSE_FULL],
			      full + 20));
	ASSERT_EQ(0, event_disable(ev));
	child_kill(&child);
	ASSERT_EQ(0, ring_detach(&self->ring, ev));
	close(ev);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ring_read(&self->ring, gaps_record, &gaps);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LE(3, gaps.tids);
}

/*
 * If one event of a CPU finds a segment, the gaps of other events do not end:
 * neither the gap of the event that writes to the sink, nor that of the event that
 * does not write at all. The event that finds a segment is not pinned, so it leaves
 * the others alone, and its span continues, because the span's end would start the
 * others.
 */
TEST_F_TIMEOUT(starved, time_beside_other_event, SECONDS)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 4 << 24 | 1, 0 };
	struct coverage c[2] = {
		{ .check = self->check, .stream = 3 }, { .stream = 1 },
	};
	uint64_t claims, spans, end;
	int other, second;

	other = auxgen_open(&config, -1, self->cpu, 0);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, ring_attach(&self->ring, other, COOKIE(4)));
	config.config ^= 5 << 24;
	second = auxgen_open(&config, -1, self->cpu, EV_PINNED);
	ASSERT_LE(0, second);
	ASSERT_EQ(0, ring_attach(&self->ring, second, COOKIE(1)));
	ASSERT_TRUE(starve(&self->ring, self->filler, self->ev, self->cpu));
	ASSERT_EQ(0, event_enable(second));
	settle(self->cpu);
	/* Segments are free now, but nothing starts the first events yet. */
	ring_read(&self->ring, coverage_both, c);
	claims = counter(&self->ring.ctl->claims);
	spans = counter(&self->ring.ctl->spans);
	ASSERT_EQ(0, event_enable(other));
	pass_time(HUNGRY);
	end = now_ns();
	EXPECT_EQ(claims + 1, counter(&self->ring.ctl->claims));
	EXPECT_EQ(spans, counter(&self->ring.ctl->spans));
	while (counter(&self->ring.ctl->spans) < spans + 6) {
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
		ring_read(&self->ring, coverage_both, c);
	}
	event_disable(other);
	event_disable(second);
	event_disable(self->ev);
	ring_flush(&self->ring, 0);
	ring_read(&self->ring, coverage_both, c);
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	/* The spans and gaps of both streams go on after the events starved. */
	EXPECT_LT(end, c[0].covered);
	EXPECT_LT(end, c[1].covered);
	EXPECT_LT(c[0].worst, TOLERANCE);
	EXPECT_LT(c[1].worst, TOLERANCE);
	TH_LOG("at most %lu and %lu us in neither span nor gap",
	       c[0].worst / 1000, c[1].worst / 1000);
	close(second);
	close(other);
}

TEST_HARNESS_MAIN
