// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a raw ring in overwrite mode as perfaux.h prescribes.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "ring/rawring.h"
#include "base/util.h"

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)

int rawring_attach_trigger(struct rawring *r, int event_fd, __u32 post, __u64 cookie)
{
	struct perfaux_attach a = {
		.size = sizeof(a),
		.flags = PERFAUX_ATTACH_TRIGGER,
		.fd = event_fd,
		.post = post,
		.cookie = cookie,
	};

	return ioctl(r->fd, PERFAUX_IOC_ATTACH, &a) ? -errno : 0;
}

int rawring_hold(struct rawring *r, __u32 flags, __u32 max)
{
	struct perfaux_hold a = { .size = sizeof(a), .flags = flags, .max = max };

	if (ioctl(r->fd, PERFAUX_IOC_HOLD, &a))
		return -errno;
	r->held_seq = a.seq;
	return a.held;
}

int rawring_unhold(struct rawring *r, __u32 segment)
{
	struct perfaux_unhold a = {
		.size = sizeof(a),
		.segment = segment,
		.seq = PERFAUX_SEQ(load_acquire(&r->segments[segment].state)),
	};

	if (r->only_read)
		return 0;
	return ioctl(r->fd, PERFAUX_IOC_UNHOLD, &a) ? -errno : 0;
}

int rawring_unhold_all(struct rawring *r)
{
	struct perfaux_unhold a = { .size = sizeof(a), .flags = PERFAUX_UNHOLD_ALL };

	return ioctl(r->fd, PERFAUX_IOC_UNHOLD, &a) ? -errno : 0;
}

int rawring_thaw(struct rawring *r)
{
	struct perfaux_thaw a = { .size = sizeof(a) };

	return ioctl(r->fd, PERFAUX_IOC_THAW, &a) ? -errno : 0;
}

bool rawring_is_frozen(const struct rawring *r)
{
	return load_acquire(&r->ctl->flags) & PERFAUX_CTL_FROZEN;
}

__u64 rawring_lost(const struct rawring *r, enum perfaux_cause cause)
{
	return load_acquire(&r->ctl->lost_count[cause]);
}

bool rawring_next_gap(struct rawring *r, __u32 *i, struct raw_item *item)
{
	for (; *i < r->ctl->nr_gaps; (*i)++) {
		const __u64 seq = load_acquire(&r->gaps[*i].seq);

		if (!seq || seq == r->marks[r->ctl->nr_segments + *i])
			continue;
		*item = (struct raw_item){ .gap = &r->gaps[*i], .index = *i };
		(*i)++;
		return true;
	}
	return false;
}

/* Begin with the span that follows @item in its segment. */
bool rawring_next_held(const struct rawring *r, struct raw_item *item)
{
	const __u32 per = r->ctl->spans_per_segment, size = r->ctl->segment_size;
	size_t at = item->span ? item->span - r->spans + 1 : 0;

	for (; at < (size_t)r->ctl->nr_segments * per; at++) {
		const __u32 segment = at / per;
		const struct perfaux_segment *seg = &r->segments[segment];
		const struct perfaux_span *span = &r->spans[at];

		if (PERFAUX_STATE(load_acquire(&seg->state)) != PERFAUX_SEG_HELD ||
		    seg->kind != PERFAUX_KIND_SPANS || at % per >= seg->nr_spans) {
			at = (size_t)(segment + 1) * per - 1;
			continue;
		}
		*item = (struct raw_item){ .span = span, .index = segment };
		if (span->offset <= size && span->length <= size - span->offset)
			item->data = r->data + (size_t)segment * size + span->offset;
		return true;
	}
	return false;
}

/* Only the kernel writes to the ring, but check the length all the same. */
const struct perfaux_frame *rawring_next_frame(const struct rawring *r, __u32 segment,
					       __u32 end, __u32 *at)
{
	const struct perfaux_frame *frame =
		(const void *)(r->data + (size_t)segment * r->ctl->segment_size + *at);

	if (*at >= end || end - *at < sizeof(*frame) ||
	    frame->length > end - *at - sizeof(*frame))
		return NULL;
	*at += sizeof(*frame) + ALIGN8(frame->length);
	return frame;
}

struct held_segment {
	__u64 number;
	__u64 ready;		/* ns */
	__u64 end;		/* of its newest span; if it has frames: @ready */
	bool early, late;	/* has spans or frames that are left out, see rawring_held_run() */
};

static int by_held_number(const void *x, const void *y)
{
	const struct held_segment *a = x, *b = y;

	return a->number < b->number ? -1 : a->number > b->number;
}

