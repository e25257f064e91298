// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count what is missing: gaps of raw rings, and records lost from main rings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
#include "stream/cause.h"

const char *info_cause_name(__u32 cause)
{
	return cause == INFO_MAIN_RING ? "main ring" : gap_cause_name(cause);
}

static void add_to_cause(struct info_cause *cause, const struct read_gap *gap)
{
	const __u64 duration = gap->end - gap->begin;

	if (!cause->gaps++ || gap->begin < cause->first)
		cause->first = gap->begin;
	if (gap->end > cause->last)
		cause->last = gap->end;
	cause->attempts += gap->count;
	cause->bytes += gap->bytes;
	cause->duration += duration;
	if (duration > cause->longest)
		cause->longest = duration;
}

static int add_gap(struct info *info, const struct read_gap *gap)
{
	__u64 key = INFO_ROW_CPU | gap->cpu;
	struct info_thread *t;

	add_to_cause(&info->causes[gap->cause], gap);
	if (info->nr_gaps < INFO_MAX_GAPS)
		info->gaps[info->nr_gaps++] = *gap;
	if (gap->tid != INFO_NOBODY) {
		t = info_thread(info, gap->tid);
		if (!t)
			return -ENOMEM;
		t->gaps++;
		if (!info->by_cpu)
			key = gap->tid;
	}
	return complete_break(&info->breaks, gap->begin, gap->end) ?:
	       timeline_add(&info->line, key, TIMELINE_GAP, gap->begin, gap->end, 1);
}

int info_gap(struct info *info, const struct read_record *rec)
{
	struct read_gap gap;

	return read_gap(rec, &gap) ? add_gap(info, &gap) : 0;
}

int info_aux(struct info *info, const struct read_record *rec,
	     const struct read_sample *s)
{
	const __u64 *body = read_body(rec);

	/* With size 0 the record announces a gap, which comes as AUXTRACE_ERROR. */
	if (s->rest >= 24 && body[1] && (body[2] & PERF_AUX_FLAG_TRUNCATED))
		info->aux_truncated++;
	return 0;
}

int info_loss(struct info *info, const struct read_record *rec,
	      const struct read_sample *s)
{
	struct read_gap gap;
	int rc = read_loss(&info->ring_losses, rec, s, info->first, &gap);

	return rc > 0 ? add_gap(info, &gap) : rc;
}

int info_lost(struct info *info, const struct read_record *rec,
	      const struct read_sample *s)
{
	const struct read_event *ev;
	__u64 event;
	const __u64 nr = read_lost(rec, s, &event);

	if (rec->type == PERF_RECORD_LOST)
		info->lost += nr;
	else
		info->lost_samples += nr;
	ev = read_attrs_find(&info->attrs, event) ?: s->event;
	info->events[ev->index].lost += nr;
	return 0;
}
