// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the frames of the raw ring as perfaux.h prescribes ("Raw samples").
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring/raw_frames.h"
#include "base/util.h"

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

int frames_init(struct frames *f, struct rawring *ring)
{
	const __u32 nr = ring->ctl->nr_segments;

	f->ring = ring;
	f->seg = calloc(nr, sizeof(*f->seg));
	return !f->seg ? -ENOMEM : segment_set_init(&f->kept, nr) ?: look_init(&f->look, nr);
}

void frames_free(struct frames *f)
{
	__u32 i;

	for (i = 0; f->seg && i < f->ring->ctl->nr_segments; i++)
		free(f->seg[i].done);
	free(f->seg);
	f->seg = NULL;
	segment_set_free(&f->kept);
	look_free(&f->look);
}

bool frames_reference(const struct frames *f, const void *raw, __u32 size,
		      struct perfaux_reference *ref)
{
	if (size != sizeof(*ref))
		return false;
	memcpy(ref, raw, sizeof(*ref));
	return ref->key == f->ring->ctl->key;
}

static const struct perfaux_frame *frame_at(const struct frames *f, __u32 i,
					    __u32 offset)
{
	return (const void *)(f->ring->data +
			      (size_t)i * f->ring->ctl->segment_size + offset);
}

/*
 * Return what is known about the frames of segment @i in its use @seq: at first, nothing. NULL: no
 * memory.
 */
static struct frames_segment *segment(struct frames *f, __u32 i, __u64 seq)
{
	struct frames_segment *seg = &f->seg[i];
	const size_t bytes = f->ring->ctl->segment_size / 64;

	if (seg->seq == seq)
		return seg;
	if (!seg->done)
		seg->done = malloc(bytes);
	if (!seg->done)
		return NULL;
	memset(seg->done, 0, bytes);
	*seg = (struct frames_segment){ .seq = seq, .done = seg->done };
	segment_set_add(&f->kept, i);
	return seg;
}

static bool is_done(const struct frames_segment *seg, __u32 offset)
{
	return seg->done[offset / 64] & 1 << (offset / 8 % 8);
}

static void set_done(struct frames_segment *seg, __u32 offset)
{
	seg->done[offset / 64] |= 1 << (offset / 8 % 8);
}

static bool is_to_read(const struct frames *f, __u32 what)
{
	if (what == PERFAUX_SEG_HELD)
		return true;
	return !f->held_only &&
	       (what == PERFAUX_SEG_BUSY || what == PERFAUX_SEG_READY);
}

const struct perfaux_frame *frames_join(struct frames *f,
					const struct perfaux_reference *ref)
{
	const struct perfaux_control *ctl = f->ring->ctl;
	const struct perfaux_frame *frame;
	struct frames_segment *seg;
	__u64 state;

	if (ref->segment >= ctl->nr_segments || ref->offset % 8 ||
	    ref->offset > ctl->segment_size - sizeof(*frame) ||
	    ref->length > ctl->segment_size - sizeof(*frame) - ref->offset)
		return NULL;
	state = load_acquire(&f->ring->segments[ref->segment].state);
	if (PERFAUX_SEQ(state) != ref->segment_seq ||
	    !is_to_read(f, PERFAUX_STATE(state)))
		return NULL;
	frame = frame_at(f, ref->segment, ref->offset);
	if (PERFAUX_SEQ(frame->state) != ref->segment_seq ||
	    PERFAUX_STATE(frame->state) != PERFAUX_FRAME_COMMITTED ||
	    frame->length != ref->length)
		return NULL;
	seg = segment(f, ref->segment, ref->segment_seq);
	if (!seg || is_done(seg, ref->offset))
		return NULL;
	set_done(seg, ref->offset);
	/* walk_segment() does not count a frame from before f->begin, so do not count it here. */
	seg->joined += frame->time >= f->begin;
	return frame;
}

static int walk_segment(struct frames *f, __u32 i, struct frames_segment *seg,
			__u32 end, frames_fn fn, void *ctx)
{
	const struct perfaux_frame *frame;
	int err = 0;

	while (!err && (frame = rawring_next_frame(f->ring, i, end, &seg->walked))) {
		if (PERFAUX_STATE(frame->state) != PERFAUX_FRAME_COMMITTED)
			continue;
		if (frame->time < f->begin)
			seg->early = true;
		else if (frame->flags & PERFAUX_FRAME_SAMPLE)
			seg->wanted++;
		else
			err = fn(ctx, frame, false);
	}
	return !err && seg->walked < end ? -EBADMSG : err;
}

/* Return whether segment @i, in this state, has nothing more to read until its next use. */
static bool is_over(const struct frames *f, __u32 i, __u64 state)
{
	switch (PERFAUX_STATE(state)) {
	case PERFAUX_SEG_CLAIMED:
	case PERFAUX_SEG_BUSY:
	case PERFAUX_SEG_IDLE:
		return false;
	case PERFAUX_SEG_READY:
		return f->ring->segments[i].kind != PERFAUX_KIND_FRAMES ||
		       f->ring->marks[i] == PERFAUX_SEQ(state);
	default:
		return true;
	}
}

