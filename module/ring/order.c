// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which segments became READY, so that a writer finds the oldest one without a look
 * at all segments.
 *
 * ring->order is a table of the last segments that became READY. The segment that became READY
 * as number N (perfaux_segment.ready_seq) is at N modulo the size of the table, together with N.
 * ring->order_head is a number: the segments that became READY with lower numbers are not READY any
 * more, or are in ring->late. Writers look from order_head on, and advance order_head over segments
 * that are not READY any more. So they pass each number once.
 *
 * User space maps the table, too, and finds there the segments that became READY since its last
 * look. Therefore a segment is put into the table before it is READY: see "How to find what is new"
 * in perfaux.h.
 *
 * Nobody takes a segment out of the table. An entry is only a hint: its segment counts only if it
 * is READY and its ready_seq is still N.
 *
 * ring->late is a bitmap of segments that are READY but cannot be found in the table: their entry
 * was needed for another segment, or their turn came while a late frame kept writers out
 * (pa_frames_abandon()). They are rare.
 *
 * A context that passes or replaces an entry, and a context that makes its segment READY (again,
 * for UNHOLD), first change what the other one looks at, then make a full barrier, and then look.
 * So at least one of them sees that the segment must stay within reach.
 */
#include <linux/bitops.h>

#include "ring/bits.h"
#include "ring/frame_word.h"
#include "ring/order.h"
#include "ring/segment.h"

/* An entry: the number, and the index of the segment. User space reads the entries, too. */
#define PA_ORDER(n, i)		((u64)(n) << 12 | (i))
#define PA_ORDER_NR(entry)	PERFAUX_ORDER_SEQ(entry)
#define PA_ORDER_SEG(entry)	PERFAUX_ORDER_SEGMENT(entry)

static_assert(PERFAUX_ORDER_SEGMENT(PA_MAX_SEGMENTS - 1) == PA_MAX_SEGMENTS - 1);
static_assert(PERFAUX_ORDER_SEQ(PA_ORDER(1, PA_MAX_SEGMENTS - 1)) == 1);

/* How many segments in ring->late a writer looks at */
#define PA_LATE_LOOKS		8

void pa_order_init(struct pa_ring *ring)
{
	atomic64_set(&ring->order_head, 1);
}

static u64 *pa_order_at(struct pa_ring *ring, u64 n)
{
	return &ring->order[n & ring->order_mask];
}

/* Is the segment that became READY as number @n in the table? */
static bool pa_order_has(struct pa_ring *ring, u64 n)
{
	return PA_ORDER_NR(READ_ONCE(*pa_order_at(ring, n))) == n;
}

static void pa_late_add(struct pa_segment *seg)
{
	struct pa_ring *ring = seg->ring;

	if (!test_and_set_bit(seg - ring->seg, ring->late))
		atomic_inc(&ring->nr_late);
}

static bool pa_late_remove(struct pa_segment *seg)
{
	struct pa_ring *ring = seg->ring;

	if (!test_and_clear_bit(seg - ring->seg, ring->late))
		return false;
	atomic_dec(&ring->nr_late);
	return true;
}

/* Fill in @old if the segment is READY. @n is its number, or 0 for any. */
static bool pa_is_ready(struct pa_segment *seg, u64 n, struct pa_old *old)
{
	/* Pairs with pa_segment_ready(): ready_seq belongs to this use of the segment. */
	u64 state = smp_load_acquire(&seg->shared->state);
	u64 ready_seq = READ_ONCE(seg->shared->ready_seq);

	if (PERFAUX_STATE(state) != PERFAUX_SEG_READY || (n && ready_seq != n))
		return false;
	*old = (struct pa_old){ .seg = seg, .state = state, .ready_seq = ready_seq };
	return true;
}

void pa_order_add(struct pa_segment *seg, u64 n)
{
	struct pa_ring *ring = seg->ring;
	u64 *at = pa_order_at(ring, n);
	u64 new = PA_ORDER(n, seg - ring->seg), entry = READ_ONCE(*at), seen;
	struct pa_old old;

	/* If this context was interrupted, others may have come round the whole table. */
	while (PA_ORDER_NR(entry) < n) {
		seen = cmpxchg64(at, entry, new);
		if (seen != entry) {
			entry = seen;
			continue;
		}
		/* The cmpxchg is a full barrier: see pa_order_ready(). */
		if (entry && pa_is_ready(&ring->seg[PA_ORDER_SEG(entry)],
					 PA_ORDER_NR(entry), &old))
			pa_late_add(old.seg);
		break;
	}
}

