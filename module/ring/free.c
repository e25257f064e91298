// SPDX-License-Identifier: GPL-2.0-only
/*
 * FREE segments are on a stack, so that a writer finds one without a look at others. On a machine
 * with several NUMA nodes, each node has a stack for the segments whose memory is on that node.
 *
 * The low 16 bits of a stack's word are the index + 1 of the segment on top. The higher bits are a
 * number that each pop changes. A context that is interrupted in a pop, while others pop and push
 * the same segment again, finds another number, and its cmpxchg fails.
 *
 * A FREE segment belongs to the context that pops it: nobody else moves a segment out of FREE.
 */
#include "ring/node.h"
#include "ring/order.h"
#include "ring/segment.h"

#define PA_FREE_TOP(word)	((word) & 0xffff)
#define PA_FREE_POP		BIT_ULL(16)

static_assert(PA_MAX_SEGMENTS < 0xffff);

/* Put all segments on the stacks, the first one on top. The ring is new. */
void pa_free_init(struct pa_ring *ring)
{
	unsigned int i;

	for (i = ring->ctl->nr_segments; i; i--)
		pa_free_link(&ring->seg[i - 1]);
}

void pa_free_link(struct pa_segment *seg)
{
	struct pa_ring *ring = seg->ring;
	atomic64_t *free = &ring->free[pa_node_of(seg)].word;
	s64 word = atomic64_read(free);

	do {
		WRITE_ONCE(seg->next_free, PA_FREE_TOP(word));
	} while (!atomic64_try_cmpxchg(free, &word,
				       word - PA_FREE_TOP(word) + (seg - ring->seg) + 1));
}

void pa_free_push(struct pa_segment *seg, u64 seq)
{
	WRITE_ONCE(seg->shared->state, pa_state(seq, PERFAUX_SEG_FREE));
	pa_free_link(seg);
}

static struct pa_segment *pa_free_pop_from(struct pa_ring *ring, unsigned int node)
{
	atomic64_t *free = &ring->free[node].word;
	s64 word = atomic64_read(free);
	struct pa_segment *seg;

	do {
		if (!PA_FREE_TOP(word))
			return NULL;
		seg = &ring->seg[PA_FREE_TOP(word) - 1];
		/* If another context has popped the segment, next_free may be anything. */
	} while (!atomic64_try_cmpxchg(free, &word,
				       word - PA_FREE_TOP(word) + PA_FREE_POP +
				       READ_ONCE(seg->next_free)));
	return seg;
}

struct pa_segment *pa_free_pop(struct pa_ring *ring)
{
	return pa_free_pop_from(ring, pa_node_here(ring));
}

struct pa_segment *pa_free_pop_far(struct pa_ring *ring)
{
	struct pa_segment *seg = NULL;
	unsigned int node;

	for (node = 0; !seg && node < ring->nr_nodes; node++)
		seg = pa_free_pop_from(ring, node);
	return seg;
}

bool pa_free_any(const struct pa_ring *ring)
{
	unsigned int node;

	for (node = 0; node < ring->nr_nodes; node++)
		if (PA_FREE_TOP(atomic64_read(&ring->free[node].word)))
			return true;
	return false;
}
