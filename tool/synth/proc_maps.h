/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes have mapped now, by /proc: for state_prune().
 */
#ifndef AUXREC_PROC_MAPS_H
#define AUXREC_PROC_MAPS_H

#include "history/state.h"

struct proc_maps {
	struct proc_range {
		__u64 start, last;
	} *list;			/* of one process, by address */
	size_t nr;
};

/* Answers from /proc; zero @maps before, and give it to proc_maps_free() behind. */
struct state_ask proc_maps_ask(struct proc_maps *maps);
void proc_maps_free(struct proc_maps *maps);

#endif /* AUXREC_PROC_MAPS_H */
