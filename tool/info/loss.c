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
	return info_break(info, gap->begin, gap->end) ?:
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
	/* The time before a CPU's first record begins with the first record of any CPU. */
	*cpus = (struct info_cpu){ .last = info->first };
	return cpus;
}

/*
 * Return whether the record has a time and comes from the main ring of a CPU. Records that
 * auxrec makes from AUX data do not.
 */
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

/*
 * Return when the loss began. Several records of several events may report one loss; these
 * have the same time.
 */
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
	struct read_gap gap = {
		.begin = s->time, .end = s->time, .count = nr, .cause = INFO_MAIN_RING,
		.tid = INFO_NOBODY, .cpu = s->cpu,
	};
	struct info_cpu *cpu;

	/* A count of 0 only tells when the next loss begins, see record/losses.c. */
	if (!nr || !is_of_ring(rec, s))
		return 0;
	cpu = find_cpu(info, s->cpu);
	if (!cpu)
		return -ENOMEM;
	/* A record with a thread reports a sample that was left out with its raw data. */
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
