/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of a process, from its MMAP and MMAP2 records. A fork shares the set of maps with
 * its parent until one of the two maps something.
 */
#ifndef AUXREC_STATE_MAPS_H
#define AUXREC_STATE_MAPS_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* The record of one map. All sets that have it share it, and it never changes. */
struct state_map {
	size_t refs;			/* keeps rec[] at a multiple of 8 */
	struct perf_event_header rec[];	/* with sample id */
};

struct state_maps {
	unsigned int refs;
	size_t nr, room;
	struct state_map **list;	/* by address, without overlaps */
};

/* @maps can be NULL, which means that nothing is mapped. */
struct state_maps *state_maps_get(struct state_maps *maps);
void state_maps_put(struct state_maps *maps, size_t *bytes);

/*
 * Add the map of @rec to *@maps. The new map replaces the parts of other maps that it overlaps. If
 * the set is shared, *@maps becomes another set. @bytes: the memory in use, which is updated.
 * Return 0 or -ENOMEM.
 */
int state_maps_add(struct state_maps **maps, const struct perf_event_header *rec,
		   size_t *bytes);

/*
 * Drop the maps for which @keep returns false. If the set is shared, all sharers lose these
 * maps. Return how many were dropped.
 */
typedef bool (*state_maps_fn)(void *ctx, __u64 start, __u64 last);
size_t state_maps_filter(struct state_maps *maps, state_maps_fn keep, void *ctx,
			 size_t *bytes);

#endif /* AUXREC_STATE_MAPS_H */
