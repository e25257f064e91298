/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The NUMA nodes of a ring's segments. A writer takes a segment whose memory is on its own node, as
 * long as the writer finds one that is FREE or released. The oldest segment of an overwrite ring is
 * overwritten on whichever node it is: otherwise the history would have holes.
 */
#ifndef PERFAUX_RING_NODE_H
#define PERFAUX_RING_NODE_H

#include <linux/topology.h>

#include "ring/ring.h"

/* node.c; process context */
/*
 * Allocate ring->free, and ring->nodes if several nodes have CPUs and memory. Set ring->nr_nodes.
 * Returns 0 or -ENOMEM.
 */
int pa_nodes_init(struct pa_ring *ring, unsigned int nr_segments);
void pa_nodes_free(struct pa_ring *ring);
/* Return the node on which to allocate segment @i, or NUMA_NO_NODE. */
int pa_node_wanted(const struct pa_ring *ring, unsigned int i);
/* Note the node of the segment's memory, which the caller has allocated. */
void pa_node_note(struct pa_segment *seg);

/* Return the number of the segment's node. */
static inline unsigned int pa_node_of(const struct pa_segment *seg)
{
	const u16 *nodes = seg->ring->nodes;

	return nodes ? nodes[seg - seg->ring->seg] : 0;
}

/* Return the number of the node of this CPU. */
static inline unsigned int pa_node_here(const struct pa_ring *ring)
{
	return ring->nodes ? numa_mem_id() : 0;
}

static inline bool pa_node_is_near(const struct pa_segment *seg)
{
	return pa_node_of(seg) == pa_node_here(seg->ring);
}

#endif /* PERFAUX_RING_NODE_H */
