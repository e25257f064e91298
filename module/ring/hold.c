// SPDX-License-Identifier: GPL-2.0-only
/* PERFAUX_IOC_HOLD, _UNHOLD: segments that are not overwritten for a while. */
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "ring/frame_word.h"
#include "ring/process.h"
#include "ring/writer.h"

struct pa_candidate {
	u64 ready_seq;
	u64 state;
	struct pa_segment *seg;
};

static int pa_newest_first(const void *a, const void *b)
{
	const struct pa_candidate *x = a, *y = b;

	return x->ready_seq > y->ready_seq ? -1 : x->ready_seq < y->ready_seq;
}

static bool pa_candidate(struct pa_candidate *candidate, struct pa_segment *seg)
{
	/* Pairs with pa_segment_ready(): its ready_seq is of this use. */
	u64 state = smp_load_acquire(&seg->shared->state);

	/* One with frames that are written is not the reader's, see frame.c. */
	if (PERFAUX_STATE(state) != PERFAUX_SEG_READY ||
	    pa_frames_are_open(seg) || pa_segment_released(seg, state))
		return false;
	*candidate = (struct pa_candidate){
		.ready_seq = READ_ONCE(seg->shared->ready_seq),
		.state = state,
		.seg = seg,
	};
	return true;
}

/* Returns the number of the last READY segment that was overwritten before the call. */
static u64 pa_overwritten(struct pa_ring *ring)
{
	unsigned int i;

	/* Of a writer in NMI, or with preemption off, see pa_history_ends() */
	for (i = 0; i < ring->ctl->nr_segments; i++)
		smp_cond_load_acquire(&ring->segments[i].state,
				      PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED);
	return atomic64_read(&ring->overwritten_seq);
}

/*
 * Up to @max segments that are READY now, without a hole: none that became READY before one
 * that was overwritten. An earlier HOLD may have kept such ones, while writers overwrote
 * what came later. Returns how many or -ENOMEM. Process context. ring->lock held.
 */
static int pa_segments_hold(struct pa_ring *ring, unsigned int max)
{
	unsigned int nr = 0, i;
	struct pa_candidate *list;
	u64 overwritten;
	int held = 0;

	list = kvmalloc_array(ring->ctl->nr_segments, sizeof(*list), GFP_KERNEL | __GFP_NOWARN);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < ring->ctl->nr_segments; i++)
		nr += pa_candidate(&list[nr], &ring->seg[i]);
	overwritten = pa_overwritten(ring);
	sort(list, nr, sizeof(*list), pa_newest_first, NULL);
	for (i = 0; i < nr && held < max; i++) {
		u64 state = list[i].state;

		if (list[i].ready_seq < overwritten)
			break;
		if (cmpxchg64(&list[i].seg->shared->state, state,
			      PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_HELD) != state) {
			/* It was read: those before it are history all the same. */
			if (READ_ONCE(*list[i].seg->mark) == PERFAUX_SEQ(state))
				continue;
			/* It is overwritten, then so are the older ones. */
			break;
		}
		held++;
	}
	kvfree(list);
	return held;
}

static unsigned int pa_segments_open(const struct pa_ring *ring)
{
	unsigned int i, n = 0;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		u64 state = READ_ONCE(ring->segments[i].state);

		n += PERFAUX_STATE(state) == PERFAUX_SEG_CLAIMED ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_BUSY ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_IDLE;
	}
	return n;
}

/*
 * Returns for how many that are open there is room. With @max of all of them it is not
 * kept for those that are counted: a writer whose claim has its number and is not to be
 * seen yet would take that of an older one.
 */
static unsigned int pa_hold_begin(struct pa_ring *ring, unsigned int max)
{
	unsigned int room = max;

	if (max < ring->ctl->nr_segments)
		room = min(pa_segments_open(ring), max);
	atomic_set(&ring->hold_room, room);
	WRITE_ONCE(ring->wanted_seq, atomic64_read(&ring->claim_seq));
	/*
	 * Pairs with the cmpxchg in pa_segment_reuse(): pa_ring_flush() stops each event
	 * for a moment, or sees that it does not run; then it sees this when it does.
	 */
	smp_mb();
	/* Who looked before is to publish first what is READY then. */
	pa_ring_kick(ring, 0);
	return room;
}

