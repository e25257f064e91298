// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a ring from the valid entries of a region, as a reader of HELD segments finds it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "recover/kept.h"

/*
 * A span that has not ended is read up to the last byte that is not zero. The last bytes of a
 * packet can be zero, so add this many bytes. Decoders of Intel PT take zeros for padding.
 */
#define OPEN_PAD	8

static const void *at(const struct kept *k, __u64 offset, size_t index, size_t size)
{
	return k->region + offset + index * size;
}

static __u64 mark_of(const struct kept *k, size_t index)
{
	return *(const __u64 *)at(k, k->head.marks_offset, index, sizeof(__u64));
}

/* --- spans ------------------------------------------------------------------ */

static bool span_is_valid(const struct kept *k, const struct perfaux_span *span, __u64 use,
			  __u32 segment, __u32 index)
{
	const __u64 start = perfaux_kept_start(k->head.key, use, segment, index);

	return span->seq && span->reserved == perfaux_kept_sum(start, span, 7) &&
	       span->offset <= k->head.segment_size &&
	       span->length <= k->head.segment_size - span->offset;
}

static bool open_is_valid(const struct kept *k, const struct perfaux_open *open, __u64 use,
			  __u32 segment)
{
	const __u64 start = perfaux_kept_start(k->head.key, use, segment, open->index);

	return open->sum == perfaux_kept_sum(start, open, 7) &&
	       open->offset <= k->head.segment_size;
}

/* Return the length of a span at @offset that has not ended. */
static __u32 written(const struct kept *k, __u32 segment, __u32 offset)
{
	const __u8 *data = at(k, k->head.data_offset, segment, k->head.segment_size);
	__u32 end = k->head.segment_size;

	while (end > offset && !data[end - 1])
		end--;
	if (end == offset)
		return 0;
	end = ALIGN8(end + OPEN_PAD);
	return (end < k->head.segment_size ? end : k->head.segment_size) - offset;
}

static void add_span(struct kept_ring *r, __u32 segment, const struct perfaux_span *span)
{
	struct perfaux_segment *seg = &r->segments[segment];

	r->spans[(size_t)segment * r->ctl.spans_per_segment + seg->nr_spans++] = *span;
	seg->bytes += span->length;
	r->nr_spans++;
	r->bytes += span->length;
}

/* A PMU was writing this span when the crash came. end_writers() gives it a number and an end. */
static void add_open(struct kept_ring *r, const struct kept *k, __u32 segment,
		     const struct perfaux_open *open)
{
	const struct perfaux_span span = {
		.t_begin = open->t_begin,
		.cookie = open->cookie,
		.offset = open->offset,
		.length = written(k, segment, open->offset),
		.pid = open->pid,
		.tid = open->tid,
		.cpu = open->cpu,
	};

	if (!span.length)
		return;
	add_span(r, segment, &span);
	r->open++;
}

static void read_spans(struct kept_ring *r, const struct kept *k, __u32 segment,
		       const struct perfaux_segment *from)
{
	const __u64 use = PERFAUX_SEQ(from->state);
	const __u32 per = k->head.spans_per_segment;
	const struct perfaux_open *open = at(k, k->head.opens_offset, segment, sizeof(*open));
	__u32 i;

	for (i = 0; i < per; i++) {
		const struct perfaux_span *span =
			at(k, k->head.spans_offset, (size_t)segment * per + i, sizeof(*span));

		if (!span_is_valid(k, span, use, segment, i))
			break;
		add_span(r, segment, span);
		if (span->t_end > r->newest)
			r->newest = span->t_end;
	}
	if (i < per && open->index == i && open_is_valid(k, open, use, segment))
		add_open(r, k, segment, open);
	/* CLAIMED without a valid span: perhaps a new use, with nr_spans of the earlier one. */
	else if ((PERFAUX_STATE(from->state) != PERFAUX_SEG_CLAIMED || i) && from->nr_spans > i &&
		 from->nr_spans <= per)
		r->damaged += from->nr_spans - i;
}

/* --- frames ----------------------------------------------------------------- */

