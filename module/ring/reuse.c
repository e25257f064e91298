// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which segment a writer gets: a FREE one, one that its reader has released, one that was left
 * with room in it, or the oldest of those that may be overwritten. A writer gets a FREE or a
 * released segment of another NUMA node only if it has found none of its own node (node.h). A
 * writer's work does not grow with the number of segments, except for the search of a bitmap.
 */
#include <linux/jiffies.h>
#include <linux/smp.h>

#include "ring/frame_word.h"
#include "ring/keep.h"
#include "ring/node.h"
#include "ring/order.h"
#include "ring/segment.h"
#include "ring/writer.h"

/*
 * How often a writer looks for a segment before it gives up because others were faster. All
 * concurrent writers (other CPUs, and NMIs on this one) compete for the oldest segment, and a
 * writer on a virtual CPU may lose many times: the host may run other CPUs between its look at a
 * segment and its cmpxchg.
 */
#define PA_TRIES	64
/* How many segments a writer looks at in search of a released one */
#define PA_LOOKS	8

/* Move a segment from CLAIMED to BUSY. Until then nobody else looks at its other fields. */
static void pa_segment_busy(struct pa_segment *seg, u64 seq, u64 t_begin)
{
	struct perfaux_segment *shared = seg->shared;

	WRITE_ONCE(shared->cpu, smp_processor_id());
	WRITE_ONCE(shared->t_active, t_begin);
	/* Pairs with the reader's load-acquire: the reader sees the fields of this use. */
	smp_store_release(&shared->state, pa_state(seq, PERFAUX_SEG_BUSY));
}

/* Will a writer that takes the segment from state @from overwrite data? */
static bool pa_is_history(const struct pa_segment *seg, u64 from)
{
	/* Without overwrite mode the segment was released, whatever its mark is by now. */
	return seg->ring->overwrite && PERFAUX_STATE(from) == PERFAUX_SEG_READY &&
	       READ_ONCE(*seg->mark) != PERFAUX_SEQ(from);
}

/*
 * Note that a READY segment will be overwritten. Segments that became READY before it do not
 * belong to the history any more: most are gone already, except those that a HOLD kept. The note is
 * right even if another context is faster and takes the segment: segments that are older than the
 * oldest one do not exist, or are being overwritten.
 */
static void pa_history_ends(struct pa_segment *seg)
{
	struct pa_ring *ring = seg->ring;
	s64 ready = READ_ONCE(seg->shared->ready_seq), last;

	/* Pairs with pa_segments_hold(): this comes before the segment is CLAIMED. */
	last = atomic64_read(&ring->overwritten_seq);
	while (last < ready &&
	       !atomic64_try_cmpxchg(&ring->overwritten_seq, &last, ready))
		;
}

/*
 * If the segment, which is CLAIMED and was READY, became READY after the start of a HOLD that is in
 * progress, the data of that HOLD has a hole here. pa_hold_hole() waits until the segment is not
 * CLAIMED any more.
 */
static void pa_history_hole(struct pa_segment *seg)
{
	struct perfaux_segment *shared = seg->shared;
	struct pa_ring *ring = seg->ring;
	s64 span = S64_MAX, last;

	/* Pairs with pa_ring_hold(): a HOLD that begins does not reset what is noted here. */
	if (shared->ready_seq <= smp_load_acquire(&ring->hold_ready))
		return;
	if (shared->kind == PERFAUX_KIND_SPANS && shared->nr_spans)
		span = seg->spans->seq;
	last = atomic64_read(&ring->hole);
	while (last > span &&
	       !atomic64_try_cmpxchg(&ring->hole, &last, span))
		;
}

/*
 * Begin a new use of a segment that is FREE or released, or overwrite one. Returns false if
 * another writer was faster.
 */
static bool pa_segment_claim(struct pa_segment *seg, u64 from,
			     enum perfaux_kind kind, u64 t_begin)
{
	u64 seq = atomic64_inc_return(&seg->ring->claim_seq);
	struct perfaux_segment *shared = seg->shared;

	if (pa_is_history(seg, from))
		pa_history_ends(seg);
	if (!pa_move(seg, from, pa_state(seq, PERFAUX_SEG_CLAIMED)))
		return false;
	/* The reader may have released the segment since. */
	if (pa_is_history(seg, from)) {
		pa_lost(seg->ring, PERFAUX_CAUSE_OVERWRITTEN, shared->bytes);
		pa_history_hole(seg);
	}

	pa_open_add(seg);
	if (unlikely(seg->ring->keep))
		pa_keep_clear(seg);
	WRITE_ONCE(shared->nr_spans, 0);
	WRITE_ONCE(shared->used, 0);
	WRITE_ONCE(shared->bytes, 0);
	WRITE_ONCE(shared->frames_end, 0);
	WRITE_ONCE(shared->nr_frames, 0);
	WRITE_ONCE(shared->kind, kind);
	pa_count(&seg->ring->ctl->claims, 1);
	if (unlikely(!pa_node_is_near(seg)))
		pa_count(&seg->ring->ctl->far_claims, 1);
	pa_segment_busy(seg, seq, t_begin);
	return true;
}

