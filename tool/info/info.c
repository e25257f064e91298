// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a stream into the tables of struct info.
 */
#include "info/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/primer.h"
#include "stream/read_raw.h"
#include "perfaux.h"

static struct info_queue *find_queue(struct info *info, bool chunks, __u32 tid,
				     __u32 cpu)
{
	__u64 key = (__u64)chunks << 63 |
		    (tid == INFO_NOBODY ? INFO_ROW_CPU | cpu : tid);
	struct info_queue *q;
	__u32 i;

	if (read_map_get(&info->by_queue, key, &i))
		return &info->queues[i];
	if (!(info->nr_queues & (info->nr_queues - 1))) {
		size_t room = info->nr_queues ? info->nr_queues * 2 : 1;

		q = realloc(info->queues, room * sizeof(*q));
		if (!q)
			return NULL;
		info->queues = q;
	}
	if (read_map_set(&info->by_queue, key, info->nr_queues))
		return NULL;
	q = &info->queues[info->nr_queues++];
	*q = (struct info_queue) {
		.tid = tid, .chunks = chunks,
		.cpu = tid == INFO_NOBODY ? cpu : INFO_NOBODY,
	};
	return q;
}

static __u64 row_key(const struct info *info, __u32 tid, __u32 cpu)
{
	if (info->by_cpu || tid == INFO_NOBODY)
		return INFO_ROW_CPU | cpu;
	return tid;
}

static void add_time(struct info *info, __u64 time)
{
	if (!time || time == ~0ULL)
		return;
	if (!info->first || time < info->first)
		info->first = time;
	if (time > info->last)
		info->last = time;
}

static int add_aux(struct info *info, bool chunks, __u32 tid, __u32 cpu,
		   __u64 bytes, __u64 begin, __u64 end)
{
	struct info_queue *q = find_queue(info, chunks, tid, cpu);
	struct info_thread *t;

	if (!q)
		return -ENOMEM;
	q->bytes += bytes;
	q->records++;
	if (tid != INFO_NOBODY) {
		t = info_thread(info, tid);
		if (!t)
			return -ENOMEM;
		t->aux_bytes += bytes;
	}
	add_time(info, begin);
	add_time(info, end);
	return timeline_add(&info->line, row_key(info, tid, cpu),
			    TIMELINE_BYTES, begin, end, bytes);
}

static int add_auxtrace(struct info *info, const struct read_record *rec)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;
	const bool first = !info->primed && rec->blob;
	__u8 head[PRIMER_SIZE];

	if (rec->size < sizeof(*a))
		return 0;
	info->primed |= first;
	if (first && read_primer(info->stream, rec, head))
		return 0;
	return add_aux(info, false, a->tid, a->cpu, rec->blob, a->reference,
		       a->reference);
}

static void add_payload_loss(struct info *info, const struct auxrec_payload *h)
{
	struct info_payload_loss *loss;

	loss = &info->payload_losses[h->cause < INFO_MAIN_RING ?
				     h->cause : PERFAUX_CAUSE_NONE];
	loss->count += h->flags & AUXREC_PAYLOAD_GAP ? h->offset : 1;
	loss->bytes += h->total;
}

/*
 * Count a sample of a payload event, which is a whole payload, a part of one, or a
 * lost one. Also count a sample of another event that tells that its data was lost.
 * Return whether the sample belongs to a payload event.
 */
static bool add_payload(struct info *info, const struct read_sample *s)
{
	const bool apart = is_payload_event(&s->event->attr);
	struct info_event *ev = &info->events[s->event->index];
	struct auxrec_payload h;

	if (!info->payload_key || !read_payload(s, &h) || h.key != info->payload_key)
		return false;
	if (h.cause || h.flags & AUXREC_PAYLOAD_GAP) {
		add_payload_loss(info, &h);
	} else if (apart) {
		ev->payloads += !h.offset;
		ev->payload_bytes += h.length;
	}
	if (!h.offset && (h.flags & AUXREC_PAYLOAD_NO_SAMPLE))
		info->without_sample++;
	return apart;
}

static int add_sample(struct info *info, const struct read_sample *s)
{
	struct info_event *ev = &info->events[s->event->index];
	struct auxrec_chunk h;
	struct info_thread *t;
	__u32 tid = s->has & PERF_SAMPLE_TID ? s->tid : INFO_NOBODY;
	__u32 cpu = s->has & PERF_SAMPLE_CPU ? s->cpu : INFO_NOBODY;

	ev->samples++;
	if (is_snapshot_event(&s->event->attr))
		return info_snapshot(info, s);
	if (add_payload(info, s))
		return 0;
	if (read_chunk(s, &h)) {
		ev->aux_bytes += h.length;
		return add_aux(info, true, tid, cpu, h.length, h.t_begin,
			       h.t_end);
	}
	if (tid != INFO_NOBODY) {
		t = info_thread(info, tid);
		if (!t)
			return -ENOMEM;
		t->samples++;
		t->pid = s->pid;
	}
	return timeline_add(&info->line, row_key(info, tid, cpu),
			    TIMELINE_SAMPLE, s->time, s->time, 1);
}

