// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of PERFAUX_IOC_HOLD and _UNHOLD: data that is held in an overwrite ring
 * does not change while events go on.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/hold_lib.h"
#include "lib/raw_lib.h"

/* --- arguments ------------------------------------------------------------- */

FIXTURE(args) {
	struct ring ring;	/* overwrite */
	struct ring other;	/* not overwrite */
};

FIXTURE_SETUP(args)
{
	struct perfaux_create create;

	ring_params(&create, 4096, 4);
	ASSERT_EQ(0, ring_open(&self->other, &create));
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&self->ring, &create));
}

FIXTURE_TEARDOWN(args)
{
	ring_close(&self->ring);
	ring_close(&self->other);
}

TEST_F(args, hold)
{
	LONG(perfaux_hold) longer = { };
	struct perfaux_hold arg = { };

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.size = PERFAUX_HOLD_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.size = 5000;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.size = sizeof(arg);
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	EXPECT_EQ(0, arg.held);
	EXPECT_EQ(-EINVAL, call(self->other.fd, PERFAUX_IOC_HOLD, &arg));
	arg.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.flags = PERFAUX_HOLD_THAW;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.flags = PERFAUX_FLUSH_SPANS | PERFAUX_FLUSH_ABANDON | PERFAUX_HOLD_THAW;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.seq = 0;
	arg.held = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.held = 0;
	arg.seq = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_HOLD, &arg));
	arg.seq = 0;
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_HOLD, NULL));
	longer.arg.size = sizeof(longer);
	longer.tail[1] = 1;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_HOLD, &longer));
	longer.tail[1] = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_HOLD, &longer));
}

TEST_F(args, unhold)
{
	LONG(perfaux_unhold) longer = { };
	struct perfaux_unhold arg = { };

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.size = PERFAUX_UNHOLD_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.size = sizeof(arg);
	EXPECT_EQ(-ENOENT, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	EXPECT_EQ(-ENOENT, call(self->other.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.segment = 4;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.segment = 0;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.reserved = 0;
	arg.flags = 2;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.flags = PERFAUX_UNHOLD_ALL;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	arg.seq = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &arg));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_UNHOLD, NULL));
	longer.arg.size = sizeof(longer);
	longer.arg.flags = PERFAUX_UNHOLD_ALL;
	longer.tail[1] = 1;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &longer));
	longer.tail[1] = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_UNHOLD, &longer));
}

/* --- a ring that is written to all the time -------------------------------- */

FIXTURE(hold) {
	struct ring ring;
	struct check *check;
	int events[CHECK_CPUS];
	int cpus[CHECK_CPUS];
	int nr;
};

FIXTURE_SETUP(hold)
{
	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
	ASSERT_EQ(0, open_all(&self->ring, self->events, self->cpus, self->nr));
	check_start(self->check, &self->ring);
}

FIXTURE_TEARDOWN(hold)
{
	int i;

	for (i = 0; i < self->nr; i++)
		close(self->events[i]);
	ring_close(&self->ring);
	free(self->check);
}

/* Return a checksum of a segment's data and spans. */
static uint64_t checksum_data(const struct ring *ring, uint32_t i)
{
	const uint32_t spans = ring->ctl->spans_per_segment;
	const uint64_t size = ring->ctl->segment_size;
	const uint64_t *words = (const void *)(ring->data + i * size);
	uint64_t hash = 0, k;

	for (k = 0; k < size / sizeof(*words); k++)
		hash = (hash ^ words[k]) * 0x100000001b3;
	words = (const void *)(ring->spans + (size_t)i * spans);
	for (k = 0; k < spans * sizeof(*ring->spans) / sizeof(*words); k++)
		hash = (hash ^ words[k]) * 0x100000001b3;
	return hash;
}

/* As checksum_data(), but include the segment's entry in the table of segments. */
static uint64_t checksum(const struct ring *ring, uint32_t i)
{
	const uint64_t *words = (const void *)&ring->segments[i];
	uint64_t hash = checksum_data(ring, i), k;

	for (k = 0; k < sizeof(*ring->segments) / sizeof(*words); k++)
		hash = (hash ^ words[k]) * 0x100000001b3;
	return hash;
}

/*
 * Hold @nr segments. One HOLD may take fewer: it leaves out segments that writers overwrite
 * meanwhile, and all older ones. Return 0 or -errno.
 */
