/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gaps of the raw ring that a flight recorder has read: kept for as long as somebody may ask for
 * data of their time, in bounded memory. What is too many is told as fewer and longer ones, the
 * oldest first, of one queue if that suffices; none is forgotten.
 */
#ifndef AUXREC_GAPS_H
#define AUXREC_GAPS_H

#include <perfaux.h>
#include <stdbool.h>
#include <stddef.h>

/* More, about twice as many, only if there are so many queues and causes */
#define GAPS_MAX	1024

struct gaps {
	bool per_task;		/* data are in queues of threads, not of CPUs */
	struct perfaux_gap *list;	/* in the order in which they came */
	size_t nr, room;
};

/* Returns 0 or -ENOMEM: it is not kept. */
int gaps_add(struct gaps *g, const struct perfaux_gap *gap);
/* Forgets what ended before that time, ns. */
void gaps_trim(struct gaps *g, __u64 before);
void gaps_free(struct gaps *g);

#endif /* AUXREC_GAPS_H */
