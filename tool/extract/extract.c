// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extract the AUX data of a stream: read its records, and write the data to queues.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "extract/extract.h"
#include "stream/primer.h"
#include "stream/read_gap.h"
#include "stream/read_raw.h"
#include "base/bytes.h"

#define BLOB_BUF	(64 * 1024)

/* Words of Intel PT's priv[] */
#define PT_PER_CPU_MMAPS	9

/* Remember the process of a thread, because queues have only the tid. */
static int learn(struct extract *e, __u32 pid, __u32 tid)
{
	if (!tid || tid == EXTRACT_NOBODY || pid == EXTRACT_NOBODY)
		return 0;
	return read_map_set(&e->pids, tid, pid) ? -ENOMEM : 0;
}

static void take_info(struct extract *e, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	const __u32 type = read_u32(&b);

	read_u32(&b);
	e->intel_pt = type == REC_AUX_INTEL_PT;
	read_take_items(&b, PT_PER_CPU_MMAPS, sizeof(__u64));
	e->per_cpu = e->intel_pt && read_u64(&b);
}

static bool has_primer(const struct extract *e, const void *data, __u64 size)
{
	return !e->primed && size == PRIMER_SIZE && is_primer(data);
}

static int take_auxtrace(struct extract *e, const struct read_record *rec)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;
	static __u8 buf[BLOB_BUF];
	ssize_t queue, n = 0;
	__u64 left = rec->blob;
	__u32 tid;
	int err = 0;

	if (rec->size < sizeof(*a) || rec->inner)
		return 0;
	/* perf can set tid and cpu, and then has one queue per CPU. */
	tid = a->cpu == EXTRACT_NOBODY ? a->tid : EXTRACT_NOBODY;
	queue = extract_queue(e, NULL, tid, a->cpu);
	if (queue < 0)
		return queue;
	for (; !err && left; left -= n) {
		n = read_blob(e->stream, buf, left < sizeof(buf) ? left :
								   sizeof(buf));
		if (n <= 0)
			return n;
		if (has_primer(e, buf, rec->blob)) {
			e->primed = true;
			return 0;
		}
		e->primed = true;
		/* Count the span at its first bytes, because the rest may be cut off. */
		if (left == rec->blob) {
			e->queues[queue].spans++;
			extract_time(&e->queues[queue], a->reference);
		}
		err = extract_write(e, queue, buf, n);
	}
	return err;
}

/* Use a queue per thread if the recording did, see session_per_task(). */
static ssize_t chunk_queue(struct extract *e, const struct read_event *ev,
			   __u32 tid, __u32 cpu)
{
	if (ev->attr.inherit)
		return extract_queue(e, ev, tid, EXTRACT_NOBODY);
	return extract_queue(e, ev, EXTRACT_NOBODY, cpu);
}

static int take_chunk(struct extract *e, const struct read_sample *s)
{
	struct auxrec_chunk h;
	ssize_t queue;

	if (!read_chunk(s, &h))
		return 0;
	queue = chunk_queue(e, s->event, s->tid, s->cpu);
	if (queue < 0)
		return queue;
	e->queues[queue].spans += !h.offset;
	extract_time(&e->queues[queue], h.t_begin);
	extract_time(&e->queues[queue], h.t_end);
	return extract_write(e, queue, s->raw + h.header_size, h.length);
}

/*
 * Find the event whose samples contain the AUX data of the event with the gap. Both
 * events have the same name. If no name matches, return the first event with chunks.
 * NULL: the stream has no chunks.
 */
static const struct read_event *chunk_event(const struct extract *e)
{
	const struct read_event *of = e->gap_event, *first = NULL;
	size_t i;

	for (i = 0; i < e->attrs.nr; i++) {
		const struct read_event *ev = e->attrs.list[i];

		if (!read_is_chunk_event(&ev->attr))
			continue;
		if (of && of->name && ev->name && !strcmp(of->name, ev->name))
			return ev;
		if (!first)
			first = ev;
	}
	return first;
}