static int hold_exactly(struct ring *ring, uint32_t flags, uint32_t nr)
{
	while (nr) {
		int held = ring_hold(ring, flags, nr);

		if (held < 0)
			return held;
		if ((uint32_t)held > nr)
			return -ERANGE;
		nr -= held;
	}
	return 0;
}

/* HELD segments do not change while all others are written over and over. */
TEST_F_TIMEOUT(hold, stays_as_it_is, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint64_t sums[nr], states[nr];
	uint32_t i, k;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	for (k = 0; k < 5; k++) {
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
		ASSERT_EQ(0, hold_exactly(ring, PERFAUX_FLUSH_SPANS, nr / 2));
		ASSERT_EQ(nr / 2, nr_held(ring));
		for (i = 0; i < nr; i++) {
			states[i] = ring_state(ring, i);
			sums[i] = is_held(ring, i) ? checksum(ring, i) : 0;
		}
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + 2 * nr));
		EXPECT_EQ(nr / 2, nr_held(ring));
		for (i = 0; i < nr; i++) {
			if (!sums[i])
				continue;
			EXPECT_EQ(states[i], ring_state(ring, i));
			EXPECT_EQ(sums[i], checksum(ring, i));
			release(ring, i);
		}
	}
	ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
	/* The released segments are in use again. */
	EXPECT_EQ(0, nr_held(ring));
	EXPECT_EQ(0, ring_lost(ring, PERFAUX_CAUSE_FULL));
}

/* In the end no data is wrong, and all missing data was overwritten. */
TEST_F_TIMEOUT(hold, all_is_counted, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct check *check = self->check;
	struct ring *ring = &self->ring;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(0, hold_exactly(ring, 0, nr / 3));
	ASSERT_TRUE(work_until(overwritten(ring), 3 * nr));
	ASSERT_EQ(0, hold_exactly(ring, PERFAUX_FLUSH_SPANS, nr / 3));
	EXPECT_EQ(nr / 3 * 2, nr_held(ring));
	ASSERT_TRUE(work_until(overwritten(ring), 5 * nr));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
	ASSERT_LT(0, ring_hold(ring, 0, 0));
	EXPECT_EQ(0, ring_hold(ring, 0, 0));
	EXPECT_LT(0, ring_read_still(ring, check_record, check));
	check_end(check);
	EXPECT_STREQ("", check->error)
		TH_LOG("%u errors", check->errors);
	EXPECT_EQ(0, ring_lost(ring, PERFAUX_CAUSE_FULL));
	EXPECT_LT(0, check->overwritten);
	EXPECT_EQ(ring->ctl->seq, check->seq);
}

/* Return the lowest ready_seq of the HELD segments. */
static uint64_t held_since(const struct ring *ring)
{
	uint64_t least = ~0ULL;
	uint32_t i;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		if (is_held(ring, i) && ring->segments[i].ready_seq < least)
			least = ring->segments[i].ready_seq;
	return least;
}

/*
 * Return whether segment @i has a span up to the number that HOLD returned, and is
 * not HELD. READY segments older than @since do not count: an earlier HOLD kept them,
 * and there may be a hole after them.
 */
static bool is_missed(const struct ring *ring, uint32_t i, uint64_t since)
{
	const struct perfaux_span *span =
		ring->spans + (size_t)i * ring->ctl->spans_per_segment;
	const uint64_t state = ring_state(ring, i);
	bool missed;

	if (PERFAUX_STATE(state) != PERFAUX_SEG_BUSY &&
	    PERFAUX_STATE(state) != PERFAUX_SEG_IDLE &&
	    PERFAUX_STATE(state) != PERFAUX_SEG_READY)
		return false;
	if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
	    counter(&ring->segments[i].ready_seq) < since)
		return false;
	missed = __atomic_load_n(&ring->segments[i].nr_spans, __ATOMIC_ACQUIRE) &&
		 counter(&span->seq) <= ring->held_seq;
	return missed && PERFAUX_SEQ(ring_state(ring, i)) == PERFAUX_SEQ(state);
}