static int add_attr(struct info *info, const struct read_record *rec)
{
	struct info_event *events;
	int rc = read_attrs_add(&info->attrs, rec);

	if (rc == -ENOMEM || info->attrs.nr == info->nr_events)
		return rc == -ENOMEM ? rc : 0;
	events = realloc(info->events, info->attrs.nr * sizeof(*events));
	if (!events)
		return -ENOMEM;
	info->events = events;
	memset(&events[info->nr_events], 0, sizeof(*events));
	if (is_payload_event(&info->attrs.list[info->nr_events]->attr))
		info->payload_key = info->attrs.list[info->nr_events]->attr.config1;
	info->nr_events = info->attrs.nr;
	return 0;
}

static int add_user(struct info *info, const struct read_record *rec)
{
	int rc;

	switch (rec->type) {
	case REC_ATTR:
		return add_attr(info, rec);
	case REC_EVENT_TYPE:
		return info_identity(info, rec);
	case REC_EVENT_UPDATE:
		rc = read_attrs_update(&info->attrs, rec);
		return rc == -ENOMEM ? rc : 0;
	case REC_FEATURE:
		return info_feature(info, rec);
	case REC_AUXTRACE:
		return rec->inner ? 0 : add_auxtrace(info, rec);
	case REC_AUXTRACE_ERROR:
		return info_gap(info, rec);
	case REC_BUILD_ID:
		return info_build_id(info, rec);
	case REC_FINISHED_INIT:
		info->complete = true;
		return 0;
	case REC_COMPRESSED:
		return rec->inner ? 0 : read_inflate(info->stream);
	}
	return 0;
}

static int add_by_type(struct info *info, const struct read_record *rec,
		       const struct read_sample *s)
{
	if (s->has & PERF_SAMPLE_TIME)
		add_time(info, s->time);
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return add_sample(info, s);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return info_lost(info, rec, s);
	case PERF_RECORD_AUX:
		return info_aux(info, rec, s);
	}
	return info_task(info, rec, s);
}

static int add_kernel(struct info *info, const struct read_record *rec,
		      const struct read_sample *s)
{
	return add_by_type(info, rec, s) ?: info_loss(info, rec, s);
}

static int add_record(struct info *info, const struct read_record *rec)
{
	struct read_sample s;
	bool good = false;

	info->nr_records++;
	if (rec->type < REC_NR_TYPES)
		info->types[rec->type]++;
	else
		info->other_types++;
	if (rec->type < REC_ATTR)
		good = !read_sample(&info->attrs, rec, &s);
	if (info->records)
		info_record(info, rec, good ? &s : NULL);
	if (rec->type >= REC_ATTR)
		return add_user(info, rec);
	return good ? add_kernel(info, rec, &s) : 0;
}

int info_stream(struct info *info, read_fill_t fill, void *ctx)
{
	struct read_record rec;
	int rc;

	info->stream = read_open(fill, ctx);
	if (!info->stream)
		return -ENOMEM;
	rc = read_header(info->stream);
	if (rc == -EBADMSG)
		info->problem = read_problem(info->stream);
	while (rc > 0) {
		rc = read_next(info->stream, &rec);
		if (rc > 0)
			rc = add_record(info, &rec) ?: 1;
	}
	complete_breaks_end(&info->breaks);
	if (rc == -EPROTO || rc == -ENODATA)
		snprintf(info->damage, sizeof(info->damage), "%s", read_problem(info->stream) ?: "");
	info->bytes = read_offset(info->stream);
	info->cut = read_cut(info->stream);
	read_close(info->stream);
	info->stream = NULL;
	return rc;
}

void info_free(struct info *info)
{
	size_t i;

	for (i = 0; i <= REC_FEAT_MAX; i++)
		free(info->feature[i]);
	info_free_snapshots(info);
	for (i = 0; i < info->nr_files; i++)
		free(info->files[i].name);
	free(info->files);
	complete_breaks_free(&info->breaks);
	free(info->identity);
	free(info->threads);
	free(info->queues);
	free(info->events);
	read_map_free(&info->by_tid);
	read_map_free(&info->by_queue);
	read_map_free(&info->by_file);
	read_losses_free(&info->ring_losses);
	read_attrs_free(&info->attrs);
	timeline_free(&info->line);
}
