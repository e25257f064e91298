// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make an item of libauxstream from a record of a stream.
 */
#include <errno.h>
#include <string.h>

#include "auxstream/item.h"
#include "stream/read_gap.h"
#include "stream/read_raw.h"
#include "stream/read_snapshot.h"

_Static_assert(AUXSTREAM_MAIN_RING == READ_CAUSE_MAIN_RING, "the same number");

static int fill_auxtrace(struct auxstream *s, const struct read_record *rec,
			 struct auxstream_item *item)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;
	const bool first = !s->primed && rec->blob;
	ssize_t n;

	if (rec->size < sizeof(*a) || rec->inner)
		return 0;
	s->primed |= first;
	if (first && rec->blob == PRIMER_SIZE) {
		n = read_blob(s->stream, s->head, PRIMER_SIZE);
		if (n < 0)
			return n;
		if (is_primer(s->head))
			return 0;
		item->aux.data = s->head;
	}
	s->has_data = !item->aux.data;
	item->kind = AUXSTREAM_AUX;
	item->time = a->reference;
	/* perf record can set both @cpu and @tid. Its queues are then those of CPUs. */
	item->aux.cpu = a->cpu;
	item->aux.tid = a->cpu == AUXSTREAM_NOBODY ? a->tid : AUXSTREAM_NOBODY;
	item->tid = a->tid;
	item->cpu = a->cpu;
	item->aux.size = rec->blob;
	item->aux.offset = a->offset;
	item->aux.begin = a->reference;
	return 0;
}

static void fill_gap(const struct read_gap *gap, struct auxstream_item *item)
{
	item->kind = AUXSTREAM_GAP;
	item->gap = (struct auxstream_gap) {
		.begin = gap->begin, .end = gap->end, .count = gap->count, .bytes = gap->bytes,
		.cause = gap->cause, .tid = gap->tid, .cpu = gap->cpu,
	};
}

static void fill_error(const struct read_record *rec, struct auxstream_item *item)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;
	struct read_gap gap;

	if (!read_gap(rec, &gap))
		return;
	fill_gap(&gap, item);
	item->time = gap.begin;
	item->pid = e->pid;
	item->tid = gap.tid;
	item->cpu = gap.cpu;
}

static void fill_chunk(const struct read_sample *r, const struct auxrec_chunk *h,
		       struct auxstream_item *item)
{
	const bool per_task = r->event->attr.inherit;

	item->kind = AUXSTREAM_AUX;
	item->aux = (struct auxstream_aux) {
		.tid = per_task ? r->tid : AUXSTREAM_NOBODY,
		.cpu = per_task ? AUXSTREAM_NOBODY : r->cpu,
		.size = h->length,
		.offset = h->offset,
		.begin = h->t_begin,
		.end = h->t_end,
		.data = r->raw + h->header_size,
		.flags = h->flags,
	};
}

static void fill_payload(struct auxstream *s, const struct read_sample *r,
			 const struct auxrec_payload *h, struct auxstream_item *item)
{
	const struct read_event *of = h->id ? read_attrs_find(&s->attrs, h->id) : NULL;

	if (of)
		item->event = &s->events[of->index]->event;
	/* h->time is the frame's time in the ring; the payload's sample may have a later time. */
	if (h->time)
		item->time = h->time;
	if (h->flags & AUXREC_PAYLOAD_GAP) {
		item->kind = AUXSTREAM_GAP;
		item->gap = (struct auxstream_gap) {
			.begin = h->time, .count = h->offset, .bytes = h->total,
			.cause = h->cause, .tid = item->tid, .cpu = item->cpu,
		};
		return;
	}
	if (!h->number || h->offset > h->total || h->length > h->total - h->offset)
		return;
	item->kind = AUXSTREAM_PAYLOAD;
	item->payload = (struct auxstream_payload) {
		.number = h->number,
		.total = h->total,
		.offset = h->offset,
		.cookie = h->id ? 0 : h->cookie,
		.data = r->raw + h->header_size,
		.size = h->length,
		.cause = h->cause,
		.no_sample = h->flags & AUXREC_PAYLOAD_NO_SAMPLE,
	};
}

