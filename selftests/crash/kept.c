// SPDX-License-Identifier: GPL-2.0-only
/* Read the region of kept rings after a crash, see kept.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kept.h"

/* perfaux_kept_sum() of perfaux.h, written a second time, so that a test finds a change of it */
static uint64_t sum_words(uint64_t sum, const void *data, size_t nr)
{
	const uint64_t golden = 11400714819323198485ULL;
	const uint8_t *bytes = data;
	uint64_t word;
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(&word, bytes + 8 * i, 8);
		sum = golden * (sum ^ word);
		sum ^= sum >> 32;
	}
	return sum;
}

static uint64_t sum_entry(uint64_t key, uint64_t use, uint32_t segment, uint32_t index,
			  const void *data, size_t nr)
{
	const uint64_t start[2] = { use, (uint64_t)segment << 32 | index };

	return sum_words(sum_words(key, start, 2), data, nr);
}

static bool inside(const struct kept *kept, uint64_t offset, uint64_t size)
{
	return offset % 64 == 0 && offset < kept->size && size <= kept->size - offset;
}

static const char *look_at_control(struct kept *kept)
{
	const struct perfaux_kept_header *h = kept->header;
	const struct perfaux_control *ctl = kept->ctl;
	const uint64_t nr = h->nr_segments, start = h->tables_offset;

	if (ctl->segment_size != h->segment_size || ctl->nr_segments != h->nr_segments ||
	    ctl->spans_per_segment != h->spans_per_segment || ctl->nr_gaps != h->nr_gaps ||
	    ctl->key != h->key || ctl->data_offset != h->tables_size ||
	    !(ctl->ring_flags & PERFAUX_RING_KEPT))
		return "the control page and the header differ";
	if (!inside(kept, start + ctl->segments_offset, nr * sizeof(*kept->segments)) ||
	    !inside(kept, start + ctl->spans_offset,
		    nr * h->spans_per_segment * sizeof(*kept->spans)) ||
	    !inside(kept, start + ctl->gaps_offset, h->nr_gaps * sizeof(*kept->gaps)))
		return "the tables are not in the region";
	kept->segments = (const void *)(kept->region + start + ctl->segments_offset);
	kept->spans = (const void *)(kept->region + start + ctl->spans_offset);
	kept->gaps = (const void *)(kept->region + start + ctl->gaps_offset);
	return NULL;
}

const char *kept_look(struct kept *kept, const void *region, uint64_t size)
{
	const struct perfaux_kept_header *h = region;

	*kept = (struct kept){ .region = region, .size = size, .header = h };
	if (memcmp(h->magic, PERFAUX_KEPT_MAGIC, 8) || h->size != sizeof(*h) ||
	    h->abi != PERFAUX_ABI || h->region_size != size)
		return "the header has other contents";
	if (h->sum != sum_words(0, h, (sizeof(*h) - 8) / 8))
		return "the header's sum is wrong";
	if (!inside(kept, h->stop_offset, sizeof(*kept->stop)) ||
	    !inside(kept, h->tables_offset, h->tables_size) ||
	    !inside(kept, h->marks_offset, (h->nr_segments + h->nr_gaps) * 8ULL) ||
	    !inside(kept, h->opens_offset, h->nr_segments * sizeof(*kept->opens)) ||
	    !inside(kept, h->gap_sums_offset, h->nr_gaps * 8ULL) ||
	    !inside(kept, h->user_offset, h->user_size) ||
	    !inside(kept, h->data_offset, h->data_size) ||
	    h->data_size != (uint64_t)h->nr_segments * h->segment_size)
		return "the header's offsets are wrong";
	kept->stop = (const void *)(kept->region + h->stop_offset);
	kept->ctl = (const void *)(kept->region + h->tables_offset);
	kept->opens = (const void *)(kept->region + h->opens_offset);
	kept->gap_sums = (const void *)(kept->region + h->gap_sums_offset);
	kept->note = (const void *)(kept->region + h->user_offset);
	kept->data = kept->region + h->data_offset;
	return look_at_control(kept);
}

const char *kept_open(struct kept *kept, int dev)
{
	struct perfaux_kept arg = { .size = sizeof(arg), .flags = PERFAUX_KEPT_OPEN };
	int fd = ioctl(dev, PERFAUX_IOC_KEPT, &arg);
	const void *region;

	if (fd < 0)
		return "the region cannot be opened";
	region = mmap(NULL, arg.region_size, PROT_READ, MAP_SHARED, fd, 0);
	if (region == MAP_FAILED)
		return "the region cannot be mapped";
	return kept_look(kept, region, arg.region_size);
}

bool kept_has_stop(const struct kept *kept)
{
	return kept->stop->sum == sum_words(kept->header->key, kept->stop,
					    (sizeof(*kept->stop) - 8) / 8);
}

