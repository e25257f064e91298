/* SPDX-License-Identifier: GPL-2.0-only */
/* An overwrite ring that auxgen writes to on all CPUs, and its HELD segments. */
#ifndef HOLD_LIB_H
#define HOLD_LIB_H

#include "auxgen_check.h"

/*
 * Open a ring, and for each CPU a disabled event that writes to it. Returns 0 or
 * -errno.
 */
int open_all(struct ring *ring, int *events, const int *cpus, int nr);
/* @how is event_enable() or event_disable(). Returns 0 or -errno. */
int switch_all(const int *events, int nr, int (*how)(int event));

/* The counter of segments that were overwritten */
const __u64 *overwritten(const struct ring *ring);

bool is_held(const struct ring *ring, uint32_t i);
uint32_t nr_held(const struct ring *ring);
/* Release the present use of a segment: write the number of the use to the segment's mark. */
void release(struct ring *ring, uint32_t i);

/* A use of a segment, which a writer may be writing to */
struct use {
	uint64_t seq;			/* its number; 0: nobody writes to the segment */
	uint64_t begin;			/* perfaux_segment.t_active */
};

struct use use_of(const struct ring *ring, uint32_t i);
/* Return whether segment @i has a span that had begun at @before, and is not HELD. */
bool is_left(const struct ring *ring, uint32_t i, const struct use *before);

#endif /* HOLD_LIB_H */