static void fill_snapshot(const struct read_sample *r, struct auxstream_item *item)
{
	struct read_snapshot snapshot;

	if (read_snapshot(r, &snapshot))
		return;
	item->kind = AUXSTREAM_SNAPSHOT;
	item->snapshot = (struct auxstream_snapshot) {
		.recording = snapshot.h.recording,
		.number = snapshot.h.number,
		.trigger = snapshot.h.t_trigger,
		.complete_from = snapshot.h.t_begin,
		.complete_to = snapshot.h.t_settled,
		.raw_from = snapshot.h.raw_begin,
		.raw_to = snapshot.h.raw_end,
		.name = snapshot.name,
	};
}

static void fill_plain(const struct read_record *rec, const struct read_sample *r,
		       const struct auxrec_payload *payload, struct auxstream_item *item)
{
	item->kind = AUXSTREAM_SAMPLE;
	item->sample = (struct auxstream_sample) {
		.has = r->has,
		.ip = r->ip,
		.addr = r->addr,
		.period = r->period,
		.nr_chain = r->nr_chain,
		.chain = r->chain,
		.raw = r->raw,
		.raw_size = r->raw ? read_raw_size(rec, r) : 0,
	};
	if (!payload)
		return;
	item->sample.raw = NULL;
	item->sample.raw_size = 0;
	item->sample.payload = payload->number;
	item->sample.cause = payload->cause;
	item->sample.lost = payload->cause ? payload->total : 0;
}

static void fill_sample(struct auxstream *s, const struct read_record *rec,
			const struct read_sample *r, struct auxstream_item *item)
{
	struct auxrec_payload payload;
	struct auxrec_chunk chunk;

	/* The functions below change item->kind, unless the sample breaks a rule. */
	item->kind = AUXSTREAM_OTHER;
	if (is_snapshot_event(&r->event->attr))
		fill_snapshot(r, item);
	else if (is_payload_event(&r->event->attr) && read_payload(r, &payload))
		fill_payload(s, r, &payload, item);
	else if (read_chunk(r, &chunk))
		fill_chunk(r, &chunk, item);
	else
		fill_plain(rec, r, read_payload(r, &payload) ? &payload : NULL, item);
}

/* Report a loss whose time or CPU is not known. Streams of other recorders can have such losses. */
static void fill_lost(__u64 nr, struct auxstream_item *item)
{
	const struct read_gap gap = {
		.count = nr, .cause = READ_CAUSE_MAIN_RING,
		.tid = AUXSTREAM_NOBODY, .cpu = item->cpu,
	};

	fill_gap(&gap, item);
}

static int fill_kernel(struct auxstream *s, const struct read_record *rec,
		       struct auxstream_item *item)
{
	struct read_gap gap;
	struct read_sample r;
	__u64 nr, id;
	int rc;

	if (read_sample(&s->attrs, rec, &r))
		return 0;
	item->kind = AUXSTREAM_KERNEL;
	item->event = &s->events[r.event->index]->event;
	item->id = r.id;
	if (r.has & PERF_SAMPLE_TIME)
		item->time = r.time;
	if (r.has & PERF_SAMPLE_TID) {
		item->pid = r.pid;
		item->tid = r.tid;
	}
	if (r.has & PERF_SAMPLE_CPU)
		item->cpu = r.cpu;
	if (item->time && (!s->first || item->time < s->first))
		s->first = item->time;
	rc = read_loss(&s->losses, rec, &r, s->first, &gap);
	nr = read_lost(rec, &r, &id);
	if (rc > 0)
		fill_gap(&gap, item);
	else if (!rc && nr)
		fill_lost(nr, item);
	else if (!rc && rec->type == PERF_RECORD_SAMPLE)
		fill_sample(s, rec, &r, item);
	return rc < 0 ? rc : 0;
}

int item_fill(struct auxstream *s, const struct read_record *rec, struct auxstream_item *item)
{
	item->header = rec->hdr;
	item->offset = rec->offset;
	item->number = rec->number;
	item->pid = AUXSTREAM_NOBODY;
	item->tid = AUXSTREAM_NOBODY;
	item->cpu = AUXSTREAM_NOBODY;
	s->has_data = false;
	if (rec->type < REC_ATTR)
		return fill_kernel(s, rec, item);
	if (rec->type == REC_AUXTRACE)
		return fill_auxtrace(s, rec, item);
	if (rec->type == REC_AUXTRACE_ERROR)
		fill_error(rec, item);
	return 0;
}
