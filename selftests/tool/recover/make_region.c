// SPDX-License-Identifier: GPL-2.0-only
/* Make the memory of a kept ring, see make_region.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "make_region.h"

#define PAGE	4096U

static __u64 place(__u64 *at, __u64 size)
{
	const __u64 here = *at;

	*at = (here + size + PAGE - 1) / PAGE * PAGE;
	return here;
}

static void lay_out(struct perfaux_kept_header *h)
{
	__u64 at = 0;

	place(&at, sizeof(*h));
	h->stop_offset = place(&at, sizeof(struct perfaux_stop));
	h->opens_offset = place(&at, MADE_SEGMENTS * sizeof(struct perfaux_open));
	h->gap_sums_offset = place(&at, MADE_GAPS * sizeof(__u64));
	h->tables_offset = place(&at, sizeof(struct perfaux_control));
	h->segments_offset = place(&at, MADE_SEGMENTS * sizeof(struct perfaux_segment));
	h->spans_offset = place(&at, MADE_SEGMENTS * MADE_SPANS * sizeof(struct perfaux_span));
	h->gaps_offset = place(&at, MADE_GAPS * sizeof(struct perfaux_gap));
	h->tables_size = at - h->tables_offset;
	h->marks_offset = place(&at, (MADE_SEGMENTS + MADE_GAPS) * sizeof(__u64));
	h->user_offset = place(&at, MADE_USER);
	h->user_size = MADE_USER;
	h->data_offset = place(&at, MADE_SEGMENTS * MADE_SIZE);
	h->data_size = MADE_SEGMENTS * MADE_SIZE;
	h->region_size = at;
}

int kept_init(struct kept_region *m)
{
	struct perfaux_kept_header head = {
		.size = sizeof(head),
		.abi = PERFAUX_ABI,
		.key = 0x123456789abcdef0ULL,
		.segment_size = MADE_SIZE,
		.nr_segments = MADE_SEGMENTS,
		.spans_per_segment = MADE_SPANS,
		.nr_gaps = MADE_GAPS,
	};

	memcpy(head.magic, PERFAUX_KEPT_MAGIC, sizeof(head.magic));
	lay_out(&head);
	*m = (struct kept_region){ .size = head.region_size };
	m->region = aligned_alloc(PAGE, m->size);
	if (!m->region)
		return -ENOMEM;
	memset(m->region, 0, m->size);
	m->head = (void *)m->region;
	*m->head = head;
	m->ctl = (void *)(m->region + head.tables_offset);
	m->segments = (void *)(m->region + head.segments_offset);
	m->spans = (void *)(m->region + head.spans_offset);
	m->gaps = (void *)(m->region + head.gaps_offset);
	m->opens = (void *)(m->region + head.opens_offset);
	m->gap_sums = (void *)(m->region + head.gap_sums_offset);
	m->marks = (void *)(m->region + head.marks_offset);
	m->stop = (void *)(m->region + head.stop_offset);
	m->user = m->region + head.user_offset;
	m->data = m->region + head.data_offset;
	kept_sum(m);
	return 0;
}

void kept_free(struct kept_region *m)
{
	free(m->region);
}

void kept_sum(struct kept_region *m)
{
	m->head->sum = perfaux_kept_sum(0, m->head, offsetof(typeof(*m->head), sum) / 8);
}

void kept_claim(struct kept_region *m, __u32 segment, __u32 kind)
{
	struct perfaux_segment *seg = &m->segments[segment];

	memset(m->data + segment * MADE_SIZE, 0, MADE_SIZE);
	*seg = (struct perfaux_segment){ .state = ++m->use << 8 | PERFAUX_SEG_BUSY, .kind = kind };
}

static __u64 start_of(const struct kept_region *m, __u32 segment, __u32 index)
{
	return perfaux_kept_start(m->head->key, PERFAUX_SEQ(m->segments[segment].state), segment,
				  index);
}

void kept_span(struct kept_region *m, __u32 segment, __u32 length, __u8 byte)
{
	struct perfaux_segment *seg = &m->segments[segment];
	struct perfaux_span *span = &m->spans[segment * MADE_SPANS + seg->nr_spans];

	memset(m->data + segment * MADE_SIZE + seg->used, byte, length);
	*span = (struct perfaux_span){
		.seq = ++m->seq, .t_begin = m->seq * 100, .t_end = m->seq * 100 + 50,
		.cookie = byte, .offset = seg->used, .length = length, .pid = 7, .tid = 8,
	};
	span->reserved = perfaux_kept_sum(start_of(m, segment, seg->nr_spans), span, 7);
	seg->used += length;
	seg->nr_spans++;
}

void kept_open(struct kept_region *m, __u32 segment, __u32 length, __u8 byte)
{
	const struct perfaux_segment *seg = &m->segments[segment];
	struct perfaux_open *open = &m->opens[segment];

	memset(m->data + segment * MADE_SIZE + seg->used, byte, length);
	*open = (struct perfaux_open){
		.t_begin = m->seq * 100 + 60, .cookie = byte, .offset = seg->used,
		.index = seg->nr_spans, .pid = 7, .tid = 8,
	};
	open->sum = perfaux_kept_sum(start_of(m, segment, open->index), open, 7);
}

void kept_frame(struct kept_region *m, __u32 segment, __u32 length, __u32 state)
{
	struct perfaux_segment *seg = &m->segments[segment];
	struct perfaux_frame *frame = (void *)(m->data + segment * MADE_SIZE + seg->used);

	*frame = (struct perfaux_frame){
		.state = PERFAUX_SEQ(seg->state) << 8 | state, .length = length, .segment = segment,
		.time = 5000 + seg->used,
	};
	memset(frame->data, 0x5a, length);
	seg->used += sizeof(*frame) + (length + 7) / 8 * 8;
}

void kept_ready(struct kept_region *m, __u32 segment)
{
	struct perfaux_segment *seg = &m->segments[segment];

	seg->ready_seq = ++m->ready;
	seg->t_active = m->seq * 100 + 90;
	seg->state = PERFAUX_SEQ(seg->state) << 8 | PERFAUX_SEG_READY;
}

void kept_gap(struct kept_region *m, __u32 index, __u64 bytes)
{
	struct perfaux_gap *gap = &m->gaps[index];

	*gap = (struct perfaux_gap){
		.seq = ++m->seq, .t_begin = m->seq * 100, .t_end = m->seq * 100 + 50,
		.cause = PERFAUX_CAUSE_FULL, .count = 1, .bytes = bytes,
	};
	m->gap_sums[index] = perfaux_kept_sum(perfaux_kept_start(m->head->key, gap->seq, index, 0),
					      gap, 8);
}

void kept_open_gap(struct kept_region *m, __u32 index, __u64 bytes)
{
	struct perfaux_gap *gap = &m->gaps[index];

	*gap = (struct perfaux_gap){
		.t_begin = m->seq * 100 + 80, .cause = PERFAUX_CAUSE_FULL, .count = 3,
		.bytes = bytes,
	};
	m->gap_sums[index] = perfaux_kept_sum(perfaux_kept_start(m->head->key, 0, index, 0),
					      gap, 8);
}

void kept_stop(struct kept_region *m, __u32 cause, __u64 time, const char *message)
{
	struct perfaux_stop *stop = m->stop;

	*stop = (struct perfaux_stop){ .cause = cause, .time = time };
	memcpy(stop->message, message, strlen(message));
	stop->sum = perfaux_kept_sum(m->head->key, stop, offsetof(typeof(*stop), sum) / 8);
}
