// SPDX-License-Identifier: GPL-2.0-only
/* PERFAUX_IOC_HOLD, _UNHOLD: segments that are not overwritten for a while. */
#include <linux/slab.h>
#include <linux/sort.h>

#include "ring.h"

struct pa_candidate {
	u64 ready_seq;
	u64 state;
	struct pa_segment *seg;
};

static int pa_newest_first(const void *a, const void *b)
{
	const struct pa_candidate *x = a, *y = b;

	return x->ready_seq > y->ready_seq ? -1 : x->ready_seq < y->ready_seq;
}

static bool pa_candidate(struct pa_candidate *candidate, struct pa_segment *seg)
{
	/* Pairs with pa_segment_ready(): its ready_seq is of this use. */
	u64 state = smp_load_acquire(&seg->shared->state);

	/* One with frames that are written is not the reader's, see frame.c. */
	if (PERFAUX_STATE(state) != PERFAUX_SEG_READY ||
	    pa_frames_are_open(seg) || pa_segment_released(seg, state))
		return false;
	*candidate = (struct pa_candidate){
		.ready_seq = READ_ONCE(seg->shared->ready_seq),
		.state = state,
		.seg = seg,
	};
	return true;
}

/*
 * Up to @max segments that are READY now, @max 0: all. Returns how many or -ENOMEM.
 * Process context. ring->lock held.
 */
int pa_segments_hold(struct pa_ring *ring, unsigned int max)
{
	unsigned int nr = 0, i;
	struct pa_candidate *list;
	int held = 0;

	list = kvmalloc_array(ring->ctl->nr_segments, sizeof(*list), GFP_KERNEL | __GFP_NOWARN);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < ring->ctl->nr_segments; i++)
		nr += pa_candidate(&list[nr], &ring->seg[i]);
	sort(list, nr, sizeof(*list), pa_newest_first, NULL);
	for (i = 0; i < nr && (!max || held < max); i++) {
		u64 state = list[i].state;

		/* It may have been overwritten meanwhile: then it was old. */
		held += cmpxchg64(&list[i].seg->shared->state, state,
				  PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_HELD) ==
			state;
	}
	kvfree(list);
	return held;
}

/*
 * One of a use that is HELD becomes READY again. Its ready_seq is as it was: so is its
 * age. Returns whether it did. Process context.
 */
static bool pa_segment_unhold(struct pa_segment *seg, u64 state)
{
	/* Its mark may say so this moment: then a writer takes it from READY as well. */
	return PERFAUX_STATE(state) == PERFAUX_SEG_HELD &&
	       !pa_segment_released(seg, state) &&
	       cmpxchg64(&seg->shared->state, state,
			 PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_READY) == state;
}

/* Returns 0 or -ENOENT. Process context. */
int pa_segments_unhold(struct pa_ring *ring, u32 i, u64 seq)
{
	struct pa_segment *seg = &ring->seg[i];
	u64 state = READ_ONCE(seg->shared->state);

	return PERFAUX_SEQ(state) == seq && pa_segment_unhold(seg, state) ?
	       0 : -ENOENT;
}

void pa_segments_unhold_all(struct pa_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		pa_segment_unhold(&ring->seg[i],
				  READ_ONCE(ring->seg[i].shared->state));
}
