/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding out from /proc which tasks live and what processes have mapped now, for state_prune().
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

/* Make a struct state_ask that asks /proc. The caller zeroes @maps before, and frees it after. */
struct state_ask proc_maps_ask(struct proc_maps *maps);
void proc_maps_free(struct proc_maps *maps);

#endif /* AUXREC_PROC_MAPS_H */
