// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames: data of any length in segments that any context may write to, on any
 * CPU, at the same time.
 *
 * One word, pa_segment.frames, tells how many bytes of a segment are reserved and how
 * many of its frames are being written. A writer that advances the position owns the
 * bytes in between. While frames are being written the segment cannot be published, so
 * nobody else can use it anew. A closed segment takes no more frames. The last of its
 * writers publishes it or, if there is none, the context that closed it.
 *
 * Each CPU has a segment of its own, so that the word is rarely contended. If no
 * segment is left, a CPU writes to the segments of other CPUs.
 *
 * frames_end tells the reader up to where all frames are complete. A writer that is
 * alone in the segment advances it before leaving the segment: until then nobody can
 * have used the segment anew.
 *
 * Context: the writers' functions run in any context up to NMI.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "ring/frame_word.h"
#include "ring/process.h"
#include "ring/segment.h"
#include "ring/writer.h"

/* How many new segments a writer tries: contexts that interrupt it may fill each of them. */
#define PA_FRAME_TRIES		3

static u64 pa_frame_state(u64 seq, enum perfaux_frame_state state)
{
	return seq << 8 | state;
}

/* Return a new frame, in which only state and segment are set, or NULL. */
static struct perfaux_frame *pa_frame_try(struct pa_segment *seg, u32 need)
{
	s64 word = atomic64_read(&seg->frames);
	struct perfaux_frame *frame;

	do {
		if (word & PA_FRAMES_CLOSED ||
		    (word & PA_FRAMES_POS) + need > seg->size)
			return NULL;
	} while (!atomic64_try_cmpxchg(&seg->frames, &word,
				       word + need + PA_FRAMES_ONE));

	frame = seg->base + (word & PA_FRAMES_POS);
	frame->segment = seg - seg->ring->seg;
	WRITE_ONCE(frame->state,
		   pa_frame_state(PERFAUX_SEQ(READ_ONCE(seg->shared->state)),
				  PERFAUX_FRAME_RESERVED));
	return frame;
}

static struct perfaux_frame *pa_frame_try_all(struct pa_ring *ring, u32 need)
{
	struct perfaux_frame *frame = NULL;
	unsigned int i;

	for (i = pa_open_next(ring, 0); i < ring->ctl->nr_segments; i = pa_open_next(ring, i + 1)) {
		frame = pa_frame_try(&ring->seg[i], need);
		if (frame)
			break;
	}
	return frame;
}

static struct perfaux_frame *pa_frame_find(struct pa_ring *ring, u32 need)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	struct pa_segment *seg = &ring->seg[READ_ONCE(cpu->frame_hint)];
	bool mine = READ_ONCE(seg->shared->cpu) == smp_processor_id();
	struct perfaux_frame *frame;
	int tries;

	frame = mine ? pa_frame_try(seg, need) : NULL;
	if (frame)
		return frame;
	for (tries = 0; tries < PA_FRAME_TRIES; tries++) {
		struct pa_segment *full = mine ? seg : NULL;

		seg = pa_segment_get_frames(ring);
		if (!seg)
			break;
		/* Not before there is a new segment: smaller frames may still fit. */
		if (full)
			pa_frames_close(full);
		mine = false;
		WRITE_ONCE(cpu->frame_hint, seg - ring->seg);
		/* From here on other contexts can write to the new segment. */
		atomic64_set_release(&seg->frames, 0);
		frame = pa_frame_try(seg, need);
		if (frame)
			return frame;
		pa_frames_close(seg);
	}
	return pa_frame_try_all(ring, need);
}

/*
 * Reserve a frame with room for @length bytes. The caller fills in the data and the
 * fields from flags to tid, and then calls pa_frame_end(). Returns NULL and sets
 * @cause if there is no room.
 */
struct perfaux_frame *pa_frame_reserve(struct pa_ring *ring, u32 length,
				       enum perfaux_cause *cause)
{
	const u64 need = sizeof(struct perfaux_frame) + ALIGN((u64)length, 8);
	struct perfaux_frame *frame;

	*cause = PERFAUX_CAUSE_TOO_LARGE;
	if (need > ring->ctl->segment_size)
		return NULL;
	/* Preemption is off so that pa_frames_flush() can wait for the frame's length. */
	preempt_disable_notrace();
	frame = pa_frame_find(ring, need);
	if (frame)
		frame->length = length;
	preempt_enable_notrace();
	if (frame)
		return frame;
	*cause = pa_full_cause(ring);
	pa_starve(ring);
	return NULL;
}

/* Advance frames_end to @end. Others may advance it to other frames at the same time. */
static void pa_frames_show(struct pa_segment *seg, u64 end)
{
	u64 old = READ_ONCE(seg->shared->frames_end);

	while (old < end) {
		u64 seen = cmpxchg64(&seg->shared->frames_end, old, end);

		if (seen == old)
			break;
		old = seen;
	}
}

/* End a frame, which then is not the caller's any more. */
void pa_frame_end(struct pa_ring *ring, struct perfaux_frame *frame,
		  enum perfaux_frame_state how)
{
	struct pa_segment *seg = &ring->seg[frame->segment];
	struct perfaux_segment *shared = seg->shared;
	u64 seq = PERFAUX_SEQ(READ_ONCE(shared->state));
	u64 from = pa_frame_state(seq, PERFAUX_FRAME_RESERVED);
	s64 word;

	/* If the cmpxchg fails, the frame was given up meanwhile (pa_frames_abandon()). */
	if (cmpxchg64(&frame->state, from, pa_frame_state(seq, how)) == from &&
	    how == PERFAUX_FRAME_COMMITTED) {
		atomic_inc((atomic_t *)&shared->nr_frames);
		pa_count(&shared->bytes, frame->length);
	}

