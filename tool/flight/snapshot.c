// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a snapshot: a stream of the records that a flight recorder has in memory, and of the data
 * in the raw ring. See stream/snapshot_mark.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/auxdata.h"
#include "record/payloads.h"
#include "flight/flight.h"
#include "stream/records.h"
#include "stream/snapshot_mark.h"

/* Write out and give segments back after this many bytes. */
#define FLUSH_BYTES	(1U << 20)

struct mark_sample {
	struct perf_event_header header;
	__u64 id;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, reserved;
	__u64 period;
	__u32 raw_size;
	struct auxrec_snapshot mark;
} __attribute__((packed, aligned(4)));

/* The spans in HELD segments */
struct span_list {
	struct raw_item *items;
	size_t nr;
	__u32 *left;			/* spans of each segment, not yet written */
	struct raw_run run;		/* the part without a hole */
};

static int put(void *ctx, const struct perf_event_header *rec)
{
	struct session *s = ctx;

	if (!only_tasks_keeps(s->flight->only, rec))
		return 0;
	snapshot_task_record(s, rec);
	return stream_record(&s->out, rec);
}

static int put_sample(void *ctx, const struct perf_event_header *rec)
{
	struct session *s = ctx;

	snapshot_losses_record(s, rec);
	if (!only_tasks_keeps(s->flight->only, rec))
		return 0;
	if (rec->type == PERF_RECORD_SAMPLE && s->have_payloads)
		return payload_sample(s, rec);
	return stream_record(&s->out, rec);
}

/* --- the mark -------------------------------------------------------------- */

static const struct sev *mark_event(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].snapshots)
			return &s->sev[i];
	return NULL;
}

/*
 * Add up the data of spans after the trigger. If a span was in progress at the trigger, count its
 * bytes in proportion to its time after the trigger.
 */
static void note_spans_after(const struct span_list *list, struct auxrec_snapshot *mark)
{
	const __u64 trigger = mark->t_trigger;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct perfaux_span *span = list->items[i].span;
		__u64 bytes = span->length;

		if (span->t_end > mark->t_end)
			mark->t_end = span->t_end;
		if (span->t_end <= trigger)
			continue;
		if (span->t_begin < trigger)
			bytes = (double)bytes * (span->t_end - trigger) /
				(span->t_end - span->t_begin);
		mark->after_bytes += bytes;
		if (span->t_end - trigger > mark->after_ns)
			mark->after_ns = span->t_end - trigger;
	}
}

static void note_after(const struct session *s, const struct span_list *list,
		       struct auxrec_snapshot *mark)
{
	__u64 last = mark->t_trigger;

	note_spans_after(list, mark);
	if (!s->have_payloads)
		return;
	frames_held_after(&s->payloads->frames, mark->t_trigger, &mark->after_bytes, &last);
	if (last > mark->t_end)
		mark->t_end = last;
	if (last - mark->t_trigger > mark->after_ns)
		mark->after_ns = last - mark->t_trigger;
}

static __u32 lacking(const struct flight *f)
{
	__u64 mib = f->lacking.memory >> 20;

	if (mib > ~0U >> AUXREC_SNAPSHOT_MIB_SHIFT)
		mib = ~0U >> AUXREC_SNAPSHOT_MIB_SHIFT;
	return f->lacking.part << AUXREC_SNAPSHOT_SHORT_SHIFT |
	       (__u32)mib << AUXREC_SNAPSHOT_MIB_SHIFT;
}

static int put_mark(struct session *s, const struct flight_wish *w,
		    const struct span_list *list, const struct snapshot_job *job,
		    struct auxrec_snapshot *written)
{
	const size_t name = strlen(w->name) + 1;
	const struct sev *sev = mark_event(s);
	const struct flight *f = s->flight;
	__u8 data[TRIGGER_NAME_MAX + REC_SIZE_MAX];
	struct recent_stats stats;
	struct auxrec_snapshot mark = {
		.magic = AUXREC_SNAPSHOT_MAGIC,
		.version = 3,
		.header_size = sizeof(mark),
		.recording = s->recording,
		.number = f->number,
		.t_trigger = w->time,
		.t_settled = s->flushed_time,
		.t_end = s->main.max_time,
		.triggers = w->triggers,
		.suppressed = f->suppressed,
		.kind = w->trigger->kind,
		.name_size = name,
		.data_size = w->data_size,
		.flags = (job->frozen ? AUXREC_SNAPSHOT_FROZEN : 0) |
			 (w->lost ? AUXREC_SNAPSHOT_LOST : 0) |
			 (f->only ? AUXREC_SNAPSHOT_ONLY_TASK : 0) | lacking(f),
	};
	struct mark_sample rec = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0 },
		.id = sev ? sev->chunk_id : 0,
		/* Use the recorder's pid, because readers do not know the child. */
		.pid = getppid(),
		.tid = getppid(),
		.time = w->time,
		.period = 1,
	};
	const size_t len = name + w->data_size;
	const size_t size = ALIGN8(sizeof(rec) + len);

	recent_stats(f->recent, &stats);
	mark.t_begin = stats.begin;
	mark.raw_begin = list->run.begin;
	mark.raw_end = list->run.end;
	mark.raw_first = list->run.first;
	mark.raw_last = list->run.last;
	note_after(s, list, &mark);
	*written = mark;
	rec.mark = mark;
	rec.header.size = size;
	rec.raw_size = size - offsetof(struct mark_sample, mark);
	memcpy(data, w->name, name);
	if (w->data_size)
		memcpy(data + name, w->data, w->data_size);
	return stream_record_data(&s->out, &rec, sizeof(rec), data, len,
				  size - sizeof(rec) - len) ?: stream_flush(&s->out);
}