/*
 * Go on in an IDLE segment, which has room left. If a HOLD in progress wants the segment,
 * publish it instead. Returns whether the caller may write to the segment.
 */
static bool pa_segment_reuse(struct pa_segment *seg, u64 from, u64 t_begin)
{
	u64 seq = PERFAUX_SEQ(from);

	if (!pa_move(seg, from, pa_state(seq, PERFAUX_SEG_CLAIMED)))
		return false;
	/* This load comes after the full barrier of the cmpxchg, see pa_hold_begin(). */
	if (pa_hold_wants(seg->ring, seq)) {
		pa_segment_close(seg, seq);
		return false;
	}
	pa_segment_busy(seg, seq, t_begin);
	return true;
}

/*
 * Claim a released segment. @near: only one of this CPU's node. Readers mostly release segments in
 * order, so look at the oldest one, @old, if any. Then look at a few others, each time at different
 * ones. pa_segments_give_back() finds the other released segments when a writer has found none.
 * Sets @again if another writer was faster.
 */
static struct pa_segment *pa_segment_look(struct pa_ring *ring, const struct pa_old *old, bool near,
					  enum perfaux_kind kind, u64 t_begin, bool *again)
{
	unsigned int nr = ring->ctl->nr_segments, looks = min_t(unsigned int, nr, PA_LOOKS);
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	unsigned int i = READ_ONCE(cpu->look);

	if (old && pa_segment_released(old->seg, old->state) &&
	    (!near || pa_node_is_near(old->seg))) {
		if (pa_segment_claim(old->seg, old->state, kind, t_begin))
			return old->seg;
		*again = true;
	}
	for (; looks; looks--) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		i = i + 1 < nr ? i + 1 : 0;
		if (!pa_segment_released(seg, state) || (near && !pa_node_is_near(seg)))
			continue;
		if (pa_segment_claim(seg, state, kind, t_begin)) {
			WRITE_ONCE(cpu->look, i);
			return seg;
		}
		*again = true;
	}
	WRITE_ONCE(cpu->look, i);
	return NULL;
}

/*
 * Take up a segment that another CPU left partly filled. Memory therefore follows the number of
 * running tasks, not the number of CPUs that they have used. Sets @again if another writer was
 * faster.
 */
static struct pa_segment *pa_segment_idle(struct pa_ring *ring, u64 t_begin, bool *again)
{
	unsigned int i;

	for (i = pa_open_next(ring, 0); i < ring->ctl->nr_segments; i = pa_open_next(ring, i + 1)) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		if (PERFAUX_STATE(state) != PERFAUX_SEG_IDLE)
			continue;
		if (pa_segment_reuse(seg, state, t_begin))
			return seg;
		*again = true;
	}
	return NULL;
}

/*
 * Close all segments of frames, which publishes those in which no frame is being written.
 * Returns whether any was published.
 */
static bool pa_segments_close_frames(struct pa_ring *ring)
{
	bool found = false;
	unsigned int i;

	if (!READ_ONCE(ring->has_frames))
		return false;
	for (i = pa_open_next(ring, 0); i < ring->ctl->nr_segments; i = pa_open_next(ring, i + 1))
		found |= pa_frames_close(&ring->seg[i]);
	return found;
}

/*
 * Overwrite @old, the oldest segment, or NULL if there is none. @may is set once pa_freeze_may()
 * has allowed this writer one segment, so that the writer does not ask again if it has to try
 * again.
 */
static struct pa_segment *pa_segment_overwrite(struct pa_ring *ring, const struct pa_old *old,
					       enum perfaux_kind kind, u64 t_begin, bool *may,
					       bool *again)
{
	if (!old) {
		/* No segment is READY, so those that are partly written are the oldest. */
		*again |= pa_segments_close_frames(ring);
		if (kind == PERFAUX_KIND_FRAMES)
			*again |= pa_segments_publish_idle(ring);
		return NULL;
	}
	if (!*may)
		*may = pa_freeze_may(ring);
	if (!*may)
		return NULL;
	if (pa_segment_claim(old->seg, old->state, kind, t_begin))
		return old->seg;
	*again = true;
	return NULL;
}

/* Claim @seg, a FREE segment that belongs to the caller, or NULL. */
static struct pa_segment *pa_segment_free_one(struct pa_segment *seg, enum perfaux_kind kind,
					      u64 t_begin)
{
	/* Nobody else moves a segment out of FREE. */
	if (seg)
		pa_segment_claim(seg, READ_ONCE(seg->shared->state), kind, t_begin);
	return seg;
}