/* With PERFAUX_FLUSH_SPANS, HOLD takes all data that was written before, on each CPU. */
TEST_F_TIMEOUT(hold, up_to_now, SECONDS)
{
	/* Debug kernels are slow. */
	const uint64_t end = now_ns() + SECONDS / 8 * 1000000000ULL;
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint32_t i, k, left = 0, missed = 0;
	struct use uses[nr];
	uint64_t since;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	for (k = 0; k < 4 || (k < 50 && now_ns() < end); k++) {
		ASSERT_TRUE(work_until(&ring->ctl->claims,
				       counter(&ring->ctl->claims) + nr / 4));
		for (i = 0; i < nr; i++)
			uses[i] = use_of(ring, i);
		ASSERT_LT(0, ring_hold(ring, PERFAUX_FLUSH_SPANS, 0));
		since = held_since(ring);
		for (i = 0; i < nr; i++) {
			left += is_left(ring, i, &uses[i]);
			missed += is_missed(ring, i, since);
		}
		ASSERT_EQ(0, ring_unhold_all(ring));
	}
	EXPECT_EQ(0, left);
	EXPECT_EQ(0, missed);
}

/* At t_active of a READY segment, all data in segments that became READY earlier had ended. */
TEST_F_TIMEOUT(hold, tells_since_when, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint32_t i, j, k, wrong = 0;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), 2 * nr));
	for (k = 0; k < 5; k++) {
		ASSERT_TRUE(work_until(&ring->ctl->claims,
				       counter(&ring->ctl->claims) + nr));
		ASSERT_LT(nr / 4, ring_hold(ring, PERFAUX_FLUSH_SPANS, nr / 2));
		for (i = 0; i < nr; i++) {
			const struct perfaux_segment *seg = &ring->segments[i];
			const struct perfaux_span *span =
				ring->spans + (size_t)i * ring->ctl->spans_per_segment;
			uint64_t end;

			if (!is_held(ring, i))
				continue;
			end = span[seg->nr_spans - 1].t_end;
			wrong += seg->t_active < end || seg->t_active > now_ns() + SKEW;
			for (j = 0; j < nr; j++)
				wrong += is_held(ring, j) &&
					 ring->segments[j].ready_seq > seg->ready_seq &&
					 ring->segments[j].t_active + SKEW < end;
		}
		ASSERT_EQ(0, ring_unhold_all(ring));
	}
	EXPECT_EQ(0, wrong);
}

/* HOLD takes the newest segments, as many as the caller asks for. */
TEST_F_TIMEOUT(hold, newest_first, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	uint64_t least = ~0ULL, most = 0;
	struct ring *ring = &self->ring;
	uint32_t i;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
	ASSERT_EQ(3, ring_hold(ring, 0, 3));
	for (i = 0; i < nr; i++) {
		const uint64_t seq = ring->segments[i].ready_seq;

		if (is_held(ring, i) && seq < least)
			least = seq;
		if (PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_READY &&
		    seq > most)
			most = seq;
	}
	EXPECT_LT(0, most);
	EXPECT_LT(most, least);
	/* Segments that were released in advance belong to nobody. */
	for (i = 0; i < nr; i++)
		if (PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_READY)
			release(ring, i);
	EXPECT_EQ(0, ring_hold(ring, 0, 0));
	EXPECT_EQ(3, nr_held(ring));
}

/*
 * A segment that comes back by UNHOLD is history as before, as long as no later
 * segment is overwritten.
 */
TEST_F_TIMEOUT(hold, comes_back, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint64_t states[nr];
	uint32_t i, k;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
	ASSERT_LT(nr / 2, ring_hold(ring, PERFAUX_FLUSH_SPANS, 0));
	for (k = 0; k < 2; k++) {
		for (i = 0; i < nr; i++)
			states[i] = ring_state(ring, i);
		EXPECT_EQ(0, ring_unhold_all(ring));
		EXPECT_EQ(0, nr_held(ring));
		EXPECT_LT(nr / 2, ring_hold(ring, 0, 0));
		for (i = 0; i < nr; i++)
			EXPECT_EQ(states[i], ring_state(ring, i));
	}
	/* Data that was read may be overwritten; that is no hole. */
	for (i = 0; i < nr / 2; i++)
		release(ring, i);
	EXPECT_EQ(0, ring_unhold_all(ring));
	EXPECT_LE(nr / 2 - self->nr, ring_hold(ring, 0, 0));
}

