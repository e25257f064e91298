/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where segments are found without a look at all of them: in the order in which they became
 * READY (order.c), and FREE ones (free.c). Any context.
 */
#ifndef PERFAUX_RING_ORDER_H
#define PERFAUX_RING_ORDER_H

#include "ring/ring.h"

/* A segment that may be overwritten, or that its reader has released */
struct pa_old {
	struct pa_segment *seg;
	u64 state;
	u64 ready_seq;
};

/* order.c */
void pa_order_init(struct pa_ring *ring);
/* The segment will become READY or HELD as number @n, which is its ready_seq already. */
void pa_order_add(struct pa_segment *seg, u64 n);
/*
 * The segment has become READY as number @n after pa_order_add(), or was HELD and is READY again.
 * Another writer may have claimed it since.
 */
void pa_order_ready(struct pa_segment *seg, u64 n);
/*
 * Find the segment that is READY for the longest time. Without overwrite mode, the caller can
 * use it only if it is released. Returns whether there is any. If not, @newer tells whether
 * segments became READY meanwhile, so that another look may find one.
 */
bool pa_order_oldest(struct pa_ring *ring, struct pa_old *old, bool *newer);

/* A walk from the newest to the oldest READY segment */
struct pa_walk {
	u64 n;				/* the number to continue with */
	u64 seen;			/* do not look for this and lower numbers in the table */
	u64 low;			/* see pa_walk_keep() */
};

/*
 * Find the next READY segment whose number is at least @least, and in which no frame is being
 * written. Process context. Returns whether there is any.
 */
bool pa_walk_next(struct pa_ring *ring, struct pa_walk *walk, u64 least, struct pa_old *old);
/*
 * Let the next walk look at number @n again, because its segment can be READY then. If a walk came
 * to its end, the next one does not have to look at numbers below the lowest of these, unless
 * UNHOLD has made a segment READY.
 */
void pa_walk_keep(struct pa_walk *walk, u64 n);

/* See pa_recent_next(). All other members are 0 at first. */
struct pa_recent {
	u64 n;				/* became READY after this number */
	u64 last;
	unsigned int i;
	bool all;
};

/*
 * Return the next of the segments that are open or that became READY or HELD after a number, or
 * NULL. A segment can come twice, and other segments can come, too. Process context.
 */
struct pa_segment *pa_recent_next(struct pa_ring *ring, struct pa_recent *recent);

/* free.c */
void pa_free_init(struct pa_ring *ring);
/* Put a segment, which the caller has made FREE, on the stack. */
void pa_free_link(struct pa_segment *seg);
/* Make a segment FREE in its use @seq. The caller owns the segment. */
void pa_free_push(struct pa_segment *seg, u64 seq);
/*
 * Return a FREE segment, which then belongs to the caller, or NULL if there is none.
 * pa_free_pop() looks only at this CPU's node, pa_free_pop_far() at all nodes.
 */
struct pa_segment *pa_free_pop(struct pa_ring *ring);
struct pa_segment *pa_free_pop_far(struct pa_ring *ring);
bool pa_free_any(const struct pa_ring *ring);

#endif /* PERFAUX_RING_ORDER_H */