static int take_gap(struct extract *e, const struct read_record *rec)
{
	const struct rec_auxtrace_error *a = (const void *)rec->hdr;
	const struct read_event *ev = e->intel_pt ? NULL : chunk_event(e);
	struct extract_gap gap = { .queue = EXTRACT_NOBODY };
	struct read_gap said;
	ssize_t queue;

	if (!read_gap(rec, &said))
		return 0;
	gap.begin = said.begin;
	gap.end = said.end;
	gap.times = said.count;
	gap.bytes = said.bytes;
	gap.cause = said.cause;
	/* The gap is known only from a counter, see auxdata_summary() in record/auxdata.c. */
	if (a->cpu == EXTRACT_NOBODY)
		return extract_gap(e, &gap);
	if (ev)
		queue = chunk_queue(e, ev, a->tid, a->cpu);
	else if (e->per_cpu)
		queue = extract_queue(e, NULL, EXTRACT_NOBODY, a->cpu);
	else
		queue = extract_queue(e, NULL, a->tid, EXTRACT_NOBODY);
	if (queue < 0)
		return queue;
	gap.queue = queue;
	return learn(e, a->pid, a->tid) ?: extract_gap(e, &gap);
}

static int take_user(struct extract *e, const struct read_record *rec)
{
	int rc;

	switch (rec->type) {
	case REC_ATTR:
		rc = read_attrs_add(&e->attrs, rec);
		return rc == -ENOMEM ? rc : 0;
	case REC_EVENT_UPDATE:
		rc = read_attrs_update(&e->attrs, rec);
		return rc == -ENOMEM ? rc : 0;
	case REC_AUXTRACE_INFO:
		take_info(e, rec);
		return 0;
	case REC_AUXTRACE:
		return take_auxtrace(e, rec);
	case REC_AUXTRACE_ERROR:
		return take_gap(e, rec);
	case REC_COMPRESSED:
		return rec->inner ? 0 : read_inflate(e->stream);
	}
	return 0;
}

static int take_kernel(struct extract *e, const struct read_record *rec,
		       const struct read_sample *s)
{
	const __u32 *who = read_body(rec);
	const __u64 *aux = read_body(rec);

	if ((s->has & PERF_SAMPLE_TID) && learn(e, s->pid, s->tid))
		return -ENOMEM;
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return take_chunk(e, s);
	case PERF_RECORD_COMM:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_MMAP2:
		return s->rest >= 8 ? learn(e, who[0], who[1]) : 0;
	case PERF_RECORD_FORK:
		return s->rest >= 16 ? learn(e, who[0], who[2]) : 0;
	case PERF_RECORD_AUX:
		if (s->rest < 24 || !(aux[2] & PERF_AUX_FLAG_TRUNCATED))
			return 0;
		/* With size 0 the record announces a gap, whose own record comes next. */
		e->gap_event = s->event;
		e->truncated += !!aux[1];
		return 0;
	}
	return 0;
}

static int take(void *ctx, const struct read_record *rec)
{
	struct extract *e = ctx;
	struct read_sample s;

	if (rec->type >= REC_ATTR)
		return take_user(e, rec);
	return read_sample(&e->attrs, rec, &s) ? 0 : take_kernel(e, rec, &s);
}

int extract_read(struct extract *e, read_fill_t fill, void *fill_ctx,
		 extract_take_t each, void *each_ctx)
{
	struct read_record rec;
	int rc;

	e->stream = read_open(fill, fill_ctx);
	if (!e->stream)
		return -ENOMEM;
	rc = read_header(e->stream);
	if (rc == -EBADMSG)
		e->problem = read_problem(e->stream);
	while (rc > 0) {
		rc = read_next(e->stream, &rec);
		if (rc > 0)
			rc = each(each_ctx, &rec) ?: 1;
	}
	if (rc == -EPROTO || rc == -ENODATA)
		snprintf(e->damage, sizeof(e->damage), "%s", read_problem(e->stream) ?: "");
	e->bytes = read_offset(e->stream);
	e->cut = read_cut(e->stream);
	read_close(e->stream);
	e->stream = NULL;
	return rc;
}

int extract_stream(struct extract *e, read_fill_t fill, void *ctx)
{
	int rc = extract_read(e, fill, ctx, take, e), err;

	if (rc == -ECANCELED)
		return rc;
	err = extract_finish(e);
	return err ?: rc;
}