/* Look once. Sets @again if another writer was faster. */
static struct pa_segment *pa_segment_try(struct pa_ring *ring, enum perfaux_kind kind,
					 u64 t_begin, bool *may, bool *again)
{
	struct pa_segment *seg = pa_segment_free_one(pa_free_pop(ring), kind, t_begin);
	struct pa_old oldest, *old = NULL;
	bool newer = false;

	if (seg)
		return seg;
	if (pa_order_oldest(ring, &oldest, &newer))
		old = &oldest;
	else if (ring->overwrite && newer)
		*again = true;
	if (ring->nodes) {
		seg = pa_segment_look(ring, old, true, kind, t_begin, again);
		if (!seg)
			seg = pa_segment_free_one(pa_free_pop_far(ring), kind, t_begin);
	}
	if (!seg)
		seg = pa_segment_look(ring, old, false, kind, t_begin, again);
	if (!seg && kind == PERFAUX_KIND_SPANS)
		seg = pa_segment_idle(ring, t_begin, again);
	if (!seg && ring->overwrite)
		seg = pa_segment_overwrite(ring, old, kind, t_begin, may, again);
	return seg;
}

static struct pa_segment *pa_segment_new(struct pa_ring *ring, enum perfaux_kind kind,
					 u64 t_begin)
{
	struct pa_segment *seg = NULL;
	bool again = true, may = false;
	int tries;

	for (tries = 0; !seg && again && tries < PA_TRIES; tries++) {
		again = false;
		seg = pa_segment_try(ring, kind, t_begin, &may, &again);
	}
	return seg;
}

/*
 * Return a BUSY segment that is used to less than its marker and has a free
 * span entry, or NULL if there is none.
 */
struct pa_segment *pa_segment_get(struct pa_ring *ring, u64 t_begin)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	unsigned int hint = READ_ONCE(cpu->hint);
	struct pa_segment *seg = &ring->seg[hint];
	u64 state = READ_ONCE(seg->shared->state);

	/* If another CPU has taken the segment up meanwhile, it is not IDLE, or not ours. */
	if (PERFAUX_STATE(state) == PERFAUX_SEG_IDLE &&
	    READ_ONCE(seg->shared->cpu) == smp_processor_id() &&
	    pa_segment_reuse(seg, state, t_begin))
		return seg;

	seg = pa_segment_new(ring, PERFAUX_KIND_SPANS, t_begin);
	if (seg)
		WRITE_ONCE(cpu->hint, seg - ring->seg);
	return seg;
}

/* Likewise for frames. pa_segment.frames of the returned segment is still closed. */
struct pa_segment *pa_segment_get_frames(struct pa_ring *ring)
{
	return pa_segment_new(ring, PERFAUX_KIND_FRAMES, 0);
}

/*
 * A writer has found no segment: set STARVED and wake the ring, so that released segments are
 * found, partly written ones are published, and events start again. The work that clears STARVED
 * runs only if a segment is available at the time of a wake-up. So STARVED may still be set from
 * an earlier loss, although segments came back since and were partly filled, while the reader
 * sleeps. Therefore wake the ring again even if STARVED is set, but once a jiffy, not for each
 * loss of a storm. If two contexts come here in one jiffy, for example an NMI and the context
 * that it interrupts, the cmpxchg() lets one of them through, and neither waits for the other.
 */
void pa_starve(struct pa_ring *ring)
{
	unsigned long last = READ_ONCE(ring->starved_at), now = jiffies;
	/* A full barrier: pairs with those in pa_segment_put() and pa_segment_freed(). */
	bool is_new = !(atomic_fetch_or(PERFAUX_CTL_STARVED,
					(atomic_t *)&ring->ctl->flags) &
			PERFAUX_CTL_STARVED);
	bool is_first = last != now &&
			cmpxchg(&ring->starved_at, last, now) == last;

	if (is_new || is_first)
		pa_ring_wake(ring);
}

/*
 * Spans or frames found no segment. Publish segments that are partly written,
 * so that the reader can give them back. Any context but NMI.
 */
void pa_segments_make_way(struct pa_ring *ring)
{
	if (!READ_ONCE(ring->has_frames))
		return;
	pa_segments_close_frames(ring);
	pa_segments_publish_idle(ring);
}

void pa_segments_give_back(struct pa_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];
		u64 state = READ_ONCE(seg->shared->state);

		if (pa_segment_released(seg, state) &&
		    pa_move(seg, state, pa_state(PERFAUX_SEQ(state), PERFAUX_SEG_FREE)))
			pa_free_link(seg);
	}
}

bool pa_segments_available(struct pa_ring *ring)
{
	const bool overwrite = ring->overwrite && !pa_freeze_is_full(ring);
	unsigned int i;

	pa_segments_give_back(ring);
	if (pa_free_any(ring))
		return true;
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		u64 state = READ_ONCE(ring->segments[i].state);

		if (PERFAUX_STATE(state) == PERFAUX_SEG_IDLE ||
		    /* A late frame keeps writers out of a segment: see pa_order_look(). */
		    (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		     overwrite && !pa_frames_are_open(&ring->seg[i])))
			return true;
	}
	return false;
}
