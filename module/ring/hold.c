// SPDX-License-Identifier: GPL-2.0-only
/* PERFAUX_IOC_HOLD and _UNHOLD: keep segments from being overwritten for a while. */
#include <linux/minmax.h>
#include <linux/rcupdate.h>

#include "ring/bits.h"
#include "ring/frame_word.h"
#include "ring/order.h"
#include "ring/process.h"
#include "ring/segment.h"
#include "ring/writer.h"

/* Hold a segment that is READY. Returns false if a writer was faster. */
static bool pa_segment_hold(const struct pa_old *old)
{
	const u64 held = PERFAUX_SEQ(old->state) << 8 | PERFAUX_SEG_HELD;

	if (cmpxchg64(&old->seg->shared->state, old->state, held) != old->state)
		return false;
	pa_held_add(old->seg);
	return true;
}

/*
 * Begin a walk. If the last walk has seen a segment, only UNHOLD makes the segment READY with the
 * same number again, so this walk ends at the numbers of the last one. UNHOLD counts ring->unholds
 * when its segment is READY. An UNHOLD during a walk may come after the walk has passed the
 * segment. So a walk notes the count of its begin: if the count has changed, the next walk looks at
 * all numbers.
 */
static u64 pa_walk_begin(struct pa_ring *ring, struct pa_walk *walk)
{
	/* Pairs with pa_segment_unhold(): this walk sees the segments READY that were counted. */
	const u64 unholds = atomic64_read_acquire(&ring->unholds);

	*walk = (struct pa_walk){
		.n = atomic64_read(&ring->ready_seq),
		.seen = unholds == ring->hold_unholds ? ring->hold_seen : 0,
	};
	walk->low = walk->n + 1;
	return unholds;
}

/*
 * Hold up to @max segments that are READY now, newest first and without a hole: none that
 * became READY before a segment that was overwritten. An earlier HOLD may have kept such
 * segments while writers overwrote later ones. Returns how many are held. Process context.
 * ring->lock held.
 */
static unsigned int pa_segments_hold(struct pa_ring *ring, unsigned int max)
{
	unsigned int held = 0;
	struct pa_walk walk;
	struct pa_old old;
	u64 unholds = pa_walk_begin(ring, &walk);

	while (held < max) {
		if (!pa_walk_next(ring, &walk, atomic64_read(&ring->overwritten_seq), &old)) {
			ring->hold_seen = walk.low - 1;
			ring->hold_unholds = unholds;
			break;
		}
		/* Pairs with pa_history_ends(): newer segments that are gone are in the number. */
		smp_rmb();
		if (old.ready_seq < atomic64_read(&ring->overwritten_seq))
			break;
		if (pa_segment_released(old.seg, old.state))
			pa_walk_keep(&walk, old.ready_seq);
		else if (pa_segment_hold(&old))
			held++;
		/*
		 * If the reader released the segment, older ones still belong to the history. If
		 * a writer overwrote the segment, there would be a hole.
		 */
		else if (READ_ONCE(*old.seg->mark) != PERFAUX_SEQ(old.state))
			break;
	}
	return held;
}

/*
 * Return for how many open segments there is room. If @max is the number of all segments, do not
 * limit the room to nr_open. A writer may have taken a number from claim_seq before nr_open counts
 * its segment, and this segment would use up the room of another one.
 */
static unsigned int pa_hold_begin(struct pa_ring *ring, unsigned int max)
{
	unsigned int room = max;

	if (max < ring->ctl->nr_segments)
		room = min_t(unsigned int, atomic_read(&ring->nr_open), max);
	atomic_set(&ring->hold_room, room);
	WRITE_ONCE(ring->wanted_seq, atomic64_read(&ring->claim_seq));
	/*
	 * Pairs with the cmpxchg in pa_segment_reuse(): pa_ring_flush() stops each event
	 * for a moment, or sees that the event does not run. In the latter case the event's
	 * writer sees wanted_seq when the event runs again.
	 */
	smp_mb();
	/* Wait until writers that read the old wanted_seq have made their segments READY. */
	pa_ring_kick(ring, 0);
	return room;
}

/*
 * Wait for writers that had just taken up a wanted segment, which is CLAIMED, when
 * pa_ring_flush() came by. Such a writer publishes the segment if it still sees that the
 * segment is wanted. The writer is in NMI or has preemption off.
 */