/* Call @fn for the new frames of segment @i. Return what frames_walk() returns. */
static int look_at(struct frames *f, __u32 i, frames_fn fn, void *ctx)
{
	const struct rawring *r = f->ring;
	const __u64 state = load_acquire(&r->segments[i].state);
	const __u32 what = PERFAUX_STATE(state);
	struct frames_segment *seg;
	__u64 end;
	int err;

	if (!is_to_read(f, what) ||
	    (!f->held_only && r->marks[i] == PERFAUX_SEQ(state)) ||
	    r->segments[i].kind != PERFAUX_KIND_FRAMES) {
		/* The kind belongs to this use of the segment only if the state is the same. */
		if (!f->held_only && is_over(f, i, state) &&
		    load_acquire(&r->segments[i].state) == state)
			segment_set_remove(&f->look.wanted, i);
		return 0;
	}
	end = load_acquire(&r->segments[i].frames_end);
	/* The segment was claimed again meanwhile, so @end belongs to another use. */
	if (PERFAUX_SEQ(load_acquire(&r->segments[i].state)) != PERFAUX_SEQ(state) ||
	    end > r->ctl->segment_size)
		return 0;
	seg = segment(f, i, PERFAUX_SEQ(state));
	if (!seg)
		return -ENOMEM;
	/* @fn may call frames_release(), which must not release this segment yet. */
	seg->ready = false;
	err = walk_segment(f, i, seg, end, fn, ctx);
	seg->ready = !err && what != PERFAUX_SEG_BUSY;
	if (what == PERFAUX_SEG_READY && !err)
		segment_set_remove(&f->look.wanted, i);
	return err;
}

int frames_walk(struct frames *f, frames_fn fn, void *ctx)
{
	int err = 0;
	__u32 i;

	if (f->held_only)
		segment_set_add_all(&f->look.wanted);
	else
		look_begin(&f->look, f->ring->ctl);
	for (i = 0; segment_set_find(&f->look.wanted, &i); i++) {
		err = look_at(f, i, fn, ctx);
		if (err)
			break;
	}
	return err;
}

static bool is_complete(const struct frames_segment *seg)
{
	return seg->seq && seg->ready && seg->joined >= seg->wanted;
}

bool frames_are_late(struct frames *f)
{
	bool late = false;
	__u32 i;

	for (i = 0; segment_set_find(&f->kept, &i); i++) {
		struct frames_segment *seg = &f->seg[i];
		const bool waits = seg->seq && seg->ready && !is_complete(seg);

		seg->late = waits && seg->waits;
		seg->waits = waits;
		late |= seg->late;
	}
	return late;
}

void frames_held_after(const struct frames *f, __u64 time, __u64 *bytes, __u64 *last)
{
	const struct rawring *r = f->ring;
	__u32 i;

	for (i = 0; i < r->ctl->nr_segments; i++) {
		const struct perfaux_segment *seg = &r->segments[i];
		const struct perfaux_frame *frame;
		__u32 at = 0, end;

		if (PERFAUX_STATE(load_acquire(&seg->state)) != PERFAUX_SEG_HELD ||
		    seg->kind != PERFAUX_KIND_FRAMES)
			continue;
		end = load_acquire(&seg->frames_end);
		while ((frame = rawring_next_frame(r, i, end, &at))) {
			if (PERFAUX_STATE(frame->state) != PERFAUX_FRAME_COMMITTED)
				continue;
			if (frame->time > *last)
				*last = frame->time;
			if (frame->time > time)
				*bytes += frame->length;
		}
	}
}

int frames_orphans(struct frames *f, bool all, frames_fn fn, void *ctx)
{
	int err = 0;
	__u32 i, at;

	for (i = 0; segment_set_find(&f->kept, &i); i++) {
		struct frames_segment *seg = &f->seg[i];

		if (!(all ? seg->waits : seg->late))
			continue;
		for (at = 0; !err && at < seg->walked;) {
			const __u32 offset = at;
			const struct perfaux_frame *frame =
				rawring_next_frame(f->ring, i, seg->walked, &at);

			if (!frame)
				break;
			if (PERFAUX_STATE(frame->state) ==
			    PERFAUX_FRAME_COMMITTED &&
			    frame->flags & PERFAUX_FRAME_SAMPLE &&
			    frame->time >= f->begin && !is_done(seg, offset)) {
				err = fn(ctx, frame, true);
				set_done(seg, offset);
				seg->joined++;
			}
		}
	}
	return err;
}

void frames_release(struct frames *f)
{
	__u32 i;

	for (i = 0; segment_set_find(&f->kept, &i); i++) {
		struct frames_segment *seg = &f->seg[i];

		if (!is_complete(seg))
			continue;
		/*
		 * A sample can be a little later than its frame. So the sample of a frame from
		 * before f->begin may still come. Keep a segment with such a frame for it.
		 */
		if (f->held_only && !seg->early)
			rawring_unhold(f->ring, i);
		else if (!f->held_only)
			store_release(&f->ring->marks[i], seg->seq);
		seg->ready = false;
		seg->waits = false;
		seg->late = false;
		segment_set_remove(&f->kept, i);
	}
}
