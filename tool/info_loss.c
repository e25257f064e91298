// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is missing: gaps of raw rings, records lost from main rings.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "perfaux.h"

const char *info_cause_name(__u32 cause)
{
	static const char * const names[] = {
		[PERFAUX_CAUSE_NONE] = "unknown",
		[PERFAUX_CAUSE_FULL] = "no free segment",
		[PERFAUX_CAUSE_TRUNCATED] = "PMU lost data",
		[PERFAUX_CAUSE_OVERWRITTEN] = "overwritten",
		[PERFAUX_CAUSE_OVERRUN] = "PMU overran",
		[PERFAUX_CAUSE_NO_GAP] = "gap table full",
		[PERFAUX_CAUSE_TOO_LARGE] = "larger than a segment",
		[PERFAUX_CAUSE_ABANDONED] = "not finished",
		[PERFAUX_CAUSE_FROZEN] = "frozen by a trigger",
	};

	return cause < PERFAUX_NR_CAUSES ? names[cause] : "unknown";
}

/* When the gap ended, how many attempts to write it had, and their bytes. */
static void parse_message(const struct rec_auxtrace_error *e, size_t room,
			  struct info_gap *gap)
{
	unsigned long long s, ns, count, bytes;
	char msg[65];

	if (room > sizeof(e->msg))
		room = sizeof(e->msg);
	memcpy(msg, e->msg, room);
	msg[room] = 0;
	if (sscanf(msg, "perfaux: until %18llu.%9llu, %18llux, %18llu bytes",
		   &s, &ns, &count, &bytes) != 4)
		return;
	gap->end = s * 1000000000 + ns;
	if (gap->end < gap->begin)
		gap->end = gap->begin;
	gap->count = count;
	gap->bytes = bytes;
}

bool info_gap_read(const struct read_record *rec, struct info_gap *gap)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;

	if (rec->size <= offsetof(struct rec_auxtrace_error, msg) ||
	    e->code < REC_GAP_CODE || e->code >= REC_GAP_CODE_END)
		return false;
	*gap = (struct info_gap) {
		.begin = e->time, .end = e->time, .tid = e->tid, .cpu = e->cpu,
		.cause = e->code - REC_GAP_CODE,
	};
	parse_message(e, rec->size - offsetof(struct rec_auxtrace_error, msg),
		      gap);
	return true;
}

int info_gap(struct info *info, const struct read_record *rec)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;
	struct info_cause *cause;
	struct info_thread *t;
	struct info_gap gap;
	__u64 key;

	if (!info_gap_read(rec, &gap))
		return 0;
	cause = &info->causes[gap.cause];
	if (!cause->gaps++ || e->time < cause->first)
		cause->first = e->time;
	if (gap.end > cause->last)
		cause->last = gap.end;
	cause->attempts += gap.count;
	cause->bytes += gap.bytes;
	cause->duration += gap.end - gap.begin;
	if (gap.end - gap.begin > cause->longest)
		cause->longest = gap.end - gap.begin;
	if (info->nr_gaps < INFO_MAX_GAPS)
		info->gaps[info->nr_gaps++] = gap;
	key = INFO_ROW_CPU | e->cpu;
	if (e->tid != INFO_NOBODY) {
		t = info_thread(info, e->tid);
		if (!t)
			return -ENOMEM;
		t->gaps++;
		if (!info->by_cpu)
			key = e->tid;
	}
	return timeline_add(&info->line, key, TIMELINE_GAP, gap.begin,
			    gap.end, 1);
}

int info_aux(struct info *info, const struct read_record *rec,
	     const struct read_sample *s)
{
	const __u64 *body = read_body(rec);

	/* With size 0 it announces a gap, which comes as AUXTRACE_ERROR. */
	if (s->rest >= 24 && body[1] && (body[2] & PERF_AUX_FLAG_TRUNCATED))
		info->aux_truncated++;
	return 0;
}

void info_lost(struct info *info, const struct read_record *rec,
	       const struct read_sample *s)
{
	const struct read_event *ev = s->event;
	const __u64 *body = read_body(rec);

	if (rec->type == PERF_RECORD_LOST && s->rest >= 16) {
		info->lost += body[1];
		ev = read_attrs_find(&info->attrs, body[0]) ?: ev;
		info->events[ev->index].lost += body[1];
	} else if (rec->type == PERF_RECORD_LOST_SAMPLES && s->rest >= 8) {
		info->lost_samples += body[0];
		info->events[ev->index].lost += body[0];
	}
}