static void pa_hold_wait(struct pa_ring *ring)
{
	struct pa_recent recent = { .n = ring->hold_ready };
	struct pa_segment *seg;

	while ((seg = pa_recent_next(ring, &recent)))
		smp_cond_load_acquire(&seg->shared->state,
				      PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED ||
				      !pa_hold_wants(ring, PERFAUX_SEQ(VAL)));
}

/* Hold the READY segments, then all open ones, up to @max. Returns how many are held. */
static unsigned int pa_hold_round(struct pa_ring *ring, u32 flags, unsigned int max)
{
	unsigned int room = pa_hold_begin(ring, max);
	unsigned int held = pa_segments_hold(ring, max < ring->ctl->nr_segments ?
						   max - room : max);

	if (flags & PERFAUX_HOLD_THAW)
		pa_thaw(ring);
	pa_ring_flush(ring, flags & PA_FLUSH_FLAGS);
	pa_hold_wait(ring);
	held += room - atomic_xchg(&ring->hold_room, 0);
	WRITE_ONCE(ring->wanted_seq, 0);
	atomic_set(&ring->hold_room, 0);
	/*
	 * No writer of spans is left that is about to publish a wanted segment. But the writer
	 * that ended the last frame of a segment may have taken room, which was counted above,
	 * and be about to make the segment HELD. It has preemption off, see pa_frames_close().
	 */
	if (ring->has_frames)
		synchronize_rcu();
	return held;
}

/*
 * Return whether an open segment, in a use with a number above @after, has a span with a
 * number of at most @seq.
 */
static bool pa_spans_are_left(struct pa_ring *ring, u64 after, u64 seq)
{
	struct pa_recent recent = { .n = ring->hold_ready };
	const struct pa_segment *seg;

	while ((seg = pa_recent_next(ring, &recent))) {
		u64 state = READ_ONCE(seg->shared->state);

		if (PERFAUX_SEQ(state) > after &&
		    (PERFAUX_STATE(state) == PERFAUX_SEG_CLAIMED ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_BUSY ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_IDLE) &&
		    /* Pairs with the store-release in pa_span_publish(). */
		    smp_load_acquire(&seg->shared->nr_spans) &&
		    READ_ONCE(seg->spans->seq) <= seq)
			return true;
	}
	return false;
}

/*
 * PERFAUX_FLUSH_SPANS ends the spans on one CPU after the other. Meanwhile the first CPUs begin
 * and end new spans, whose numbers are lower than those of the spans that end on the last CPUs.
 * A second round takes the segments of these new spans. The first round leaves room for it.
 */
static unsigned int pa_hold_spans(struct pa_ring *ring, u32 flags, unsigned int max, u64 *seq)
{
	unsigned int first = max;
	u64 claims = atomic64_read(&ring->claim_seq);
	unsigned int held;

	if (max < ring->ctl->nr_segments)
		first -= min_t(unsigned int, atomic_read(&ring->nr_open), max / 2);
	held = pa_hold_round(ring, flags, first);
	*seq = READ_ONCE(ring->ctl->seq);
	/* Wait until writers that have such a number have published their spans. */
	smp_mb();
	pa_ring_kick(ring, 0);
	if (held < max && pa_spans_are_left(ring, claims, *seq))
		held += pa_hold_round(ring, PERFAUX_FLUSH_SPANS,
				      max < ring->ctl->nr_segments ? max - held : max);
	return held;
}

/*
 * Return the number of the first span that became READY since HOLD began and is not HELD.
 * Either the caller's maximum left no room for its segment, while later ones may be HELD, or a
 * fast writer came round and overwrote the segment.
 */
static u64 pa_hold_hole(struct pa_ring *ring)
{
	struct pa_recent recent = { .n = ring->hold_ready };
	const struct pa_segment *seg;
	u64 hole = U64_MAX;

	while ((seg = pa_recent_next(ring, &recent))) {
		/*
		 * Include segments that are overwritten before the loop reaches them. A writer
		 * notes the hole while its segment is CLAIMED, in NMI or with preemption off, see
		 * pa_history_hole(). If a segment is used again during the look at it, the number
		 * that the loop reads is too low at worst. Pairs with pa_segment_ready().
		 */
		u64 state = smp_cond_load_acquire(&seg->shared->state,
						  PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED);

		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		    READ_ONCE(seg->shared->kind) == PERFAUX_KIND_SPANS &&
		    READ_ONCE(seg->shared->ready_seq) > ring->hold_ready)
			hole = min(hole, READ_ONCE(seg->spans->seq));
	}
	return min_t(u64, hole, atomic64_read(&ring->hole));
}

