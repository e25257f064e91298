/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of the raw ring: found by the references in samples, or by going through
 * the segments, and given back when all of a segment was written out.
 */
#ifndef AUXREC_FRAMES_H
#define AUXREC_FRAMES_H

#include "ring/rawring.h"

struct frames_segment {
	__u64 seq;		/* of this use; 0: none seen yet */
	__u32 walked;		/* bytes gone through */
	__u32 wanted;		/* frames with a sample in them */
	__u32 joined;		/* frames whose sample came */
	__u8 *done;		/* a bit for each 8 bytes: joined */
	bool ready;
	bool early;		/* it has frames of before frames.begin */
	bool waits;		/* READY and incomplete at the last look */
	bool late;		/* and at the one before it */
};

struct frames {
	struct rawring *ring;
	struct frames_segment *seg;
	bool held_only;		/* HELD segments are read, and UNHOLD gives them back */
	__u64 begin;		/* those before it count only if their sample comes, ns */
};

/* A frame that no sample has, or whose sample did not come. */
typedef int (*frames_fn)(void *ctx, const struct perfaux_frame *frame,
			 bool lost_sample);

/* Returns 0 or -ENOMEM. */
int frames_init(struct frames *f, struct rawring *ring);
void frames_free(struct frames *f);

/* Is this raw data of a sample a reference? */
bool frames_reference(const struct frames *f, const void *raw, __u32 size,
		      struct perfaux_reference *ref);

/*
 * The frame of a sample, which counts as written then: its data must be written
 * out before frames_release(). NULL: the ring is broken.
 */
const struct perfaux_frame *frames_join(struct frames *f,
					const struct perfaux_reference *ref);

/*
 * Goes on through all segments, to be called when the main rings were read. @fn is
 * called for each committed frame that belongs to no sample. Returns 0, what @fn
 * returned, or -EBADMSG.
 */
int frames_walk(struct frames *f, frames_fn fn, void *ctx);

/*
 * Is there a READY segment whose samples had not all come at the last two calls?
 * Then these may be lost. If between the two there was PERFAUX_IOC_FLUSH, and the main
 * rings were read after it, they are: frames_orphans() has them, of such segments or
 * of @all that are READY.
 */
bool frames_are_late(struct frames *f);
int frames_orphans(struct frames *f, bool all, frames_fn fn, void *ctx);

/*
 * Of the HELD segments: adds what was committed behind @time, bytes of data, and moves
 * @last on to the time of the newest frame. Where frames_walk() and the others are is as before.
 */
void frames_held_after(const struct frames *f, __u64 time, __u64 *bytes, __u64 *last);

/* Gives back what is complete. All that was handed out is written out. */
void frames_release(struct frames *f);

#endif /* AUXREC_FRAMES_H */
