// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which segment a writer gets: a free one, one that was left with room in it, or the oldest of
 * those that may be overwritten. Work is bounded by the number of segments.
 */
#include <linux/smp.h>

#include "ring/frame_word.h"
#include "ring/segment.h"
#include "ring/writer.h"

/* Rounds over the table that a writer makes before it gives up because others were faster. */
#define PA_TRIES	8
/*
 * Each round tries the PA_OLDEST oldest segments, because all concurrent writers (other CPUs,
 * and NMIs on this one) compete for the oldest one. A writer that loses PA_TRIES rounds gets no
 * segment. When 16 CPUs overwrote 256 segments as fast as they could, one of them lost three
 * rounds: the host ran other CPUs between that writer's look at the table and its cmpxchg.
 */
#define PA_OLDEST	8

/* Move a segment from CLAIMED to BUSY. Until then nobody else looks at its other fields. */
static void pa_segment_busy(struct pa_segment *seg, u64 seq, u64 t_begin)
{
	struct perfaux_segment *shared = seg->shared;

	WRITE_ONCE(shared->cpu, smp_processor_id());
	WRITE_ONCE(shared->t_active, t_begin);
	/* Pairs with the reader's load-acquire: the reader sees the fields of this use. */
	smp_store_release(&shared->state, pa_state(seq, PERFAUX_SEG_BUSY));
}

/*
 * Note that a READY segment is being overwritten. The segment is still CLAIMED, and
 * pa_overwritten() waits until it is not. Segments that became READY before this one do not
 * belong to the history any more: most are gone already, except those that a HOLD kept. If
 * this one became READY after the start of a HOLD that is in progress, the data of that HOLD
 * has a hole here.
 */
static void pa_history_ends(struct pa_segment *seg)
{
	struct perfaux_segment *shared = seg->shared;
	struct pa_ring *ring = seg->ring;
	s64 ready = shared->ready_seq, span = S64_MAX, last;

	last = atomic64_read(&ring->overwritten_seq);
	while (last < ready &&
	       !atomic64_try_cmpxchg(&ring->overwritten_seq, &last, ready))
		;
	/* Pairs with pa_ring_hold(): a HOLD that begins does not reset what is noted here. */
	if ((u64)ready <= smp_load_acquire(&ring->hold_ready))
		return;
	if (shared->kind == PERFAUX_KIND_SPANS && shared->nr_spans)
		span = seg->spans->seq;
	last = atomic64_read(&ring->hole);
	while (last > span &&
	       !atomic64_try_cmpxchg(&ring->hole, &last, span))
		;
}

/*
 * Begin a new use of a segment that is free or released, or overwrite one. Returns false if
 * another writer was faster.
 */
static bool pa_segment_claim(struct pa_segment *seg, u64 from,
			     enum perfaux_kind kind, u64 t_begin)
{
	u64 seq = atomic64_inc_return(&seg->ring->claim_seq);
	struct perfaux_segment *shared = seg->shared;

	if (!pa_move(seg, from, pa_state(seq, PERFAUX_SEG_CLAIMED)))
		return false;
	/* Without overwrite mode the segment was released, whatever its mark is by now. */
	if (seg->ring->overwrite && PERFAUX_STATE(from) == PERFAUX_SEG_READY &&
	    READ_ONCE(*seg->mark) != PERFAUX_SEQ(from)) {
		pa_lost(seg->ring, PERFAUX_CAUSE_OVERWRITTEN, shared->bytes);
		pa_history_ends(seg);
	}