/* HOLD finds each segment that UNHOLD gives back, although an earlier HOLD has looked at all. */
TEST_F_TIMEOUT(hold, takes_again, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint32_t i, again = 0;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
	ASSERT_LT(nr / 2, ring_hold(ring, PERFAUX_FLUSH_SPANS, 0));
	EXPECT_EQ(0, ring_hold(ring, 0, 0));
	for (i = 0; i < nr; i++) {
		if (!is_held(ring, i))
			continue;
		ASSERT_EQ(0, ring_unhold(ring, i));
		ASSERT_FALSE(is_held(ring, i));
		EXPECT_EQ(1, ring_hold(ring, 0, 0));
		again += is_held(ring, i);
		EXPECT_EQ(0, ring_hold(ring, 0, 0));
	}
	EXPECT_LT(nr / 2, again);
	EXPECT_EQ(nr_held(ring), again);
}

/*
 * If a later segment was overwritten, HOLD does not take the returned one again,
 * because a hole follows it. But writers overwrite the returned segment first.
 */
TEST_F_TIMEOUT(hold, comes_back_too_late, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint64_t sums[nr], states[nr];
	uint32_t i, k, first, again = 0;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, hold_exactly(ring, PERFAUX_FLUSH_SPANS, nr / 2));
		for (i = 0; i < nr; i++) {
			states[i] = ring_state(ring, i);
			sums[i] = is_held(ring, i) ? checksum_data(ring, i) : 0;
		}
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
		/*
		 * UNHOLD returns segments one by one or all together, but each only
		 * once.
		 */
		for (i = 0; i < nr; i++) {
			if (!sums[i])
				continue;
			if (k)
				EXPECT_EQ(0, ring_unhold(ring, i));
			if (k == 2)
				EXPECT_EQ(-ENOENT, ring_unhold(ring, i));
		}
		EXPECT_EQ(0, ring_unhold_all(ring));
		EXPECT_EQ(0, nr_held(ring));
		EXPECT_LT(0, ring_hold(ring, 0, 0));
		for (i = 0; i < nr; i++) {
			if (!sums[i])
				continue;
			again += is_held(ring, i);
			EXPECT_EQ(PERFAUX_SEQ(states[i]), PERFAUX_SEQ(ring_state(ring, i)));
			EXPECT_EQ(sums[i], checksum_data(ring, i));
		}
		EXPECT_EQ(0, ring_unhold_all(ring));
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr / 2));
		for (i = 0; i < nr; i++)
			if (sums[i])
				EXPECT_NE(PERFAUX_SEQ(states[i]),
					  PERFAUX_SEQ(ring_state(ring, i)));
	}
	EXPECT_EQ(0, again);
	/* Released data is not in the ring any more. */
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
	ASSERT_LT(0, ring_hold(ring, 0, 0));
	for (first = 0; !is_held(ring, first);)
		first++;
	release(ring, first);
	EXPECT_EQ(-ENOENT, ring_unhold(ring, first));
	EXPECT_EQ(0, ring_unhold_all(ring));
	EXPECT_EQ(1, nr_held(ring));
	EXPECT_EQ(0, ring_lost(ring, PERFAUX_CAUSE_FULL));
}

/* The memory for an answer, and a second mapping that the test can always write to */
struct answer {
	struct perfaux_hold *arg;
	struct perfaux_hold *own;
};

static bool answer_map(struct answer *answer)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096))
		return false;
	answer->arg = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	answer->own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return answer->arg != MAP_FAILED && answer->own != MAP_FAILED;
}

static int hold_into(const struct ring *ring, const struct answer *answer)
{
	*answer->own = (struct perfaux_hold){
		.size = sizeof(*answer->own), .flags = PERFAUX_FLUSH_SPANS,
	};
	return call(ring->fd, PERFAUX_IOC_HOLD, answer->arg);
}

/*
 * Without an answer nobody would know which segments were taken, so only segments
 * that were HELD before stay HELD.
 */
TEST_F_TIMEOUT(hold, without_answer, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	struct answer answer = { };
	uint64_t claims;

	ASSERT_TRUE(answer_map(&answer));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(2, ring_hold(ring, 0, 2));
	claims = counter(&ring->ctl->claims);
	EXPECT_EQ(-EFAULT, hold_into(ring, &answer));
	EXPECT_EQ(2, nr_held(ring));
	EXPECT_TRUE(work_until(&ring->ctl->claims, claims + 2 * nr));
	EXPECT_EQ(0, ring_lost(ring, PERFAUX_CAUSE_FULL));
}

/*
 * A thread that makes the answer's memory read-only when it sees that segments are
 * taken
 */
