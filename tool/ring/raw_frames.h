/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the frames of the raw ring. The reference in a sample leads to the sample's frame.
 * Other frames are found by going through the segments. A segment is released when all of
 * its frames were written out.
 */
#ifndef AUXREC_FRAMES_H
#define AUXREC_FRAMES_H

#include "ring/rawring.h"

struct frames_segment {
	__u64 seq;		/* of this use; 0: none seen yet */
	__u32 walked;		/* bytes that frames_walk() has gone through */
	__u32 wanted;		/* frames that belong to a sample */
	__u32 joined;		/* frames whose sample came */
	__u8 *done;		/* a bit for each 8 bytes: the sample of the frame here came */
	bool ready;		/* READY or HELD, and walked completely */
	bool early;		/* contains frames from before frames.begin */
	bool waits;		/* was ready and incomplete in the last frames_are_late() */
	bool late;		/* was ready and incomplete in the last two calls */
};

struct frames {
	struct rawring *ring;
	struct frames_segment *seg;
	struct look look;
	struct segment_set kept;	/* segments in use, not released yet */
	bool held_only;		/* read only HELD segments, and release them by UNHOLD */
	__u64 begin;		/* ns; frames before this time count only if their sample comes */
};

/* Called for a frame that belongs to no sample, or (@lost_sample) whose sample did not come. */
typedef int (*frames_fn)(void *ctx, const struct perfaux_frame *frame,
			 bool lost_sample);

/* Return 0 or -ENOMEM. */
int frames_init(struct frames *f, struct rawring *ring);
void frames_free(struct frames *f);

/* Is @raw, the raw data of a sample, a reference? */
bool frames_reference(const struct frames *f, const void *raw, __u32 size,
		      struct perfaux_reference *ref);

/*
 * Return the frame of a sample. From now on the frame counts as written: the caller must
 * write its data out before frames_release(). NULL: the frame is not there any more, was
 * returned before, or does not match the reference.
 */
const struct perfaux_frame *frames_join(struct frames *f,
					const struct perfaux_reference *ref);

/*
 * Go through the new frames of all segments. Call this when the main rings were read. @fn
 * is called for each committed frame that belongs to no sample. Return 0, what @fn returned,
 * -EBADMSG (the ring is broken) or -ENOMEM.
 */
int frames_walk(struct frames *f, frames_fn fn, void *ctx);

/*
 * frames_are_late(): is there a READY or HELD segment for whose frames some samples were missing at
 * the previous call, and are still missing? These samples are lost if the caller, between the two
 * calls, has called PERFAUX_IOC_FLUSH and then read the main rings.
 *
 * frames_orphans(): call @fn for each frame without a sample in such a segment or, with @all, in
 * each segment for which samples were missing at the last call. Return 0 or what @fn returned.
 */
bool frames_are_late(struct frames *f);
int frames_orphans(struct frames *f, bool all, frames_fn fn, void *ctx);

/*
 * Look at the committed frames of the HELD segments: add the data bytes of those after @time
 * to @bytes, and set @last to the time of the newest frame if that is later. @f does not
 * change.
 */
void frames_held_after(const struct frames *f, __u64 time, __u64 *bytes, __u64 *last);

/* Release complete segments. All frames that were returned must have been written out. */
void frames_release(struct frames *f);

#endif /* AUXREC_FRAMES_H */
