// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is missing: gaps of raw rings, records lost from main rings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
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

	if (cause == INFO_MAIN_RING)
		return "main ring";
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

static void add_to_cause(struct info_cause *cause, const struct info_gap *gap)
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

static int add_gap(struct info *info, const struct info_gap *gap)
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
	return info_break(info, gap->begin, gap->end) ?:
	       timeline_add(&info->line, key, TIMELINE_GAP, gap->begin, gap->end, 1);
}

int info_gap(struct info *info, const struct read_record *rec)
{
	struct info_gap gap;

	return info_gap_read(rec, &gap) ? add_gap(info, &gap) : 0;
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

static struct info_cpu *find_cpu(struct info *info, __u32 cpu)
{
	struct info_cpu *cpus;
	__u32 i;

	if (read_map_get(&info->by_cpu_nr, cpu, &i))
		return &info->cpus[i];
	cpus = realloc(info->cpus, (info->nr_cpus + 1) * sizeof(*cpus));
	if (!cpus)
		return NULL;
	info->cpus = cpus;
	if (read_map_set(&info->by_cpu_nr, cpu, info->nr_cpus))
		return NULL;
	cpus += info->nr_cpus++;
	/* Before the first record of a CPU is the time of the others. */
	*cpus = (struct info_cpu){ .last = info->first };
	return cpus;
}

/* Has it a time, and was it in the main ring of a CPU? Not what auxrec makes of AUX data. */
static bool is_of_ring(const struct read_record *rec, const struct read_sample *s)
{
	const __u64 has = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	return (s->has & has) == has && s->time && s->time != ~0ULL && s->cpu != INFO_NOBODY &&
	       rec->type != PERF_RECORD_AUX && s->id < REC_MADE_ID;
}

int info_ring_time(struct info *info, const struct read_record *rec,
		   const struct read_sample *s)
{
	struct info_cpu *cpu;

	if (!is_of_ring(rec, s))
		return 0;
	cpu = find_cpu(info, s->cpu);
	if (!cpu)
		return -ENOMEM;
	cpu->last = s->time;
	return 0;
}

/* One loss may be told by several records, of several events, which have the same time. */
static __u64 loss_begin(struct info_cpu *cpu, __u64 end)
{
	if (cpu->loss_end != end) {
		cpu->loss_begin = cpu->last < end ? cpu->last : end;
		cpu->loss_end = end;
	}
	return cpu->loss_begin;
}

static int add_ring_loss(struct info *info, const struct read_record *rec,
			 const struct read_sample *s, __u64 nr)
{
	struct info_gap gap = {
		.begin = s->time, .end = s->time, .count = nr, .cause = INFO_MAIN_RING,
		.tid = INFO_NOBODY, .cpu = s->cpu,
	};
	struct info_cpu *cpu;

	/* A count of 0 only tells when the next loss begins, see losses.c. */
	if (!nr || !is_of_ring(rec, s))
		return 0;
	cpu = find_cpu(info, s->cpu);
	if (!cpu)
		return -ENOMEM;
	/* One of a thread was left out with its raw data. */
	if (rec->type == PERF_RECORD_LOST || s->tid == INFO_NOBODY)
		gap.begin = loss_begin(cpu, gap.end);
	return add_gap(info, &gap);
}

int info_lost(struct info *info, const struct read_record *rec,
	      const struct read_sample *s)
{
	const struct read_event *ev = s->event;
	const __u64 *body = read_body(rec);
	__u64 nr;

	if (rec->type == PERF_RECORD_LOST && s->rest >= 16) {
		nr = body[1];
		info->lost += nr;
		ev = read_attrs_find(&info->attrs, body[0]) ?: ev;
	} else if (rec->type == PERF_RECORD_LOST_SAMPLES && s->rest >= 8) {
		nr = body[0];
		info->lost_samples += nr;
	} else {
		return 0;
	}
	info->events[ev->index].lost += nr;
	return add_ring_loss(info, rec, s, nr);
}
