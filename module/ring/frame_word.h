/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The word of a segment of frames: what is reserved, and how many frames are being written.
 * See frame.c.
 */
#ifndef PERFAUX_RING_FRAME_WORD_H
#define PERFAUX_RING_FRAME_WORD_H

#include "ring/ring.h"

/* pa_segment.frames: bytes reserved, number of frames being written, flags */
#define PA_FRAMES_POS		GENMASK_ULL(31, 0)
#define PA_FRAMES_ONE		BIT_ULL(32)
#define PA_FRAMES_OPEN		GENMASK_ULL(61, 32)
#define PA_FRAMES_CLOSED	BIT_ULL(62)
/* Published although frames are being written, see pa_frames_abandon() */
#define PA_FRAMES_EARLY		BIT_ULL(63)

static inline u64 pa_frames_word(const struct pa_segment *seg)
{
	return atomic64_read(&seg->frames);
}

static inline void pa_frames_reset(struct pa_segment *seg)
{
	atomic64_set(&seg->frames, PA_FRAMES_CLOSED);
}

static inline bool pa_frames_are_open(const struct pa_segment *seg)
{
	return pa_frames_word(seg) & PA_FRAMES_OPEN;
}

/* frame_word.c: writers */
bool pa_frames_close(struct pa_segment *seg);
/*
 * Publish a segment in which no frame can be committed any more: @nr committed frames, @bytes
 * of data in them.
 */
void pa_frames_publish(struct pa_segment *seg, u64 nr, u64 bytes);
void pa_frames_complete(struct pa_segment *seg);

#endif /* PERFAUX_RING_FRAME_WORD_H */