/* Let writers look from number @n on again. */
static void pa_order_back(struct pa_ring *ring, u64 n)
{
	s64 head = atomic64_read(&ring->order_head);

	while (head > n && !atomic64_try_cmpxchg(&ring->order_head, &head, n))
		;
}

void pa_order_ready(struct pa_segment *seg, u64 n)
{
	struct pa_ring *ring = seg->ring;

	/* READY before the entry is read: see pa_order_add() and pa_order_pass(). */
	smp_mb();
	if (pa_order_has(ring, n))
		pa_order_back(ring, n);
	else
		pa_late_add(seg);
}

/*
 * Pass entry @n: its segment @seg, if any, is not READY. Returns false if order_head is not @n.
 * If the segment has become READY meanwhile, let writers look at it again.
 */
static bool pa_order_pass(struct pa_ring *ring, struct pa_segment *seg, u64 n)
{
	struct pa_old old;
	s64 head = n;

	if (!atomic64_try_cmpxchg(&ring->order_head, &head, n + 1))
		return false;
	/* The cmpxchg is a full barrier: see pa_order_ready(). */
	if (seg && pa_is_ready(seg, n, &old))
		pa_order_back(ring, n);
	return true;
}

/* Return the number of the first entry to look at. */
static u64 pa_order_first(struct pa_ring *ring, u64 last)
{
	s64 head = atomic64_read(&ring->order_head);

	/* New entries are, or soon will be, in the place of older ones: see pa_order_add(). */
	if (head + ring->order_mask < last &&
	    atomic64_try_cmpxchg(&ring->order_head, &head, last - ring->order_mask))
		return last - ring->order_mask;
	return head;
}

/*
 * Find the oldest segment in the table. A context that stops in here for long, as a virtual CPU
 * can, may find nothing: each segment that it looks at has been overwritten since.
 */
static bool pa_order_look(struct pa_ring *ring, struct pa_old *old, bool *newer)
{
	const u64 last = atomic64_read(&ring->ready_seq);
	u64 n = pa_order_first(ring, last);
	/* Other contexts may add entries meanwhile. The loop looks at them, but must end. */
	const u64 end = n + 2 * ring->order_mask;
	bool passes = true;

	for (; n < end && n <= atomic64_read(&ring->ready_seq); n++) {
		u64 entry = READ_ONCE(*pa_order_at(ring, n));
		struct pa_segment *seg = NULL;

		if (PA_ORDER_NR(entry) < n) {
			/* The context that took number n has not come to pa_order_add() yet. */
			passes = false;
			continue;
		}
		if (PA_ORDER_NR(entry) == n)
			seg = &ring->seg[PA_ORDER_SEG(entry)];
		if (seg && pa_is_ready(seg, n, old)) {
			if (!pa_frames_are_open(seg))
				return true;
			/* Do not wait for the late frame. */
			pa_late_add(seg);
			seg = NULL;
		}
		passes = passes && pa_order_pass(ring, seg, n);
	}
	*newer = atomic64_read(&ring->ready_seq) != last;
	return false;
}

/* Find the oldest of the first segments in ring->late. */
static bool pa_late_look(struct pa_ring *ring, struct pa_old *old)
{
	unsigned int nr = ring->ctl->nr_segments, looks = 0, i;
	bool found = false;

	if (likely(!atomic_read(&ring->nr_late)))
		return false;
	for (i = pa_next_bit(ring->late, nr, 0); i < nr && looks < PA_LATE_LOOKS;
	     i = pa_next_bit(ring->late, nr, i + 1), looks++) {
		struct pa_segment *seg = &ring->seg[i];
		struct pa_old late;

		if (!pa_is_ready(seg, 0, &late)) {
			/* test_and_clear_bit() is a full barrier: see pa_order_ready(). */
			if (pa_late_remove(seg) && pa_is_ready(seg, 0, &late))
				pa_late_add(seg);
			continue;
		}
		if (pa_frames_are_open(seg))
			continue;
		/* The segment was used again and is in the table, or its late frame has ended. */
		if (pa_order_has(ring, late.ready_seq) && pa_late_remove(seg))
			pa_order_ready(seg, late.ready_seq);
		if (!found || late.ready_seq < old->ready_seq)
			*old = late;
		found = true;
	}
	return found;
}