/* Is there a frame of this use of the segment at @offset? */
static bool is_frame(const struct kept *k, __u32 segment, __u64 use, __u32 offset)
{
	const __u32 size = k->head.segment_size;
	const struct perfaux_frame *frame;
	__u32 state;

	if (size - offset < sizeof(*frame))
		return false;
	frame = (const void *)((const __u8 *)at(k, k->head.data_offset, segment, size) + offset);
	state = PERFAUX_STATE(frame->state);
	return PERFAUX_SEQ(frame->state) == use && state >= PERFAUX_FRAME_RESERVED &&
	       state <= PERFAUX_FRAME_ABANDONED && frame->segment == segment &&
	       frame->length <= size - offset - sizeof(*frame);
}

/*
 * A writer that was stopped before it wrote its frame's header leaves zeros, and frames of other
 * writers can follow. Readers find a frame only after the one before it, so count these as lost.
 */
static void count_frames_after(struct kept_ring *r, const struct kept *k, __u32 segment,
			       __u64 use, __u32 offset)
{
	const __u32 size = k->head.segment_size;
	const __u8 *data = at(k, k->head.data_offset, segment, size);

	for (; size - offset >= sizeof(struct perfaux_frame); offset += 8) {
		const struct perfaux_frame *frame = (const void *)(data + offset);

		if (is_frame(k, segment, use, offset) &&
		    PERFAUX_STATE(frame->state) == PERFAUX_FRAME_COMMITTED)
			r->damaged++;
	}
}

static void read_frames(struct kept_ring *r, const struct kept *k, __u32 segment,
			const struct perfaux_segment *from)
{
	struct perfaux_segment *to = &r->segments[segment];
	const __u32 size = k->head.segment_size;
	const __u8 *data = at(k, k->head.data_offset, segment, size);
	const __u64 use = PERFAUX_SEQ(from->state);
	__u32 offset = 0;

	while (is_frame(k, segment, use, offset)) {
		const struct perfaux_frame *frame = (const void *)(data + offset);
		const __u32 state = PERFAUX_STATE(frame->state);

		offset += sizeof(*frame) + ALIGN8(frame->length);
		if (offset > size)
			offset = size;
		/* The writer has not written the length, so the next frame's place is unknown. */
		if (state == PERFAUX_FRAME_RESERVED && !frame->length)
			break;
		if (state != PERFAUX_FRAME_COMMITTED)
			continue;
		to->nr_frames++;
		to->bytes += frame->length;
		r->frames++;
		if (frame->time > r->newest)
			r->newest = frame->time;
	}
	to->frames_end = offset;
	to->used = offset;
	count_frames_after(r, k, segment, use, offset);
}

/* --- all of it -------------------------------------------------------------- */

static bool is_released(const struct kept *k, __u32 segment, __u64 use)
{
	return mark_of(k, segment) == use;
}

static void read_segment(struct kept_ring *r, const struct kept *k, __u32 segment)
{
	const struct perfaux_segment *from =
		at(k, k->head.segments_offset, segment, sizeof(*from));
	struct perfaux_segment *to = &r->segments[segment];
	const __u32 state = PERFAUX_STATE(from->state);

	/*
	 * If a CLAIMED segment was IDLE before, the spans of this use are valid. If it was READY,
	 * its use is new and has no spans.
	 */
	if (state == PERFAUX_SEG_FREE || state > PERFAUX_SEG_HELD ||
	    is_released(k, segment, PERFAUX_SEQ(from->state)))
		return;
	to->kind = from->kind == PERFAUX_KIND_FRAMES ? PERFAUX_KIND_FRAMES : PERFAUX_KIND_SPANS;
	to->cpu = from->cpu;
	if (to->kind == PERFAUX_KIND_FRAMES)
		read_frames(r, k, segment, from);
	else
		read_spans(r, k, segment, from);
	if (!to->nr_spans && !to->frames_end) {
		r->taken += state == PERFAUX_SEG_CLAIMED;
		return;
	}
	to->state = PERFAUX_SEQ(from->state) << 8 | PERFAUX_SEG_HELD;
	if (state >= PERFAUX_SEG_READY) {
		to->ready_seq = from->ready_seq;
		to->t_active = from->t_active;
	}
}

static bool gap_is_valid(const struct kept *k, const struct perfaux_gap *gap, __u32 i)
{
	const __u64 *sum = at(k, k->head.gap_sums_offset, i, sizeof(*sum));

	return *sum == perfaux_kept_sum(perfaux_kept_start(k->head.key, gap->seq, i, 0), gap, 8);
}

