// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a segment of frames: the segment is closed, so that it takes no more frames,
 * and published when the last frame that is being written has ended.
 */
#include <linux/preempt.h>

#include "ring/frame_word.h"
#include "ring/writer.h"

void pa_frames_publish(struct pa_segment *seg, u64 nr, u64 bytes)
{
	struct perfaux_segment *shared = seg->shared;
	u64 pos = pa_frames_word(seg) & PA_FRAMES_POS;

	if (!pos) {
		pa_segment_drop(seg);
		return;
	}
	WRITE_ONCE(shared->used, pos);
	/* Pairs with the reader's load-acquire. */
	smp_store_release(&shared->frames_end, pos);
	pa_count(&seg->ring->ctl->frames, nr);
	pa_count(&seg->ring->ctl->frame_bytes, bytes);
	pa_segment_publish(seg);
}

void pa_frames_complete(struct pa_segment *seg)
{
	pa_frames_publish(seg, READ_ONCE(seg->shared->nr_frames),
			  READ_ONCE(seg->shared->bytes));
}

/* Preemption is off. Returns whether this published the segment. */
static bool pa_frames_close_now(struct pa_segment *seg)
{
	s64 word = atomic64_read(&seg->frames);

	do {
		if (word & PA_FRAMES_CLOSED)
			return false;
	} while (!atomic64_try_cmpxchg(&seg->frames, &word,
				       word | PA_FRAMES_CLOSED));
	if (word & PA_FRAMES_OPEN)
		return false;
	pa_frames_complete(seg);
	return true;
}

/*
 * Close a segment for new frames. Returns whether this published the segment, which may then
 * belong to anybody. The context that must publish a segment must not be preempted before it
 * has done so: pa_frames_flush() waits for it, and so does pa_hold_round() if HOLD has counted
 * the segment but the segment is not HELD yet.
 */
bool pa_frames_close(struct pa_segment *seg)
{
	bool published;

	preempt_disable_notrace();
	published = pa_frames_close_now(seg);
	preempt_enable_notrace();
	return published;
}