bool pa_order_oldest(struct pa_ring *ring, struct pa_old *old, bool *newer)
{
	struct pa_old late = { };
	bool is_late = pa_late_look(ring, &late);

	if (pa_order_look(ring, old, newer) && (!is_late || old->ready_seq < late.ready_seq))
		return true;
	*old = late;
	return is_late;
}

/* Find the newest segment in ring->late, as pa_walk_next() does. */
static bool pa_late_newest(struct pa_ring *ring, u64 n, u64 least, struct pa_old *old)
{
	const unsigned int nr = ring->ctl->nr_segments;
	bool found = false;
	struct pa_old late;
	unsigned int i;

	if (!atomic_read(&ring->nr_late))
		return false;
	for (i = pa_next_bit(ring->late, nr, 0); i < nr; i = pa_next_bit(ring->late, nr, i + 1)) {
		if (!pa_is_ready(&ring->seg[i], 0, &late) || late.ready_seq > n ||
		    late.ready_seq < least || pa_frames_are_open(late.seg))
			continue;
		least = late.ready_seq;
		*old = late;
		found = true;
	}
	return found;
}

void pa_walk_keep(struct pa_walk *walk, u64 n)
{
	walk->low = min(walk->low, n);
}

/*
 * Look at entry @n of the table. If its segment has this number and is not READY, the segment is
 * HELD, or was claimed since, or its context is still publishing it. The last two look alike.
 */
static bool pa_walk_look(struct pa_ring *ring, struct pa_walk *walk, u64 n, struct pa_old *old)
{
	/* Pairs with the cmpxchg in pa_order_add(): the state is not that of an earlier use. */
	u64 entry = smp_load_acquire(pa_order_at(ring, n)), state;
	struct pa_segment *seg = &ring->seg[PA_ORDER_SEG(entry)];

	if (PA_ORDER_NR(entry) == n) {
		/* As in pa_is_ready() */
		state = smp_load_acquire(&seg->shared->state);
		if (READ_ONCE(seg->shared->ready_seq) != n ||
		    PERFAUX_STATE(state) == PERFAUX_SEG_HELD ||
		    PERFAUX_STATE(state) == PERFAUX_SEG_IDLE ||
		    PERFAUX_STATE(state) == PERFAUX_SEG_FREE)
			return false;
		*old = (struct pa_old){ .seg = seg, .state = state, .ready_seq = n };
		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY && !pa_frames_are_open(seg))
			return true;
	}
	if (PA_ORDER_NR(entry) <= n)
		pa_walk_keep(walk, n);
	return false;
}

bool pa_walk_next(struct pa_ring *ring, struct pa_walk *walk, u64 least, struct pa_old *old)
{
	bool found = pa_late_newest(ring, walk->n, least, old);
	u64 last = atomic64_read(&ring->ready_seq), n = walk->n;
	struct pa_old newest;

	if (found)
		least = old->ready_seq + 1;
	/* No older entries than these are in the table. */
	least = max3(least, walk->seen + 1, last - min(last, ring->order_mask));
	for (; n >= least; n--) {
		if (pa_walk_look(ring, walk, n, &newest)) {
			*old = newest;
			found = true;
			break;
		}
	}
	if (found)
		walk->n = old->ready_seq - 1;
	return found;
}

/*
 * A context that publishes a segment takes a number, puts the segment into the table, and then
 * clears its bit in ring->open. So a segment whose bit is already clear is in the table, unless
 * another segment has its entry now. In that case more segments became READY than the table has
 * entries, and a look at all segments is not more work.
 */
struct pa_segment *pa_recent_next(struct pa_ring *ring, struct pa_recent *recent)
{
	const unsigned int nr = ring->ctl->nr_segments;

	if (recent->i < nr && !recent->all) {
		recent->i = pa_open_next(ring, recent->i);
		if (recent->i < nr)
			return &ring->seg[recent->i++];
		/* Pairs with the barriers in pa_order_add() and pa_open_remove(). */
		smp_rmb();
		recent->last = atomic64_read(&ring->ready_seq);
	}
	while (recent->n < recent->last) {
		u64 n = ++recent->n, entry = READ_ONCE(*pa_order_at(ring, n));

		if (PA_ORDER_NR(entry) == n)
			return &ring->seg[PA_ORDER_SEG(entry)];
		if (PA_ORDER_NR(entry) > n) {
			recent->all = true;
			recent->i = 0;
			recent->last = 0;
		}
	}
	return recent->all && recent->i < nr ? &ring->seg[recent->i++] : NULL;
}
