// SPDX-License-Identifier: GPL-2.0-only
/*
 * Distribute the segments of a ring over the NUMA nodes that have CPUs.
 */
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "ring/node.h"

#define PA_NODE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)

static bool pa_node_is_used(int node)
{
	return node_state(node, N_CPU) && node_state(node, N_MEMORY);
}

int pa_nodes_init(struct pa_ring *ring, unsigned int nr_segments)
{
	unsigned int used = 0;
	int node;

	for_each_node_state(node, N_MEMORY)
		used += pa_node_is_used(node);
	ring->nr_nodes = 1;
	if (used > 1) {
		ring->nr_nodes = nr_node_ids;
		ring->nodes = kvcalloc(nr_segments, sizeof(*ring->nodes), PA_NODE_GFP);
		if (!ring->nodes)
			return -ENOMEM;
	}
	ring->free = kvcalloc(ring->nr_nodes, sizeof(*ring->free), PA_NODE_GFP);
	return ring->free ? 0 : -ENOMEM;
}

void pa_nodes_free(struct pa_ring *ring)
{
	kvfree(ring->free);
	kvfree(ring->nodes);
}

/*
 * Neighbouring segments are on different nodes, so that each node has its share of any row of
 * segments.
 */
int pa_node_wanted(const struct pa_ring *ring, unsigned int i)
{
	unsigned int used = 0;
	int node;

	if (!ring->nodes)
		return NUMA_NO_NODE;
	for_each_node_state(node, N_MEMORY)
		used += pa_node_is_used(node);
	/* Nodes can have gone offline since pa_nodes_init(). */
	if (!used)
		return NUMA_NO_NODE;
	i %= used;
	for_each_node_state(node, N_MEMORY)
		if (pa_node_is_used(node) && !i--)
			return node;
	return NUMA_NO_NODE;
}

void pa_node_note(struct pa_segment *seg)
{
	struct pa_ring *ring = seg->ring;

	if (ring->nodes)
		ring->nodes[seg - ring->seg] = page_to_nid(virt_to_page(seg->pages[0]));
}