/*
 * A writer who had taken one of them up when pa_ring_flush() came by publishes it, if it
 * still sees that it is wanted. It is in NMI or has preemption off.
 */
static void pa_hold_wait(struct pa_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		smp_cond_load_acquire(&ring->segments[i].state,
				      PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED ||
				      !pa_hold_wants(ring, PERFAUX_SEQ(VAL)));
}

/* What is READY, then all that is open: up to @max. Returns how many or -ENOMEM. */
static int pa_hold_round(struct pa_ring *ring, u32 flags, unsigned int max)
{
	unsigned int room = pa_hold_begin(ring, max);
	int held = pa_segments_hold(ring, max < ring->ctl->nr_segments ?
					  max - room : max);

	if (held >= 0) {
		if (flags & PERFAUX_HOLD_THAW)
			pa_thaw(ring);
		pa_ring_flush(ring, flags & PA_FLUSH_FLAGS);
		pa_hold_wait(ring);
		held += room - atomic_xchg(&ring->hold_room, 0);
	}
	WRITE_ONCE(ring->wanted_seq, 0);
	atomic_set(&ring->hold_room, 0);
	/*
	 * Of spans nobody is left who publishes one that is wanted; of frames who ends the
	 * last one may have taken room, which was counted, and be about to make it HELD: with
	 * preemption off, see pa_frames_close().
	 */
	if (ring->has_frames)
		synchronize_rcu();
	return held;
}

/* Has a use after number @after, that goes on, a span of up to number @seq? */
static bool pa_spans_are_left(const struct pa_ring *ring, u64 after, u64 seq)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		const struct perfaux_segment *seg = &ring->segments[i];
		u64 state = READ_ONCE(seg->state);

		if (PERFAUX_SEQ(state) > after &&
		    (PERFAUX_STATE(state) == PERFAUX_SEG_CLAIMED ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_BUSY ||
		     PERFAUX_STATE(state) == PERFAUX_SEG_IDLE) &&
		    /* Pairs with the one in pa_span_publish(). */
		    smp_load_acquire(&seg->nr_spans) &&
		    READ_ONCE(ring->seg[i].spans->seq) <= seq)
			return true;
	}
	return false;
}

/*
 * While spans are ended on one CPU after the other, the first ones begin and end new ones,
 * whose numbers are lower than those of the last ones: these are taken in a second round,
 * for which room is left.
 */
static int pa_hold_spans(struct pa_ring *ring, u32 flags, unsigned int max,
			 u64 *seq)
{
	unsigned int first = max;
	u64 claims = atomic64_read(&ring->claim_seq);
	int held, more = 0;

	if (max < ring->ctl->nr_segments)
		first -= min(pa_segments_open(ring), max / 2);
	held = pa_hold_round(ring, flags, first);
	if (held < 0)
		return held;
	*seq = READ_ONCE(ring->ctl->seq);
	/* Who has taken such a number is to have published the span. */
	smp_mb();
	pa_ring_kick(ring, 0);
	if (held < max && pa_spans_are_left(ring, claims, *seq))
		more = pa_hold_round(ring, PERFAUX_FLUSH_SPANS,
				     max < ring->ctl->nr_segments ? max - held : max);
	return more < 0 ? more : held + more;
}

/*
 * Returns the number of the first span that became READY since HOLD began and is not HELD:
 * there was no room in @max, and later ones may be HELD; or it was overwritten, as a fast
 * writer came round meanwhile.
 */
