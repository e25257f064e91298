/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gaps of the raw ring that a flight recorder has read. They are kept in bounded memory for as
 * long as a reader may ask for data of their time. If there are too many gaps, they are joined
 * into fewer and longer ones: the oldest first, and only those of one queue if that suffices.
 * Joining loses no gap.
 */
#ifndef AUXREC_GAPS_H
#define AUXREC_GAPS_H

#include <perfaux.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Gaps of the same queue, event and cause can be joined. So there are more gaps than this number
 * only if gaps with more than this number of combinations of the three have come. Then there are at
 * most about two gaps for each combination.
 */
#define GAPS_MAX	1024

struct gaps {
	bool per_task;		/* data is in queues of threads, not of CPUs */
	struct perfaux_gap *list;	/* in the order in which they came */
	size_t nr, room;
};

/* Return 0, or -ENOMEM if the gap is not kept. */
int gaps_add(struct gaps *g, const struct perfaux_gap *gap);
/* Forget gaps that ended before that time, ns. */
void gaps_trim(struct gaps *g, __u64 before);
void gaps_free(struct gaps *g);

#endif /* AUXREC_GAPS_H */
