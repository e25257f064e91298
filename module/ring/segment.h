/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state word of a segment, for the files that change it (segment.c, reuse.c).
 */
#ifndef PERFAUX_RING_SEGMENT_H
#define PERFAUX_RING_SEGMENT_H

#include <linux/bitops.h>

#include "ring/bits.h"
#include "ring/ring.h"

static inline u64 pa_state(u64 seq, enum perfaux_state state)
{
	return seq << 8 | state;
}

static inline bool pa_move(struct pa_segment *seg, u64 from, u64 to)
{
	return cmpxchg64(&seg->shared->state, from, to) == from;
}

/*
 * ring->open has a bit for each segment that is BUSY or IDLE. The owner of a segment sets its bit
 * after it has moved the segment to CLAIMED, and clears the bit before the segment is READY, HELD
 * or FREE. If the segment becomes READY or HELD, it is in the table of order.c by then.
 * ring->nr_open is at least the number of bits. User space maps the bits read-only.
 */
static inline void pa_open_add(struct pa_segment *seg)
{
	atomic_inc(&seg->ring->nr_open);
	/* Count before the bit: see pa_open_next(). */
	smp_mb__after_atomic();
	set_bit(seg - seg->ring->seg, seg->ring->open);
}

static inline void pa_open_remove(struct pa_segment *seg)
{
	clear_bit(seg - seg->ring->seg, seg->ring->open);
	/* Likewise */
	smp_mb__after_atomic();
	atomic_dec(&seg->ring->nr_open);
}

/* Return the index of the first such segment from @i on, or nr_segments. */
static inline unsigned int pa_open_next(const struct pa_ring *ring, unsigned int i)
{
	if (!atomic_read(&ring->nr_open))
		return ring->ctl->nr_segments;
	return pa_next_bit(ring->open, ring->ctl->nr_segments, i);
}

/*
 * ring->held has a bit for each segment that is HELD, and may have bits of others. A HOLD that
 * takes a READY segment sets the bit before the HOLD ends. A writer that makes its own segment HELD
 * sets the bit before that. Only pa_segments_unhold_all() clears bits.
 */
static inline void pa_held_add(struct pa_segment *seg)
{
	WRITE_ONCE(seg->held_by, READ_ONCE(seg->ring->holds));
	set_bit(seg - seg->ring->seg, seg->ring->held);
}

/* The segment was IDLE and the caller has CLAIMED it. Writers. */
void pa_segment_close(struct pa_segment *seg, u64 seq);

#endif /* PERFAUX_RING_SEGMENT_H */
