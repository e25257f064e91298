// SPDX-License-Identifier: GPL-2.0-only
/*
 * Segments: how a writer publishes one, and which ones its reader has released.
 *
 * A context takes a segment by a cmpxchg of the state word, which contains the number of this use
 * of the segment: if a writer is interrupted between looking and taking, the cmpxchg fails, and the
 * writer looks for another segment. The owner stores the next state.
 */
#include <linux/sched.h>

#include "ring/frame_word.h"
#include "ring/order.h"
#include "ring/process.h"
#include "ring/segment.h"
#include "ring/writer.h"

/* The marker is at most this far from the end. */
#define PA_TAIL_MAX	(64U << 10)

/*
 * Set the size of a segment and its marker, where the PMU should ask for an
 * interrupt. The room after the marker, an eighth of the segment but at least a
 * page if there are several, is for what the PMU writes until the interrupt is
 * served. A segment that is used up to the marker is full, so each span begins
 * below the marker and can be interrupted there.
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
 * HOLD with PERFAUX_FLUSH_SPANS wants all data that was written before. It takes the READY
 * segments first. It also wants the uses of segments that had begun by then: their numbers are
 * at most ring->wanted_seq. A segment in such a use that is published while HOLD is in progress
 * becomes HELD immediately, for at most ring->hold_room segments: if it were READY first, a
 * fast writer could overwrite it. No writer takes up a segment in such a use again after its
 * writer has left it.
 *
 * Return whether a HOLD in progress wants the use with number @seq. Any context.
 */
bool pa_hold_wants(const struct pa_ring *ring, u64 seq)
{
	return seq <= READ_ONCE(ring->wanted_seq);
}

/* Return whether the segment that is being published must become HELD. Any context. */
bool pa_hold_takes(struct pa_ring *ring, u64 seq)
{
	return pa_hold_wants(ring, seq) &&
	       atomic_dec_if_positive(&ring->hold_room) >= 0;
}

/* A segment can be used from now on: wake the ring if a writer found none. Any context. */
void pa_segment_freed(struct pa_ring *ring)
{
	/* Pairs with the barrier in pa_starve(): at least one side sees the other's store. */
	smp_mb();
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(ring);
}

/*
 * A segment has become READY: wake the reader if the watermark may be reached, or if a writer
 * waits for segments that the reader releases. Overwrite mode has no watermark. Any context.
 */
