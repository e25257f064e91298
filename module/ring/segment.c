// SPDX-License-Identifier: GPL-2.0-only
/*
 * Segments: how one that is in use ends that use, and what of it is free again.
 *
 * Every transition is a cmpxchg of the state word, which contains the number
 * of this use of the segment: a writer that was interrupted between looking
 * and taking fails and looks on.
 */
#include <linux/sched.h>

#include "ring/frame_word.h"
#include "ring/process.h"
#include "ring/segment.h"
#include "ring/writer.h"

/* The marker is at most this far from the end. */
#define PA_TAIL_MAX	(64U << 10)

/*
 * What a PMU may write between the interrupt that it is to ask for and its
 * being served: an eighth of the segment, a page at least. With that much used
 * a segment is full, so each span begins below the marker and can be
 * interrupted there.
 */
void pa_segment_set_size(struct pa_segment *seg, u32 size)
{
	u32 tail = min(size / 8, PA_TAIL_MAX);

	if (size > PAGE_SIZE)
		tail = max_t(u32, tail, PAGE_SIZE);
	seg->size = size;
	seg->marker = size - tail;
}

/*
 * HOLD with PERFAUX_FLUSH_SPANS wants all that was written before. What is READY is taken
 * first; of the uses that had begun by then, up to ring->wanted_seq, those that are
 * published while it goes on are HELD at once, as many as there is ring->hold_room for:
 * writers who go on overwrite others. And nobody goes on in such a use after it was left
 * for a moment.
 */
bool pa_hold_wants(const struct pa_ring *ring, u64 seq)
{
	return seq <= READ_ONCE(ring->wanted_seq);
}

/* One that is wanted is published: is it to be HELD? Any context. */
bool pa_hold_takes(struct pa_ring *ring, u64 seq)
{
	return pa_hold_wants(ring, seq) &&
	       atomic_dec_if_positive(&ring->hold_room) >= 0;
}

/* Somebody may be waiting for what can be written to from now on. Any context. */
void pa_segment_freed(struct pa_ring *ring)
{
	/* Pairs with the one in pa_starved(): one of us sees the other. */
	smp_mb();
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(ring);
}

/* Preemption is off, or ring->lock is held: see pa_frames_close(). */
static void pa_segment_ready(struct pa_segment *seg, u64 seq)
{
	struct pa_ring *ring = seg->ring;
	typeof(ring->clock) clock = READ_ONCE(ring->clock);

	WRITE_ONCE(seg->shared->ready_seq,
		   atomic64_inc_return(&ring->ready_seq));
	/*
	 * Behind the number: what has a lower one had ended before this time. Who writes has
	 * asked this clock in this context, for its span or frame.
	 */
	WRITE_ONCE(seg->shared->t_active, clock());
	/* Pairs with the reader's load-acquire: nr_spans is final. */
	smp_store_release(&seg->shared->state,
			  pa_state(seq, pa_hold_takes(ring, seq) ?
					PERFAUX_SEG_HELD : PERFAUX_SEG_READY));
	if (ring->overwrite)
		pa_segment_freed(ring);
	else
		pa_ring_wake(ring);
}

static void pa_segment_free(struct pa_segment *seg, u64 seq)
{
	WRITE_ONCE(seg->shared->state, pa_state(seq, PERFAUX_SEG_FREE));
	pa_segment_freed(seg->ring);
}

/* It was IDLE and the caller has CLAIMED it. */
void pa_segment_close(struct pa_segment *seg, u64 seq)
{
	if (seg->shared->nr_spans)
		pa_segment_ready(seg, seq);
	else
		pa_segment_free(seg, seq);
}

bool pa_segment_released(const struct pa_segment *seg, u64 state)
{
	return PERFAUX_STATE(state) == PERFAUX_SEG_FREE ||
	       ((PERFAUX_STATE(state) == PERFAUX_SEG_READY ||
		 PERFAUX_STATE(state) == PERFAUX_SEG_HELD) &&
		READ_ONCE(*seg->mark) == PERFAUX_SEQ(state) &&
		!pa_frames_are_open(seg));
}

/* Of frames, all of them ended. */
void pa_segment_publish(struct pa_segment *seg)
{
	pa_segment_ready(seg, PERFAUX_SEQ(READ_ONCE(seg->shared->state)));
}

/* Likewise, and there were none. */
void pa_segment_drop(struct pa_segment *seg)
{
	pa_segment_free(seg, PERFAUX_SEQ(READ_ONCE(seg->shared->state)));
}

/* The writer is done: there is room for another one, or the reader gets it. */
void pa_segment_put(struct pa_segment *seg)
{
	struct perfaux_segment *shared = seg->shared;
	struct perfaux_control *ctl = seg->ring->ctl;
	u64 seq = PERFAUX_SEQ(READ_ONCE(shared->state));

	WRITE_ONCE(shared->t_active, 0);
	if (shared->used >= seg->marker ||
	    shared->nr_spans == ctl->spans_per_segment) {
		pa_segment_ready(seg, seq);
		return;
	}
	/* Pairs with the cmpxchg of the next writer: it goes on from here. */
	smp_store_release(&shared->state, pa_state(seq, PERFAUX_SEG_IDLE));
	/* Pairs with the one in pa_output_begin(): one of us sees the other. */
	smp_mb();
	if (READ_ONCE(ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(seg->ring);
}

/* Returns whether there were any. */
bool pa_segments_publish_idle(struct pa_ring *ring)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);
		u64 seq = PERFAUX_SEQ(state);
		unsigned long flags;

		if (PERFAUX_STATE(state) != PERFAUX_SEG_IDLE)
			continue;
		/* A writer on this CPU must not wait for us in CLAIMED. */
		local_irq_save(flags);
		if (pa_move(seg, state, pa_state(seq, PERFAUX_SEG_CLAIMED))) {
			found = true;
			pa_segment_close(seg, seq);
		}
		local_irq_restore(flags);
	}
	return found;
}

unsigned int pa_segments_ready(struct pa_ring *ring)
{
	unsigned int i, n = 0;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		u64 state = READ_ONCE(ring->segments[i].state);

		/* A late frame keeps it from the writers, not the reader busy. */
		n += PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		     READ_ONCE(*ring->seg[i].mark) != PERFAUX_SEQ(state);
	}
	return n;
}