	/* No preemption before the segment is published, as in pa_frames_close(). */
	preempt_disable_notrace();
	word = atomic64_read(&seg->frames);
	do {
		if ((word & PA_FRAMES_OPEN) == PA_FRAMES_ONE &&
		    !(word & PA_FRAMES_EARLY))
			pa_frames_show(seg, word & PA_FRAMES_POS);
	} while (!atomic64_try_cmpxchg(&seg->frames, &word,
				       word - PA_FRAMES_ONE));
	if ((word & PA_FRAMES_OPEN) == PA_FRAMES_ONE) {
		if (word & PA_FRAMES_EARLY)
			pa_segment_freed(ring);
		else if (word & PA_FRAMES_CLOSED)
			pa_frames_complete(seg);
	}
	preempt_enable_notrace();
}

/* Return the offset of a frame in its segment, in bytes. */
u32 pa_frame_offset(struct pa_ring *ring, const struct perfaux_frame *frame)
{
	return (const void *)frame - ring->seg[frame->segment].base;
}

/*
 * Take a segment whose frames are not all committed away from its writers, which may
 * be anywhere in their frames. Returns whether the segment was taken.
 */
static bool pa_frames_take(struct pa_segment *seg)
{
	s64 word = atomic64_read(&seg->frames);

	do {
		if (!(word & PA_FRAMES_OPEN) || word & PA_FRAMES_EARLY)
			return false;
	} while (!atomic64_try_cmpxchg(&seg->frames, &word,
				       word | PA_FRAMES_EARLY |
				       PA_FRAMES_CLOSED));
	return true;
}

/*
 * Publish a segment that was taken, once all its frames have their length. Frames
 * that are not committed by now cannot be committed any more. The segment's memory is
 * not used for anything else until their writers have tried to commit, see
 * pa_segment_released().
 */
static void pa_frames_abandon(struct pa_segment *seg)
{
	u64 end = pa_frames_word(seg) & PA_FRAMES_POS;
	struct pa_ring *ring = seg->ring;
	u64 nr = 0, bytes = 0, from;
	u32 at = 0;

	from = pa_frame_state(PERFAUX_SEQ(READ_ONCE(seg->shared->state)),
			      PERFAUX_FRAME_RESERVED);
	while (at < end) {
		struct perfaux_frame *frame = seg->base + at;
		u64 to = from - PERFAUX_FRAME_RESERVED +
			 PERFAUX_FRAME_ABANDONED;

		if (cmpxchg64(&frame->state, from, to) == from)
			pa_lost(ring, PERFAUX_CAUSE_ABANDONED, frame->length);
		if (PERFAUX_STATE(frame->state) == PERFAUX_FRAME_COMMITTED) {
			nr++;
			bytes += frame->length;
		}
		at += sizeof(*frame) + ALIGN(frame->length, 8);
	}
	pa_frames_publish(seg, nr, bytes);
}

/* Take all segments whose frames are not all committed. Returns whether there are any. */
static bool pa_frames_take_all(struct pa_ring *ring)
{
	const unsigned int nr = ring->ctl->nr_segments;
	bool any = false;
	unsigned int i;

	for (i = pa_open_next(ring, 0); i < nr; i = pa_open_next(ring, i + 1)) {
		ring->seg[i].is_taken = pa_frames_take(&ring->seg[i]);
		any |= ring->seg[i].is_taken;
	}
	return any;
}

/*
 * See PERFAUX_IOC_FLUSH. A segment whose frames are being written stays in ring->open. ring->lock
 * held.
 */
void pa_frames_flush(struct pa_ring *ring, bool abandon)
{
	const unsigned int nr = ring->ctl->nr_segments;
	unsigned int i;

	if (!ring->has_frames)
		return;
	for (i = pa_open_next(ring, 0); i < nr; i = pa_open_next(ring, i + 1))
		pa_frames_close(&ring->seg[i]);
	/*
	 * Wait for samples that are being written: this happens with preemption off, or
	 * in a BPF program, which is an RCU reader. See __perf_event_output().
	 */
	synchronize_rcu();
	if (!abandon || !pa_frames_take_all(ring))
		return;
	/* Wait for writers that have just reserved a frame, see pa_frame_reserve(). */
	synchronize_rcu();
	for (i = pa_open_next(ring, 0); i < nr; i = pa_open_next(ring, i + 1)) {
		if (!ring->seg[i].is_taken)
			continue;
		ring->seg[i].is_taken = false;
		pa_frames_abandon(&ring->seg[i]);
	}
}

static void *pa_segment_map(const struct pa_segment *seg, unsigned int nr)
{
	struct page **pages;
	unsigned int i;
	void *base;

	if (nr <= 1U << seg->contig_order)
		return seg->pages[0];
	pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return NULL;
	for (i = 0; i < nr; i++)
		pages[i] = virt_to_page(seg->pages[i]);
	base = vmap(pages, nr, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return base;
}

/* Prepare the ring for frames. Returns 0 or -ENOMEM. ring->lock held. */
int pa_frames_init(struct pa_ring *ring)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i;

	if (ring->has_frames)
		return 0;
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		if (!seg->base)
			seg->base = pa_segment_map(seg, nr);
		if (!seg->base)
			return -ENOMEM;
		cond_resched();
	}
	WRITE_ONCE(ring->has_frames, true);
	return 0;
}

/* Undo pa_frames_init(), also if it made only some of the mappings. No writer is left. */
void pa_frames_exit(struct pa_ring *ring)
{
	unsigned int i;

	for (i = 0; ring->seg && i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		if (seg->base && seg->base != seg->pages[0])
			vunmap(seg->base);
		seg->base = NULL;
	}
}