/*
 * Hold up to @max segments (0: all) and set @seq, see PERFAUX_IOC_HOLD. @flags are
 * PERFAUX_FLUSH_* and PERFAUX_HOLD_THAW. Returns how many are held. Process context. ring->lock
 * held.
 */
unsigned int pa_ring_hold(struct pa_ring *ring, u32 flags, unsigned int max, u64 *seq)
{
	u64 begin = READ_ONCE(ring->ctl->seq), hole;
	unsigned int held = 0;

	if (!max || max > ring->ctl->nr_segments)
		max = ring->ctl->nr_segments;
	WRITE_ONCE(ring->holds, ring->holds + 1);
	atomic64_set(&ring->hole, S64_MAX);
	/* Pairs with pa_history_ends(): a writer notes a hole only after hole was reset. */
	smp_store_release(&ring->hold_ready, atomic64_read(&ring->ready_seq));
	if (flags & PERFAUX_FLUSH_SPANS) {
		held = pa_hold_spans(ring, flags, max, seq);
	} else {
		pa_ring_flush(ring, flags);
		*seq = READ_ONCE(ring->ctl->seq);
	}
	held += pa_segments_hold(ring, max - min(held, max));
	hole = pa_hold_hole(ring);
	if (*seq >= hole)
		*seq = max(hole - 1, begin);
	WRITE_ONCE(ring->hold_ready, U64_MAX);
	return held;
}

/*
 * Make a segment READY again if it is HELD and still in the use that @state tells. The segment
 * keeps its ready_seq, and so its age. Returns whether it became READY. Process context.
 */
static bool pa_segment_unhold(struct pa_segment *seg, u64 state)
{
	u64 ready_seq = READ_ONCE(seg->shared->ready_seq);

	/* The reader may release it at this moment: a writer takes it from READY as well. */
	if (PERFAUX_STATE(state) != PERFAUX_SEG_HELD || pa_segment_released(seg, state) ||
	    cmpxchg64(&seg->shared->state, state,
		      PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_READY) != state)
		return false;
	pa_order_ready(seg, ready_seq);
	/* Pairs with pa_walk_begin(). */
	smp_mb__before_atomic();
	atomic64_inc(&seg->ring->unholds);
	if (!seg->ring->overwrite)
		pa_segment_published(seg->ring);
	return true;
}

/* Returns 0 or -ENOENT. Process context. */
int pa_segments_unhold(struct pa_ring *ring, u32 i, u64 seq)
{
	struct pa_segment *seg = &ring->seg[i];
	u64 state = READ_ONCE(seg->shared->state);

	return PERFAUX_SEQ(state) == seq && pa_segment_unhold(seg, state) ?
	       0 : -ENOENT;
}

/* ring->lock held, so that nobody makes a segment HELD. */
void pa_segments_unhold_all(struct pa_ring *ring)
{
	const unsigned int nr = ring->ctl->nr_segments;
	unsigned int i;

	for (i = pa_next_bit(ring->held, nr, 0); i < nr; i = pa_next_bit(ring->held, nr, i + 1)) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		/* A segment that is released stays HELD: the reader may take the mark back. */
		if (pa_segment_unhold(seg, state) || PERFAUX_STATE(state) != PERFAUX_SEG_HELD)
			clear_bit(i, ring->held);
	}
}

/*
 * Give back the segments that HOLD number @hold took but could not report to its caller.
 * Meanwhile other segments may have been HELD or given back. ring->lock held.
 */
void pa_hold_undo(struct pa_ring *ring, u64 hold)
{
	const unsigned int nr = ring->ctl->nr_segments;
	unsigned int i;

	for (i = pa_next_bit(ring->held, nr, 0); i < nr; i = pa_next_bit(ring->held, nr, i + 1))
		if (READ_ONCE(ring->seg[i].held_by) == hold)
			pa_segment_unhold(&ring->seg[i], READ_ONCE(ring->segments[i].state));
}
