/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a process has mapped, as the MMAP and MMAP2 records said it. A fork shares it with
 * its parent until one of the two maps something.
 */
#ifndef AUXREC_STATE_MAPS_H
#define AUXREC_STATE_MAPS_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* One record. Shared by all sets that have it; never changed. */
struct state_map {
	size_t refs;			/* keeps rec[] at a multiple of 8 */
	struct perf_event_header rec[];	/* with sample id */
};

struct state_maps {
	unsigned int refs;
	size_t nr, room;
	struct state_map **list;	/* by address, without overlaps */
};

/* NULL: nothing is mapped. */
struct state_maps *state_maps_get(struct state_maps *maps);
void state_maps_put(struct state_maps *maps, size_t *bytes);

/*
 * Adds what @rec maps, in place of what was there, to *@maps, which is replaced if it is
 * shared. @bytes: of memory, follows. Returns 0 or -ENOMEM.
 */
int state_maps_add(struct state_maps **maps, const struct perf_event_header *rec,
		   size_t *bytes);

/*
 * Drops those for which @keep says no; of a set that is shared too, for all who have it.
 * Returns how many.
 */
typedef bool (*state_maps_fn)(void *ctx, __u64 start, __u64 last);
size_t state_maps_filter(struct state_maps *maps, state_maps_fn keep, void *ctx,
			 size_t *bytes);

#endif /* AUXREC_STATE_MAPS_H */