static bool has_early_frames(const struct rawring *r, __u32 i, __u64 begin)
{
	const __u32 end = load_acquire(&r->segments[i].frames_end);
	const struct perfaux_frame *frame;
	__u32 at = 0;

	while ((frame = rawring_next_frame(r, i, end, &at)))
		if (PERFAUX_STATE(frame->state) == PERFAUX_FRAME_COMMITTED &&
		    frame->time < begin)
			return true;
	return false;
}

static struct held_segment look_at_held(const struct rawring *r, __u32 i, __u64 begin)
{
	const struct perfaux_span *span = &r->spans[(size_t)i * r->ctl->spans_per_segment];
	const struct perfaux_segment *seg = &r->segments[i];
	struct held_segment held = { .number = seg->ready_seq, .ready = seg->t_active };
	__u32 nr = seg->nr_spans;

	if (seg->kind == PERFAUX_KIND_FRAMES) {
		held.end = held.ready;
		held.early = has_early_frames(r, i, begin);
		return held;
	}
	for (; nr; nr--, span++) {
		held.late |= span->seq > r->held_seq;
		held.early |= span->t_end < begin;
		if (span->t_end > held.end)
			held.end = span->t_end;
	}
	return held;
}

/* Count the segments from the first one on, until a number is missing or a segment is late. */
static size_t row_length(const struct held_segment *seg, size_t nr)
{
	size_t n = 0;

	while (n < nr && !seg[n].late && seg[n].number == seg->number + n)
		n++;
	return n;
}

static void set_run(const struct held_segment *seg, size_t nr, __u64 begin,
		    struct raw_run *run)
{
	size_t i;

	/*
	 * All data of segments before the run had ended before the run's first segment was
	 * READY.
	 */
	run->begin = seg->number > 1 ? seg->ready : 0;
	run->first = seg->number;
	run->last = seg[nr - 1].number;
	for (i = 0; i < nr; i++) {
		if (seg[i].early)
			run->first = seg[i].number + 1;
		if (seg[i].end > run->end)
			run->end = seg[i].end;
	}
	if (run->first > seg->number && begin > run->begin)
		run->begin = begin;
	if (run->end < run->begin)
		run->end = run->begin;
}

int rawring_held_run(const struct rawring *r, __u64 begin, struct raw_run *run)
{
	struct held_segment *list = calloc(r->ctl->nr_segments, sizeof(*list));
	size_t nr = 0, at, n, first = 0, longest = 0;
	__u32 i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < r->ctl->nr_segments; i++)
		if (PERFAUX_STATE(load_acquire(&r->segments[i].state)) == PERFAUX_SEG_HELD)
			list[nr++] = look_at_held(r, i, begin);
	qsort(list, nr, sizeof(*list), by_held_number);
	for (at = 0; at < nr; at += n ? n : 1) {
		n = row_length(&list[at], nr - at);
		if (n && n >= longest) {
			longest = n;
			first = at;
		}
	}
	*run = (struct raw_run){ .begin = 0 };
	if (longest)
		set_run(&list[first], longest, begin, run);
	/* Nothing was written yet, so the next run begins with segment number 1. */
	else if (!nr && !r->ctl->claims)
		run->first = 1;
	free(list);
	return 0;
}

/*
 * Return when the segment's oldest data began; 0: it has no data, or was claimed again since
 * @state was read.
 */
static __u64 segment_begin(const struct rawring *r, __u32 i, __u64 state)
{
	const struct perfaux_segment *seg = &r->segments[i];
	__u64 time = 0;

	if (seg->kind == PERFAUX_KIND_FRAMES) {
		const struct perfaux_frame *frame =
			(const void *)(r->data + (size_t)i * r->ctl->segment_size);

		time = frame->time;
	} else if (load_acquire(&seg->nr_spans)) {
		time = r->spans[(size_t)i * r->ctl->spans_per_segment].t_begin;
	} else if (PERFAUX_STATE(state) == PERFAUX_SEG_BUSY) {
		time = seg->t_active;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return PERFAUX_SEQ(seg->state) == PERFAUX_SEQ(state) ? time : 0;
}

__u64 rawring_history(const struct rawring *r)
{
	__u64 oldest = ~0ULL;
	__u32 i;

	for (i = 0; i < r->ctl->nr_segments; i++) {
		const __u64 state = load_acquire(&r->segments[i].state);
		__u64 begin;

		if (PERFAUX_STATE(state) < PERFAUX_SEG_BUSY)
			continue;
		begin = segment_begin(r, i, state);
		if (begin && begin < oldest)
			oldest = begin;
	}
	return oldest;
}