enum taker_state {
	TAKER_IDLE,
	TAKER_WAITS,
	TAKER_BUSY,
	TAKER_DONE,
};

struct taker {
	const struct ring *ring;
	struct answer *answer;
	uint32_t held;		/* HELD before */
	enum taker_state state;
	bool end;
};

static bool taker_goes(struct taker *taker, enum taker_state from, enum taker_state to)
{
	return __atomic_compare_exchange_n(&taker->state, &from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void *taker_fn(void *data)
{
	struct taker *taker = data;

	while (!__atomic_load_n(&taker->end, __ATOMIC_ACQUIRE)) {
		if (nr_held(taker->ring) <= taker->held ||
		    !taker_goes(taker, TAKER_WAITS, TAKER_BUSY)) {
			sched_yield();
			continue;
		}
		mprotect(taker->answer->arg, 4096, PROT_READ);
		taker_goes(taker, TAKER_BUSY, TAKER_DONE);
	}
	return NULL;
}

/* Stop the thread. Return whether it has made the memory read-only. */
static bool taker_stop(struct taker *taker)
{
	if (taker_goes(taker, TAKER_WAITS, TAKER_IDLE))
		return false;
	while (!taker_goes(taker, TAKER_DONE, TAKER_IDLE))
		sched_yield();
	return true;
}

/*
 * The same if the answer's memory can be written at the beginning of HOLD and not
 * at the end. With raw data, HOLD waits for a grace period in between.
 */
TEST_F_TIMEOUT(hold, answer_goes_away, SECONDS)
{
	const uint64_t end = now_ns() + SECONDS / 4 * 1000000000ULL;
	const uint32_t nr = self->ring.ctl->nr_segments;
	uint32_t i, first, calls = 0, failed = 0, left = 0;
	struct perf_event_attr attr = raw_rename_attr();
	struct ring *ring = &self->ring;
	struct answer answer = { };
	struct taker taker = { .ring = ring, .answer = &answer, .held = 1 };
	struct raw_event raw;
	pthread_t thread;
	uint64_t kept;

	ASSERT_TRUE(answer_map(&answer));
	ASSERT_EQ(0, raw_open(&raw, &attr, 0, -1, 0));
	ASSERT_EQ(0, raw_attach(ring, raw.fd, 0));
	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	ASSERT_EQ(1, ring_hold(ring, 0, 1));
	for (first = 0; !is_held(ring, first);)
		first++;
	kept = ring_state(ring, first);
	ASSERT_EQ(0, pthread_create(&thread, NULL, taker_fn, &taker));
	for (; failed < 20 && now_ns() < end; calls++) {
		bool taken;
		int ret;

		ASSERT_EQ(0, mprotect(answer.arg, 4096, PROT_READ | PROT_WRITE));
		ASSERT_TRUE(taker_goes(&taker, TAKER_IDLE, TAKER_WAITS));
		ret = hold_into(ring, &answer);
		taken = taker_stop(&taker);
		if (ret) {
			/* The memory was still writable when HOLD began. */
			EXPECT_EQ(-EFAULT, ret);
			EXPECT_TRUE(taken);
			left += nr_held(ring) - 1;
			failed++;
		}
		for (i = 0; i < nr; i++)
			if (i != first && is_held(ring, i))
				ring_unhold(ring, i);
		EXPECT_EQ(kept, ring_state(ring, first));
	}
	__atomic_store_n(&taker.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	TH_LOG("%u of %u failed", failed, calls);
	EXPECT_LT(5, failed);
	EXPECT_EQ(0, left);
	raw_close(&raw);
}

/* HOLD leaves no segment to the writers: that is a loss like any other. */
TEST_F_TIMEOUT(hold, all_of_it, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint64_t claims;
	uint32_t i;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), nr));
	while (nr_held(ring) < nr) {
		ASSERT_LE(0, ring_hold(ring, PERFAUX_FLUSH_SPANS, 0));
		sched_yield();
	}
	ASSERT_TRUE(work_until(&ring->ctl->lost_count[PERFAUX_CAUSE_FULL], 5));
	claims = counter(&ring->ctl->claims);
	for (i = 0; i < nr; i++)
		release(ring, i);
	ASSERT_EQ(0, ring_flush(ring, 0));
	EXPECT_TRUE(work_until(&ring->ctl->claims, claims + 2 * nr));
}

TEST_HARNESS_MAIN