void pa_segment_published(struct pa_ring *ring)
{
	/* A full barrier: pairs with the one in pa_segments_any(), and see pa_segments_enough(). */
	u64 nr = atomic64_inc_return(&ring->published);

	if (nr >= READ_ONCE(ring->wake_at) ||
	    READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(ring);
}

/* Publish a segment. Preemption is off, or ring->lock is held: see pa_frames_close(). */
static void pa_segment_ready(struct pa_segment *seg, u64 seq)
{
	struct pa_ring *ring = seg->ring;
	typeof(ring->clock) clock = READ_ONCE(ring->clock);
	u64 ready_seq = atomic64_inc_return(&ring->ready_seq);
	enum perfaux_state state = PERFAUX_SEG_READY;

	WRITE_ONCE(seg->shared->ready_seq, ready_seq);
	pa_order_add(seg, ready_seq);
	/* After the segment is in the table: see pa_recent_next(). */
	pa_open_remove(seg);
	/*
	 * Read the clock after the number was taken: data in segments with a lower number had
	 * ended before this time. The writer has already read this clock in this context, for
	 * its span or frame.
	 */
	WRITE_ONCE(seg->shared->t_active, clock());
	if (pa_hold_takes(ring, seq)) {
		state = PERFAUX_SEG_HELD;
		pa_held_add(seg);
	}
	/* Pairs with the reader's load-acquire: nr_spans is final. */
	smp_store_release(&seg->shared->state, pa_state(seq, state));
	pa_order_ready(seg, ready_seq);
	if (ring->overwrite)
		pa_segment_freed(ring);
	else
		pa_segment_published(ring);
}

static void pa_segment_free(struct pa_segment *seg, u64 seq)
{
	pa_open_remove(seg);
	pa_free_push(seg, seq);
	pa_segment_freed(seg->ring);
}

/* Publish or free a segment that was IDLE and that the caller has CLAIMED. */
void pa_segment_close(struct pa_segment *seg, u64 seq)
{
	if (seg->shared->nr_spans)
		pa_segment_ready(seg, seq);
	else
		pa_segment_free(seg, seq);
}

bool pa_segment_released(const struct pa_segment *seg, u64 state)
{
	return (PERFAUX_STATE(state) == PERFAUX_SEG_READY ||
		PERFAUX_STATE(state) == PERFAUX_SEG_HELD) &&
	       READ_ONCE(*seg->mark) == PERFAUX_SEQ(state) &&
	       !pa_frames_are_open(seg);
}

/* Publish a segment of frames. No frame in it can be committed any more. */
void pa_segment_publish(struct pa_segment *seg)
{
	pa_segment_ready(seg, PERFAUX_SEQ(READ_ONCE(seg->shared->state)));
}

/* Free a segment of frames to which nobody has written a frame. */
void pa_segment_drop(struct pa_segment *seg)
{
	pa_segment_free(seg, PERFAUX_SEQ(READ_ONCE(seg->shared->state)));
}

/* The writer is done. The segment becomes IDLE if it has room left, otherwise READY. */
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
	/* Pairs with the cmpxchg of the next writer, which goes on from here. */
	smp_store_release(&shared->state, pa_state(seq, PERFAUX_SEG_IDLE));
	/* Pairs with the barrier in pa_starve(): at least one side sees the other's store. */
	smp_mb();
	if (READ_ONCE(ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(seg->ring);
}

/* Publish, or free, all IDLE segments. Returns whether there were any. */
bool pa_segments_publish_idle(struct pa_ring *ring)
{
	bool found = false;
	unsigned int i;

	for (i = pa_open_next(ring, 0); i < ring->ctl->nr_segments; i = pa_open_next(ring, i + 1)) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);
		u64 seq = PERFAUX_SEQ(state);
		unsigned long flags;

		if (PERFAUX_STATE(state) != PERFAUX_SEG_IDLE)
			continue;
		/* No interrupt on this CPU may find the segment CLAIMED by us. */
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

		/* A released segment does not count, even if a late frame keeps writers out. */
		n += PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		     READ_ONCE(*ring->seg[i].mark) != PERFAUX_SEQ(state);
	}
	return n;
}

/*
 * Return whether the watermark is reached. If it is not, writers wake the ring when that can have
 * changed.
 *
 * ring->published counts the segments that became READY. If N segments are READY and not released
 * when the counter is P, the watermark is not reached before the counter is P + watermark - N:
 * this is ring->wake_at. Such a bound stays true, so nobody has to count until the counter reaches
 * it, and several readers may store theirs. While a reader counts, the old bound is reached, so
 * that each segment that is published meanwhile wakes the reader again.
 */
bool pa_segments_enough(struct pa_ring *ring)
{
	/* Pairs with pa_segment_published(): the segments that it counted are READY. */
	u64 published = atomic64_read_acquire(&ring->published);
	unsigned int n;

	if (published < READ_ONCE(ring->wake_at))
		return false;
	n = pa_segments_ready(ring);
	if (n >= ring->ctl->watermark)
		return true;
	WRITE_ONCE(ring->wake_at, published + ring->ctl->watermark - n);
	return false;
}

/*
 * The caller has seen PERFAUX_CTL_STARVED: return whether any segment is READY. Later segments
 * wake the ring.
 */
bool pa_segments_any(struct pa_ring *ring)
{
	/*
	 * Pairs with pa_segment_published(): either the segment is seen READY here, or the flag is
	 * seen there.
	 */
	smp_mb();
	return pa_segments_ready(ring);
}