static void read_gaps(struct kept_ring *r, const struct kept *k)
{
	const struct perfaux_kept_header *h = &k->head;
	__u32 i;

	for (i = 0; i < h->nr_gaps; i++) {
		struct perfaux_gap gap;

		memcpy(&gap, at(k, h->gaps_offset, i, sizeof(gap)), sizeof(gap));
		if (!gap.t_begin)
			continue;
		if (!gap_is_valid(k, &gap, i)) {
			/* pa_gap_publish() writes the end before the sum that includes the end. */
			gap.t_end = 0;
			if (gap.seq || !gap_is_valid(k, &gap, i)) {
				r->damaged++;
				continue;
			}
		}
		if (gap.seq > r->last_gap)
			r->last_gap = gap.seq;
		if (!gap.seq || gap.seq != mark_of(k, h->nr_segments + i))
			r->gaps[r->nr_gaps++] = gap;
	}
}

/*
 * Give each segment that was not READY a ready_seq above all others. Give each span that had not
 * ended, and each gap that was not published, a number above all others.
 */
static void end_writers(struct kept_ring *r, const struct kept *k)
{
	const __u64 end = k->stopped && k->stop.time ? k->stop.time : r->newest;
	__u64 ready = 0, seq = r->last_gap;
	size_t i, nr = (size_t)r->ctl.nr_segments * r->ctl.spans_per_segment;

	for (i = 0; i < r->ctl.nr_segments; i++)
		if (r->segments[i].ready_seq > ready)
			ready = r->segments[i].ready_seq;
	for (i = 0; i < nr; i++)
		if (r->spans[i].seq > seq)
			seq = r->spans[i].seq;
	for (i = 0; i < r->ctl.nr_segments; i++) {
		struct perfaux_segment *seg = &r->segments[i];

		if (seg->state && !seg->ready_seq) {
			seg->ready_seq = ++ready;
			seg->t_active = end;
		}
	}
	for (i = 0; i < nr; i++) {
		struct perfaux_span *span = &r->spans[i];

		if (!span->length || span->seq)
			continue;
		span->seq = ++seq;
		span->t_end = end > span->t_begin ? end : span->t_begin;
	}
	for (i = 0; i < r->nr_gaps; i++) {
		struct perfaux_gap *gap = &r->gaps[i];

		if (gap->seq)
			continue;
		gap->seq = ++seq;
		if (!gap->t_end)
			gap->t_end = end > gap->t_begin ? end : gap->t_begin;
	}
}

/* Make a control page. The one in the region has no sum, so take only its counters of losses. */
static void read_counters(struct kept_ring *r, const struct kept *k)
{
	const struct perfaux_kept_header *h = &k->head;
	const struct perfaux_control *from = at(k, h->tables_offset, 0, sizeof(*from));
	struct perfaux_control *to = &r->ctl;

	to->abi = h->abi;
	to->segment_size = h->segment_size;
	to->nr_segments = h->nr_segments;
	to->spans_per_segment = h->spans_per_segment;
	to->key = h->key;
	to->claims = 1;
	to->merged_begin = from->merged_begin;
	to->merged_end = from->merged_end;
	memcpy(to->lost_count, from->lost_count, sizeof(to->lost_count));
	memcpy(to->lost_bytes, from->lost_bytes, sizeof(to->lost_bytes));
}

int kept_ring_make(struct kept_ring *r, const struct kept *k)
{
	const struct perfaux_kept_header *h = &k->head;
	__u32 i;

	*r = (struct kept_ring){ .newest = 0 };
	r->segments = calloc(h->nr_segments, sizeof(*r->segments));
	r->spans = calloc((size_t)h->nr_segments * h->spans_per_segment, sizeof(*r->spans));
	r->gaps = calloc(h->nr_gaps + 1, sizeof(*r->gaps));
	if (!r->segments || !r->spans || !r->gaps)
		return -ENOMEM;
	read_counters(r, k);
	for (i = 0; i < h->nr_segments; i++)
		read_segment(r, k, i);
	read_gaps(r, k);
	end_writers(r, k);
	r->raw = (struct rawring){
		.fd = -1,
		.ctl = &r->ctl,
		.segments = r->segments,
		.spans = r->spans,
		.gaps = r->gaps,
		.data = k->region + h->data_offset,
		.held_seq = ~0ULL,
		.only_read = true,
		.missing = r->damaged,
	};
	return 0;
}

void kept_ring_free(struct kept_ring *r)
{
	free(r->segments);
	free(r->spans);
	free(r->gaps);
}
