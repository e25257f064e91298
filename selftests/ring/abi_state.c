// SPDX-License-Identifier: GPL-2.0-only
/* Tests of segments, spans, gaps and marks, as uapi/perfaux.h describes them. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"
#include "lib/pt_lib.h"

FIXTURE(state) {
	struct ring ring;
	struct auxgen_config config;
	int ev;
};

FIXTURE_SETUP(state)
{
	struct perfaux_create create;

	ring_params(&create, 16384, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->config = (struct auxgen_config){ AUXGEN_F_CTX | 1 << 24, 0 };
	self->ev = auxgen_open(&self->config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
}

FIXTURE_TEARDOWN(state)
{
	close(self->ev);
	ring_close(&self->ring);
}

/* The thread that a span and a gap report */
struct who {
	uint32_t pid, tid;
	uint64_t spans, gaps, others;
};

static void who_record(void *ctx, const struct record *record)
{
	uint32_t pid = record->span ? record->span->pid : record->gap->pid;
	uint32_t tid = record->span ? record->span->tid : record->gap->tid;
	struct who *who = ctx;

	who->spans += !!record->span;
	who->gaps += !!record->gap;
	who->others += pid != who->pid || tid != who->tid;
}

/* Write until there is no room. The spans, and the gap after them, must report @who. */
static bool spans_are_of(struct ring *ring, int ev, struct who *who)
{
	who->spans = 0;
	who->gaps = 0;
	who->others = 0;
	if (event_enable(ev))
		return false;
	while (!ring_lost(ring, PERFAUX_CAUSE_FULL))
		ring_flush(ring, PERFAUX_FLUSH_SPANS);
	event_disable(ev);
	ring_flush(ring, 0);
	ring_read_still(ring, who_record, who);
	return who->spans && who->gaps && !who->others;
}

static void *thread_fn(void *arg)
{
	FIXTURE_DATA(state) *self = arg;
	struct who who = { .pid = getpid(), .tid = gettid() };
	int ev = auxgen_open(&self->config, 0, -1, 0);
	bool right = ev >= 0 && who.pid != who.tid &&
		     !ring_attach(&self->ring, ev, COOKIE(1)) &&
		     spans_are_of(&self->ring, ev, &who);

	close(ev);
	return right ? self : NULL;
}

TEST_F_TIMEOUT(state, span_of_thread, SECONDS)
{
	pthread_t thread;
	void *ret;

	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_fn, self));
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_NE(NULL, ret);
}

/* Spans of a CPU's event do not report a thread, like perf's own records. */
TEST_F_TIMEOUT(state, span_of_cpu, SECONDS)
{
	struct who who = { .pid = -1, .tid = -1 };
	int cpus[CHECK_CPUS], ev;

	ASSERT_LT(0, online_cpus(cpus, CHECK_CPUS));
	ev = auxgen_open(&self->config, -1, cpus[0], 0);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	EXPECT_TRUE(spans_are_of(&self->ring, ev, &who));
	close(ev);
}

/*
 * pid and tid are those in the pid namespace of the event's opener, as in perf's
 * records.
 */