static u64 pa_hold_hole(struct pa_ring *ring)
{
	u64 hole = U64_MAX;
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		const struct pa_segment *seg = &ring->seg[i];
		/* Pairs with pa_segment_ready(). */
		u64 state = smp_load_acquire(&seg->shared->state);

		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		    READ_ONCE(seg->shared->kind) == PERFAUX_KIND_SPANS &&
		    READ_ONCE(seg->shared->ready_seq) > ring->hold_ready)
			hole = min(hole, READ_ONCE(seg->spans->seq));
	}
	/*
	 * What was overwritten before it was looked at. If a segment is used anew meanwhile,
	 * what was read is too low at worst.
	 */
	pa_overwritten(ring);
	return min_t(u64, hole, atomic64_read(&ring->hole));
}

/*
 * Up to @max segments, 0: all. @flags: PERFAUX_FLUSH_*, PERFAUX_HOLD_THAW. Returns how many
 * or -ENOMEM. Process context. ring->lock held.
 */
int pa_ring_hold(struct pa_ring *ring, u32 flags, unsigned int max, u64 *seq)
{
	u64 begin = READ_ONCE(ring->ctl->seq), hole;
	int held = 0, more;

	if (!max || max > ring->ctl->nr_segments)
		max = ring->ctl->nr_segments;
	atomic64_set(&ring->hole, S64_MAX);
	/* Pairs with pa_history_ends(): who notes a hole does so behind that. */
	smp_store_release(&ring->hold_ready, atomic64_read(&ring->ready_seq));
	if (flags & PERFAUX_FLUSH_SPANS) {
		held = pa_hold_spans(ring, flags, max, seq);
		if (held < 0)
			goto out;
	} else {
		pa_ring_flush(ring, flags);
		*seq = READ_ONCE(ring->ctl->seq);
	}
	more = pa_segments_hold(ring, max - min_t(unsigned int, held, max));
	held = more < 0 ? more : held + more;
	hole = pa_hold_hole(ring);
	if (*seq >= hole)
		*seq = max(hole - 1, begin);
out:
	WRITE_ONCE(ring->hold_ready, U64_MAX);
	return held;
}

/*
 * One of a use that is HELD becomes READY again. Its ready_seq is as it was: so is its
 * age. Returns whether it did. Process context.
 */
static bool pa_segment_unhold(struct pa_segment *seg, u64 state)
{
	/* Its mark may say so this moment: then a writer takes it from READY as well. */
	return PERFAUX_STATE(state) == PERFAUX_SEG_HELD &&
	       !pa_segment_released(seg, state) &&
	       cmpxchg64(&seg->shared->state, state,
			 PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_READY) == state;
}

/* Returns 0 or -ENOENT. Process context. */
int pa_segments_unhold(struct pa_ring *ring, u32 i, u64 seq)
{
	struct pa_segment *seg = &ring->seg[i];
	u64 state = READ_ONCE(seg->shared->state);

	return PERFAUX_SEQ(state) == seq && pa_segment_unhold(seg, state) ?
	       0 : -ENOENT;
}

void pa_segments_unhold_all(struct pa_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		pa_segment_unhold(&ring->seg[i],
				  READ_ONCE(ring->seg[i].shared->state));
}

/*
 * Before HOLD number @hold and after it: which ones has it taken? They are HELD, and were not
 * so before in this use. ring->lock held.
 */
void pa_hold_note(struct pa_ring *ring, u64 hold)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		if (PERFAUX_STATE(state) != PERFAUX_SEG_HELD) {
			seg->held_by = 0;
		} else if (!seg->held_by || seg->held_seq != PERFAUX_SEQ(state)) {
			seg->held_by = hold;
			seg->held_seq = PERFAUX_SEQ(state);
		}
	}
}

/*
 * Gives back what that one has taken and nobody was told of. Others may have been HELD, or
 * given back, since. ring->lock held.
 */
void pa_hold_undo(struct pa_ring *ring, u64 hold)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		if (seg->held_by == hold && seg->held_seq == PERFAUX_SEQ(state))
			pa_segment_unhold(seg, state);
	}
}
