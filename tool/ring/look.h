/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the segments of a raw ring that have something new for a reader, without a look at all of
 * them: see "How to find what is new" in perfaux.h.
 */
#ifndef AUXREC_LOOK_H
#define AUXREC_LOOK_H

#include <perfaux.h>

#include "ring/segment_set.h"

struct look {
	__u64 next;		/* number in the order table to go on with */
	/*
	 * The segments to look at. The reader removes a segment that it has seen READY, HELD or
	 * FREE. The next use of the segment adds it again.
	 */
	struct segment_set wanted;
};

/* Return 0 or -ENOMEM. */
int look_init(struct look *l, __u32 nr_segments);
void look_free(struct look *l);

/*
 * Add the segments that are open, and those that became READY since the last call. @ctl is where
 * the ring is mapped.
 */
void look_begin(struct look *l, const struct perfaux_control *ctl);

#endif /* AUXREC_LOOK_H */