TEST_F_TIMEOUT(state, span_of_pid_namespace, SECONDS)
{
	struct who who = { .pid = 1, .tid = 1 };
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		SKIP(return, "no PID namespaces");
	pid = fork();
	if (!pid) {
		int ev = auxgen_open(&self->config, 0, -1, 0);
		struct ring copy;

		if (getpid() != 1 || ev < 0 ||
		    ring_adopt(&copy, self->ring.fd, &self->ring.create) ||
		    ring_attach(&copy, ev, COOKIE(1)))
			_exit(1);
		_exit(spans_are_of(&copy, ev, &who) ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static bool is_open(const struct ring *ring, uint32_t i)
{
	const __u64 *open = (const void *)((const uint8_t *)ring->ctl + ring->ctl->open_offset);

	return counter(&open[i / 64]) >> i % 64 & 1;
}

/* Return entry @n of the order table. */
static uint64_t order_entry(const struct ring *ring, uint64_t n)
{
	const __u64 *order =
		(const void *)((const uint8_t *)ring->ctl + ring->ctl->order_offset);

	return counter(&order[n % ring->ctl->order_size]);
}

/* The bits and the order table lead to the segments that a reader has to look at. */
TEST_F(state, what_is_new)
{
	struct ring *ring = &self->ring;
	uint32_t i = 0;
	uint64_t n;

	ASSERT_EQ(0, ring_attach(ring, self->ev, COOKIE(1)));
	for (n = 1; n <= 3; n++) {
		EXPECT_GT(n, PERFAUX_ORDER_SEQ(order_entry(ring, n)));
		ASSERT_EQ(0, event_enable(self->ev));
		for (i = 0; i < 4 && PERFAUX_STATE(ring_state(ring, i)) != PERFAUX_SEG_BUSY; i++)
			EXPECT_FALSE(is_open(ring, i));
		ASSERT_GT(4, i);
		EXPECT_TRUE(is_open(ring, i));
		ASSERT_EQ(0, event_disable(self->ev));
		EXPECT_EQ(PERFAUX_SEG_IDLE, PERFAUX_STATE(ring_state(ring, i)));
		EXPECT_TRUE(is_open(ring, i));
		ASSERT_EQ(0, ring_flush(ring, 0));
		EXPECT_EQ(PERFAUX_SEG_READY, PERFAUX_STATE(ring_state(ring, i)));
		EXPECT_FALSE(is_open(ring, i));
		EXPECT_EQ(n, PERFAUX_ORDER_SEQ(order_entry(ring, n)));
		EXPECT_EQ(i, PERFAUX_ORDER_SEGMENT(order_entry(ring, n)));
		EXPECT_EQ(n, ring->segments[i].ready_seq);
	}
}

/* A segment reports when its writer took it, and on which CPU. */
TEST_F(state, segment_fields)
{
	const struct perfaux_segment *segment;
	uint64_t before = now_ns(), active;
	int cpus[CHECK_CPUS], nr, ev;
	uint32_t i = 0;

	nr = online_cpus(cpus, CHECK_CPUS);
	ev = auxgen_open(&self->config, -1, cpus[nr - 1], 0);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(ev));
	while (i < 4 && PERFAUX_STATE(ring_state(&self->ring, i)) !=
	       PERFAUX_SEG_BUSY)
		i++;
	ASSERT_GT(4, i);
	segment = &self->ring.segments[i];
	active = counter(&segment->t_active);
	EXPECT_LE(before, active);
	EXPECT_LE(active, now_ns());
	EXPECT_EQ(cpus[nr - 1], segment->cpu);
	EXPECT_EQ(0, segment->nr_spans);

	/* The span ends, and the next one is in the same segment. */
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	EXPECT_EQ(PERFAUX_SEG_BUSY, PERFAUX_STATE(segment->state));
	EXPECT_LT(active, counter(&segment->t_active));
	EXPECT_EQ(1, segment->nr_spans);
	EXPECT_EQ(2 * 16 * AUXGEN_CHUNK, segment->used);
	EXPECT_EQ(segment->used, segment->bytes);

	ASSERT_EQ(0, event_disable(ev));
	EXPECT_EQ(PERFAUX_SEG_IDLE, PERFAUX_STATE(segment->state));
	EXPECT_EQ(0, counter(&segment->t_active));
	EXPECT_EQ(2, segment->nr_spans);
	EXPECT_EQ(self->ring.ctl->bytes, segment->bytes);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(PERFAUX_SEG_READY, PERFAUX_STATE(segment->state));
	EXPECT_LT(0, segment->ready_seq);
	/* The segment also reports when it became READY. */
	EXPECT_LT(active, segment->t_active);
	EXPECT_LE(segment->t_active, now_ns());
	close(ev);
}

/* A segment that a writer took without writing to it becomes free again. */
TEST_F(state, empty_segment_is_free)
{
	struct auxgen_config config = { AUXGEN_F_TIMER | 1 << 24, 1U << 31 };
	int ev = auxgen_open(&config, 0, -1, 0);
	uint32_t i;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(ev));
	ASSERT_EQ(0, event_disable(ev));
	EXPECT_LE(1, self->ring.ctl->claims);
	EXPECT_EQ(0, self->ring.ctl->spans);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(PERFAUX_SEG_FREE,
			  PERFAUX_STATE(ring_state(&self->ring, i)));
	close(ev);
}

/*
 * A PMU reports that it wrote more than its room. The excess is counted, and the
 * spans stay within their segments.
 */
TEST_F_TIMEOUT(state, overrun, SECONDS)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_FILL | AUXGEN_F_OVER | 1 << 24, 0,
	};
	const struct perfaux_control *ctl = self->ring.ctl;
	int ev = auxgen_open(&config, 0, -1, 0);
	uint64_t over = 0;
	uint32_t i, k;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(ev));
	while (ring_fdinfo(self->ring.fd, "ready") < 4)
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ASSERT_EQ(0, event_disable(ev));
	for (i = 0; i < 4; i++) {
		const struct perfaux_segment *segment = &self->ring.segments[i];
		const struct perfaux_span *span =
			&self->ring.spans[i * ctl->spans_per_segment];

		EXPECT_EQ(ctl->segment_size, segment->used);
		for (k = 0; k < segment->nr_spans; k++) {
			uint32_t end = span[k].offset + span[k].length;

			EXPECT_LE(end, ctl->segment_size);
			if (end < ctl->segment_size)
				continue;
			EXPECT_TRUE(span[k].flags & PERF_AUX_FLAG_TRUNCATED);
			over++;
		}
	}
	EXPECT_EQ(4, over);
	/* The PMU also overfills the sink. */
	EXPECT_LE(over, ring_lost(&self->ring, PERFAUX_CAUSE_OVERRUN));
	EXPECT_EQ(ring_lost(&self->ring, PERFAUX_CAUSE_OVERRUN) * AUXGEN_CHUNK,
		  ctl->lost_bytes[PERFAUX_CAUSE_OVERRUN]);
	EXPECT_EQ(4 * ctl->segment_size, ctl->bytes);
	/* The amount is known, so there is no gap. */
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED));
	close(ev);
}

