// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check AUX data that the stream has as samples (stream/aux_chunk.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

bool check_is_chunk(const struct read_event *ev)
{
	return read_is_chunk_event(&ev->attr) &&
	       ev->attr.sample_type ==
	       (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW);
}

static bool check_header(struct check *c, const struct read_record *rec,
			 const struct read_sample *s,
			 const struct auxrec_chunk *h)
{
	if (s->raw_size < sizeof(*h) || h->magic != AUXREC_CHUNK_MAGIC) {
		check_fail(c, rec, RULE_CHUNK, "a chunk header",
			   "magic %#x in %u bytes", h->magic, s->raw_size);
		return false;
	}
	if (h->version != 1 || h->header_size != sizeof(*h)) {
		check_fail(c, rec, RULE_CHUNK,
			   check_expect(c, "version 1, header_size %zu",
					sizeof(*h)),
			   "version %u, header_size %u", h->version,
			   h->header_size);
		return false;
	}
	if (!h->seq)
		check_fail(c, rec, RULE_CHUNK, "a seq from 1", "0");
	return true;
}

static void check_length(struct check *c, const struct read_record *rec,
			 const struct read_sample *s,
			 const struct auxrec_chunk *h)
{
	__u32 pad = s->raw_size - sizeof(*h), i;

	if (h->length > pad || pad - h->length >= 8) {
		check_fail(c, rec, RULE_CHUNK_LENGTH,
			   check_expect(c, "length of the %u bytes in RAW, without padding",
					pad),
			   "%u", h->length);
		return;
	}
	for (i = h->length; i < pad; i++) {
		if (s->raw[sizeof(*h) + i]) {
			check_fail(c, rec, RULE_CHUNK_LENGTH, "zeros after the data",
				   "%#x", s->raw[sizeof(*h) + i]);
			break;
		}
	}
	if (h->length > AUXREC_CHUNK_MAX)
		check_fail(c, rec, RULE_CHUNK_LENGTH,
			   check_expect(c, "at most %u bytes", AUXREC_CHUNK_MAX),
			   "%u", h->length);
	if (s->period != h->length)
		check_fail(c, rec, RULE_CHUNK_LENGTH,
			   check_expect(c, "PERIOD %u, the length", h->length),
			   "%llu", s->period);
	if ((__u64)h->offset + h->length > h->span_length)
		check_fail(c, rec, RULE_CHUNK_LENGTH,
			   check_expect(c, "a part of the span's %u bytes",
					h->span_length),
			   "%u bytes at %u", h->length, h->offset);
	else if (!h->length && h->span_length)
		check_fail(c, rec, RULE_CHUNK_LENGTH, "data", "an empty part");
}

/* Find the state for the spans of a cookie, or make it. Return NULL if there is no memory. */
static struct check_span *find_span(struct check *c, const struct read_sample *s,
				    const struct auxrec_chunk *h)
{
	__u64 key = h->cookie + ((__u64)s->event->index << 40);
	struct check_span *span;
	__u32 i;

	if (read_map_get(&c->span_by_cookie, key, &i))
		return &c->spans[i];
	if (!(c->nr_spans & (c->nr_spans - 1))) {
		size_t room = c->nr_spans ? c->nr_spans * 2 : 1;

		span = realloc(c->spans, room * sizeof(*span));
		if (!span)
			return NULL;
		c->spans = span;
	}
	if (read_map_set(&c->span_by_cookie, key, c->nr_spans))
		return NULL;
	span = &c->spans[c->nr_spans++];
	*span = (struct check_span) { .open = false };
	return span;
}

static bool same_span(const struct check_span *span,
		      const struct read_sample *s,
		      const struct auxrec_chunk *h)
{
	const struct auxrec_chunk *l = &span->last;

	return l->t_begin == h->t_begin && l->t_end == h->t_end &&
	       l->flags == h->flags && l->span_length == h->span_length &&
	       span->pid == s->pid && span->tid == s->tid && span->cpu == s->cpu;
}

static void check_parts(struct check *c, const struct read_record *rec,
			const struct read_sample *s, struct check_span *span,
			const struct auxrec_chunk *h)
{
	const struct auxrec_chunk *l = &span->last;

	if (span->open && h->seq == l->seq) {
		if (!same_span(span, s, h))
			check_fail(c, rec, RULE_CHUNK_SPAN,
				   "times, flags, length, thread and CPU of the span's first part",
				   "others");
		if (h->offset != l->offset + l->length)
			check_fail(c, rec, RULE_CHUNK_SPAN,
				   check_expect(c, "offset %u",
						l->offset + l->length),
				   "%u", h->offset);
		return;
	}
	if (span->open)
		check_fail(c, rec, RULE_CHUNK_SPAN,
			   check_expect(c, "the rest of span %llu, from %u of %u",
					l->seq, l->offset + l->length,
					l->span_length),
			   "span %llu", h->seq);
	if (h->offset)
		check_fail(c, rec, RULE_CHUNK_SPAN, "offset 0 in a new span",
			   "%u", h->offset);
	if (h->seq <= l->seq)
		check_fail(c, rec, RULE_CHUNK_SEQ,
			   check_expect(c, "a seq above %llu", l->seq), "%llu",
			   h->seq);
}

int check_chunk(struct check *c, const struct read_record *rec,
		const struct read_sample *s)
{
	struct auxrec_chunk h = { 0 };
	struct check_span *span;

	/* RAW is at a multiple of 8 plus 4, where the struct would not be aligned. */
	memcpy(&h, s->raw, s->raw_size < sizeof(h) ? s->raw_size : sizeof(h));
	if (!check_header(c, rec, s, &h))
		return 1;
	check_length(c, rec, s, &h);
	if (h.t_begin > h.t_end)
		check_fail(c, rec, RULE_CHUNK_TIME, "t_begin <= t_end",
			   "%llu > %llu", h.t_begin, h.t_end);
	if (s->time != h.t_begin)
		check_fail(c, rec, RULE_CHUNK_TIME,
			   check_expect(c, "the sample's time, %llu, as t_begin",
					s->time),
			   "%llu", h.t_begin);
	span = find_span(c, s, &h);
	if (!span)
		return -ENOMEM;
	check_parts(c, rec, s, span, &h);
	span->last = h;
	span->pid = s->pid;
	span->tid = s->tid;
	span->cpu = s->cpu;
	span->open = (__u64)h.offset + h.length < h.span_length;
	return 1;
}