/* --- spans ----------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct raw_item *x = a, *y = b;

	return x->span->seq < y->span->seq ? -1 : x->span->seq > y->span->seq;
}

static int find_spans(struct session *s, __u64 begin, struct span_list *list)
{
	struct raw_item item = { .span = NULL };

	if (!s->have_raw)
		return 0;
	list->left = calloc(s->raw.ctl->nr_segments, sizeof(*list->left));
	if (!list->left)
		return -ENOMEM;
	while (rawring_next_held(&s->raw, &item)) {
		/* The next snapshot has the spans that have ended since the HOLD. */
		if (item.span->t_end < begin || item.span->seq > s->raw.held_seq ||
		    !only_tasks_has(s->flight->only, item.span->pid, item.span->t_begin))
			continue;
		if (grow((void **)&list->items, list->nr, sizeof(*list->items)))
			return -ENOMEM;
		list->items[list->nr++] = item;
		list->left[item.index]++;
	}
	if (list->nr)
		qsort(list->items, list->nr, sizeof(*list->items), by_number);
	return rawring_held_run(&s->raw, begin, &list->run);
}

static void span_list_free(struct span_list *list)
{
	free(list->items);
	free(list->left);
}

/*
 * Give back the segments whose spans are all written out. The ring keeps their data as history
 * until a writer overwrites them.
 */
static int give_back(struct session *s, const struct span_list *list, size_t from,
		     size_t to)
{
	const int err = stream_flush(&s->out);

	for (; !err && from < to; from++)
		if (!--list->left[list->items[from].index])
			rawring_unhold(&s->raw, list->items[from].index);
	return err;
}

static int put_spans(struct session *s, const struct span_list *list)
{
	size_t i, from = 0;
	__u64 bytes = 0;
	int err = 0;

	for (i = 0; !err && i < list->nr; i++) {
		err = auxdata_span(s, &list->items[i]);
		bytes += list->items[i].span->length;
		if (!err && bytes >= FLUSH_BYTES) {
			err = give_back(s, list, from, i + 1);
			from = i + 1;
			bytes = 0;
		}
	}
	return err ?: give_back(s, list, from, i);
}

/* Write the gaps that ended at @begin or later. */
static int put_gaps(struct session *s, __u64 begin)
{
	const struct gaps *gaps = &s->flight->gaps;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < gaps->nr; i++)
		/* gaps_add() joins gaps of several threads to one that has no pid. */
		if (gaps->list[i].t_end >= begin &&
		    (gaps->list[i].pid == -1U ||
		     only_tasks_has(s->flight->only, gaps->list[i].pid, gaps->list[i].t_end)))
			err = auxdata_gap(s, &gaps->list[i]);
	return err;
}

/* --- all of it ------------------------------------------------------------- */

static int put_header(struct session *s, __u32 type)
{
	const struct perf_event_header h = { type, 0, sizeof(h) };

	return stream_record(&s->out, &h);
}

/* A snapshot is a stream of its own: reset the state that belongs to one stream. */
static int begin_stream(struct session *s, __u64 begin)
{
	auxdata_begin_stream(s);
	s->flushed_time = 0;
	if (!s->have_payloads)
		return 0;
	payload_free(s);
	memset(s->payloads, 0, sizeof(*s->payloads));
	if (payload_init(s))
		return -ENOMEM;
	s->payloads->frames.held_only = true;
	s->payloads->frames.begin = begin;
	return 0;
}

int snapshot_write(struct session *s, const struct snapshot_job *job)
{
	struct flight *f = s->flight;
	struct auxrec_snapshot first, other;
	const struct flight_wish *w;
	struct span_list list = { .items = NULL };
	int err;

	err = recent_cut(f->recent, job->begin, s->flushed_time);
	if (!err && s->opt->flight.only_task)
		err = only_tasks_find(s, &f->only);
	if (!err)
		err = snapshot_task_begin(s);
	if (!err)
		err = find_spans(s, job->begin, &list);
	made_set_clock(&f->setup);
	if (!err)
		err = stream_bytes(&s->out, f->setup.bytes, f->setup.size);
	if (!err)
		err = recent_emit_state(f->recent, put, s);
	if (!err)
		err = put_header(s, REC_FINISHED_INIT);
	for (w = f->writing; !err && w; w = w->next)
		err = put_mark(s, w, &list, job, w == f->writing ? &first : &other);
	if (!err)
		err = begin_stream(s, job->begin);
	if (!err)
		err = recent_emit_sideband(f->recent, put, s);
	if (!err && s->have_raw)
		err = put_spans(s, &list) ?: put_gaps(s, job->begin);
	if (!err && s->have_payloads)
		err = payload_begin(s);
	if (!err)
		err = recent_emit_samples(f->recent, put_sample, s);
	if (!err && s->have_payloads)
		err = payload_pass(s, true);
	if (!err && s->have_raw)
		err = auxdata_summary(s);
	if (!err)
		err = put_header(s, REC_FINISHED_ROUND);
	span_list_free(&list);
	if (!err && f->losses)
		snapshot_losses_end(f->losses, &first);
	return err ?: stream_flush(&s->out);
}