/*
 * A PMU that interrupts at handle->wakeup uses the room after a segment's marker
 * only for the data that it writes until the interrupt is served.
 */
TEST_F_TIMEOUT(state, wakeup, SECONDS)
{
	/* With 7 chunks a write, no write would end at the marker without AUXGEN_F_MARKER. */
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_MARKER | 1 << 24 | 7, 0,
	};
	const struct perfaux_control *ctl = self->ring.ctl;
	const uint32_t marker = ctl->segment_size - pt_tail(ctl->segment_size);
	int ev = auxgen_open(&config, 0, -1, 0);
	uint32_t i, full = 0;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(ev));
	while (ring_fdinfo(self->ring.fd, "ready") < 4)
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ASSERT_EQ(0, event_disable(ev));
	for (i = 0; i < 4; i++) {
		/* While the core throttles the event, FLUSH publishes partly filled segments. */
		EXPECT_GE(marker, self->ring.segments[i].used);
		full += self->ring.segments[i].used == marker;
	}
	EXPECT_LT(0, full);
	close(ev);
}

/* Data that a PMU loses when it has no room has a cause of its own. */
TEST_F_TIMEOUT(state, truncated_without_room, SECONDS)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | 1ULL << 32 | 1 << 24, 0,
	};
	int ev = auxgen_open(&config, 0, -1, 0);
	uint64_t truncated, full;

	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	while (!ring_lost(&self->ring, PERFAUX_CAUSE_FULL)) {
		ASSERT_EQ(0, event_enable(ev));
		ASSERT_EQ(0, event_disable(ev));
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	}
	full = ring_lost(&self->ring, PERFAUX_CAUSE_FULL);
	truncated = ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED);
	ASSERT_EQ(0, event_enable(ev));
	ASSERT_EQ(0, event_disable(ev));
	EXPECT_LT(full, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_LT(truncated, ring_lost(&self->ring, PERFAUX_CAUSE_TRUNCATED));
	close(ev);
}

/*
 * A mark has no effect unless it is the number of the present use of its segment,
 * or of its gap.
 */
TEST_F_TIMEOUT(state, wrong_marks, SECONDS)
{
	struct ring *ring = &self->ring;
	uint64_t claims;
	uint32_t i, k;

	ASSERT_EQ(0, ring_attach(ring, self->ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(self->ev));
	/* Use all segments twice, so that numbers of an earlier use exist. */
	for (k = 0; k < 2; k++) {
		while (ring_fdinfo(ring->fd, "ready") < 4)
			ASSERT_EQ(0, ring_flush(ring, PERFAUX_FLUSH_SPANS));
		for (i = 0; !k && i < 4; i++)
			ring->marks[i] = PERFAUX_SEQ(ring_state(ring, i));
	}
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(ring, 0));
	claims = ring->ctl->claims;
	EXPECT_EQ(8, claims);
	for (k = 0; k < 8; k++) {
		for (i = 0; i < 4; i++) {
			const uint64_t next = ring_state(ring, (i + 1) % 4);
			const uint64_t seq = PERFAUX_SEQ(ring_state(ring, i));
			const uint64_t wrong[] = {
				0, ~0ULL, seq - 1, seq + 1, seq - 4, seq + 4,
				seq | 1ULL << 63, PERFAUX_SEQ(next),
			};

			ring->marks[i] = wrong[k];
		}
		EXPECT_EQ(4, ring_fdinfo(ring->fd, "ready"));
		ASSERT_EQ(0, event_enable(self->ev));
		ASSERT_EQ(0, event_disable(self->ev));
		EXPECT_EQ(claims, ring->ctl->claims)
			TH_LOG("wrong mark %u", k);
	}
	for (i = 0; i < 4; i++)
		ring->marks[i] = PERFAUX_SEQ(ring_state(ring, i));
	EXPECT_EQ(0, ring_fdinfo(ring->fd, "ready"));

	/* The same for gaps, which poll() reports one by one. */
	ASSERT_EQ(0, ring_flush(ring, 0));
	for (k = 0; k < 5; k++) {
		for (i = 0; i < ring->ctl->nr_gaps; i++) {
			const uint64_t seq = ring->gaps[i].seq;
			const uint64_t marks[] = {
				0, ~0ULL, seq - 1, seq + 1, seq,
			};

			ring->gap_marks[i] = marks[k];
		}
		EXPECT_EQ(k < 4 ? POLLIN : 0, ring_poll(ring, 0))
			TH_LOG("mark %u", k);
	}
}

TEST_HARNESS_MAIN