/* Returns whether the entry is valid. */
static bool see_span(const struct kept *kept, uint32_t segment, uint32_t index, uint64_t use,
		     kept_span_fn fn, void *ctx)
{
	const struct perfaux_kept_header *h = kept->header;
	const struct perfaux_span *span =
		&kept->spans[(uint64_t)segment * h->spans_per_segment + index];
	const struct kept_span seen = {
		.t_begin = span->t_begin, .t_end = span->t_end, .seq = span->seq,
		.cookie = span->cookie, .cpu = span->cpu, .flags = span->flags,
		.segment = segment, .length = span->length,
		.data = kept->data + (uint64_t)segment * h->segment_size + span->offset,
	};

	if (span->reserved != sum_entry(h->key, use, segment, index, span, 7) ||
	    span->offset > h->segment_size || span->length > h->segment_size - span->offset)
		return false;
	fn(ctx, &seen);
	return true;
}

static void see_open(const struct kept *kept, uint32_t segment, uint64_t use, uint32_t valid,
		     kept_span_fn fn, void *ctx)
{
	const struct perfaux_kept_header *h = kept->header;
	const struct perfaux_open *open = &kept->opens[segment];
	struct kept_span seen = {
		.t_begin = open->t_begin, .cookie = open->cookie, .cpu = open->cpu,
		.segment = segment,
		.data = kept->data + (uint64_t)segment * h->segment_size + open->offset,
	};

	if (open->index != valid || open->offset > h->segment_size ||
	    open->sum != sum_entry(h->key, use, segment, open->index, open, 7))
		return;
	seen.length = h->segment_size - open->offset;
	while (seen.length && !seen.data[seen.length - 1])
		seen.length--;
	if (seen.length)
		fn(ctx, &seen);
}

unsigned int kept_spans(const struct kept *kept, kept_span_fn fn, void *ctx)
{
	const struct perfaux_kept_header *h = kept->header;
	unsigned int wrong = 0;
	uint32_t i, n;

	for (i = 0; i < h->nr_segments; i++) {
		const struct perfaux_segment *seg = &kept->segments[i];

		if (PERFAUX_STATE(seg->state) == PERFAUX_SEG_FREE ||
		    (PERFAUX_STATE(seg->state) != PERFAUX_SEG_CLAIMED &&
		     seg->kind != PERFAUX_KIND_SPANS))
			continue;
		for (n = 0; n < h->spans_per_segment; n++)
			if (!see_span(kept, i, n, PERFAUX_SEQ(seg->state), fn, ctx))
				break;
		if (n < seg->nr_spans && PERFAUX_STATE(seg->state) != PERFAUX_SEG_CLAIMED)
			wrong++;
		see_open(kept, i, PERFAUX_SEQ(seg->state), n, fn, ctx);
	}
	return wrong;
}

void kept_gaps(const struct kept *kept, kept_gap_fn fn, void *ctx)
{
	uint32_t i;

	for (i = 0; i < kept->header->nr_gaps; i++) {
		const struct perfaux_gap *gap = &kept->gaps[i];

		if (gap->t_begin && kept->gap_sums[i] ==
				    sum_entry(kept->header->key, gap->seq, i, 0, gap, 8))
			fn(ctx, gap);
	}
}

/*
 * Returns whether each frame is followed by another one or by clear memory. A writer that has just
 * taken its place has not written the frame's state or length, and frames of other contexts may
 * follow. So look for the next frame from there.
 */
static bool see_frames(const struct kept *kept, uint32_t segment, kept_frame_fn fn, void *ctx)
{
	const uint32_t size = kept->header->segment_size;
	const uint8_t *data = kept->data + (uint64_t)segment * size;
	uint64_t at = 0;

	while (at + sizeof(struct perfaux_frame) <= size) {
		const struct perfaux_frame *frame = (const void *)(data + at);

		if (!frame->state) {
			at += 8;
			continue;
		}
		if (PERFAUX_SEQ(frame->state) != PERFAUX_SEQ(kept->segments[segment].state) ||
		    frame->segment != segment || frame->length > size - at - sizeof(*frame))
			return false;
		if (PERFAUX_STATE(frame->state) == PERFAUX_FRAME_COMMITTED)
			fn(ctx, frame);
		at += sizeof(*frame) + (frame->length + 7ULL) / 8 * 8;
		if (PERFAUX_STATE(frame->state) == PERFAUX_FRAME_RESERVED && !frame->length)
			return true;
	}
	return true;
}

unsigned int kept_frames(const struct kept *kept, kept_frame_fn fn, void *ctx)
{
	unsigned int cut = 0;
	uint32_t i;

	for (i = 0; i < kept->header->nr_segments; i++) {
		const struct perfaux_segment *seg = &kept->segments[i];

		if (PERFAUX_STATE(seg->state) >= PERFAUX_SEG_BUSY &&
		    seg->kind == PERFAUX_KIND_FRAMES)
			cut += !see_frames(kept, i, fn, ctx);
	}
	return cut;
}

unsigned int kept_claimed(const struct kept *kept)
{
	unsigned int nr = 0;
	uint32_t i;

	for (i = 0; i < kept->header->nr_segments; i++)
		nr += PERFAUX_STATE(kept->segments[i].state) == PERFAUX_SEG_CLAIMED;
	return nr;
}