	WRITE_ONCE(shared->nr_spans, 0);
	WRITE_ONCE(shared->used, 0);
	WRITE_ONCE(shared->bytes, 0);
	WRITE_ONCE(shared->frames_end, 0);
	WRITE_ONCE(shared->nr_frames, 0);
	WRITE_ONCE(shared->kind, kind);
	pa_count(&seg->ring->ctl->claims, 1);
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
 * Find a free segment or, if there is none, one that another CPU left partly
 * filled. Memory therefore follows the number of running tasks, not the number
 * of CPUs that they have used. Sets @again if another writer was faster.
 */
static struct pa_segment *pa_segment_find(struct pa_ring *ring,
					  unsigned int start,
					  enum perfaux_kind kind, u64 t_begin,
					  bool *again)
{
	unsigned int nr = ring->ctl->nr_segments, i;
	struct pa_segment *idle = NULL;
	u64 idle_state = 0;

	for (i = 0; i < nr; i++) {
		struct pa_segment *seg = &ring->seg[(start + i) % nr];
		u64 state = READ_ONCE(seg->shared->state);

		if (pa_segment_released(seg, state)) {
			if (pa_segment_claim(seg, state, kind, t_begin))
				return seg;
			*again = true;
		} else if (!idle && kind == PERFAUX_KIND_SPANS &&
			   PERFAUX_STATE(state) == PERFAUX_SEG_IDLE) {
			idle = seg;
			idle_state = state;
		}
	}
	if (!idle)
		return NULL;
	if (pa_segment_reuse(idle, idle_state, t_begin))
		return idle;
	*again = true;
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

	for (i = 0; READ_ONCE(ring->has_frames) && i < ring->ctl->nr_segments; i++)
		found |= pa_frames_close(&ring->seg[i]);
	return found;
}

/* Segments that may be overwritten, oldest first. If another CPU takes one, try the next. */
struct pa_oldest {
	unsigned int nr;
	struct pa_old {
		struct pa_segment *seg;
		u64 state, seq;
	} old[PA_OLDEST];
};

static void pa_oldest_add(struct pa_oldest *oldest, const struct pa_old *new)
{
	unsigned int i = oldest->nr;

	if (i < PA_OLDEST)
		oldest->nr++;
	else if (oldest->old[--i].seq <= new->seq)
		return;
	for (; i && oldest->old[i - 1].seq > new->seq; i--)
		oldest->old[i] = oldest->old[i - 1];
	oldest->old[i] = *new;
}

static void pa_oldest_find(struct pa_ring *ring, struct pa_oldest *oldest)
{
	unsigned int i;

	oldest->nr = 0;
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_old new = { .seg = &ring->seg[i] };

		new.state = READ_ONCE(new.seg->shared->state);
		new.seq = READ_ONCE(new.seg->shared->ready_seq);
		if (PERFAUX_STATE(new.state) == PERFAUX_SEG_READY &&
		    !pa_frames_are_open(new.seg))
			pa_oldest_add(oldest, &new);
	}
}

/*
 * Overwrite one of the oldest segments. @may is set once pa_freeze_may() has allowed this
 * writer one segment, so that the writer's later rounds do not ask again.
 */
static struct pa_segment *pa_segment_overwrite(struct pa_ring *ring,
					       enum perfaux_kind kind,
					       u64 t_begin, bool *may,
					       bool *again)
{
	struct pa_oldest oldest;
	unsigned int i;

	pa_oldest_find(ring, &oldest);
	if (!oldest.nr) {
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
	for (i = 0; i < oldest.nr; i++) {
		const struct pa_old *old = &oldest.old[i];

		if (pa_segment_claim(old->seg, old->state, kind, t_begin))
			return old->seg;
	}
	*again = true;
	return NULL;
}

static struct pa_segment *pa_segment_new(struct pa_ring *ring,
					 unsigned int start,
					 enum perfaux_kind kind, u64 t_begin)
{
	bool again = true, may = false;
	int tries;

	for (tries = 0; again && tries < PA_TRIES; tries++) {
		struct pa_segment *seg;

		again = false;
		seg = pa_segment_find(ring, start, kind, t_begin, &again);
		if (!seg && ring->overwrite)
			seg = pa_segment_overwrite(ring, kind, t_begin, &may,
						   &again);
		if (seg)
			return seg;
	}
	return NULL;
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

	seg = pa_segment_new(ring, hint, PERFAUX_KIND_SPANS, t_begin);
	if (seg)
		WRITE_ONCE(cpu->hint, seg - ring->seg);
	return seg;
}

/* Likewise for frames. pa_segment.frames of the returned segment is still closed. */
struct pa_segment *pa_segment_get_frames(struct pa_ring *ring)
{
	unsigned int start = READ_ONCE(this_cpu_ptr(ring->cpu)->frame_hint);

	return pa_segment_new(ring, start, PERFAUX_KIND_FRAMES, 0);
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

bool pa_segments_available(struct pa_ring *ring)
{
	const bool overwrite = ring->overwrite && !pa_freeze_is_full(ring);
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		u64 state = READ_ONCE(ring->segments[i].state);

		if (PERFAUX_STATE(state) == PERFAUX_SEG_IDLE ||
		    /* A late frame keeps writers out of a segment: see pa_oldest_find(). */
		    (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		     overwrite && !pa_frames_are_open(&ring->seg[i])) ||
		    pa_segment_released(&ring->seg[i], state))
			return true;
	}
	return false;
}
