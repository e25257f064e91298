/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state word of a segment, for the files that change it (segment.c, reuse.c).
 */
#ifndef PERFAUX_RING_SEGMENT_H
#define PERFAUX_RING_SEGMENT_H

#include "ring/ring.h"

static inline u64 pa_state(u64 seq, enum perfaux_state state)
{
	return seq << 8 | state;
}

static inline bool pa_move(struct pa_segment *seg, u64 from, u64 to)
{
	return cmpxchg64(&seg->shared->state, from, to) == from;
}

/* The segment was IDLE and the caller has CLAIMED it. Writers. */
void pa_segment_close(struct pa_segment *seg, u64 seq);

#endif /* PERFAUX_RING_SEGMENT_H */
