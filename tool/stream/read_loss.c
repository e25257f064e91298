// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out when main rings lost records, and how many.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "stream/read_loss.h"

#define NOBODY		(~0U)

static struct read_loss_cpu *find_cpu(struct read_losses *l, __u32 cpu, __u64 first)
{
	__u32 i;

	if (read_map_get(&l->by_cpu, cpu, &i))
		return &l->cpus[i];
	if (grow((void **)&l->cpus, l->nr_cpus, sizeof(*l->cpus)) ||
	    read_map_set(&l->by_cpu, cpu, l->nr_cpus))
		return NULL;
	/* A loss before a CPU's first record can have begun when the stream begins. */
	l->cpus[l->nr_cpus] = (struct read_loss_cpu){ .last = first };
	return &l->cpus[l->nr_cpus++];
}

/*
 * Return whether the record has a time and comes from the main ring of a CPU. AUX records, and
 * samples that auxrec makes from AUX data or raw data, do not come from a main ring.
 */
static bool is_of_ring(const struct read_record *rec, const struct read_sample *s)
{
	const __u64 has = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	return (s->has & has) == has && s->time && s->time != ~0ULL && s->cpu != NOBODY &&
	       rec->type != PERF_RECORD_AUX && s->id < REC_MADE_ID;
}

__u64 read_lost(const struct read_record *rec, const struct read_sample *s, __u64 *event)
{
	const __u64 *body = read_body(rec);

	*event = s->id;
	if (rec->type == PERF_RECORD_LOST && s->rest >= 16) {
		*event = body[0];
		return body[1];
	}
	return rec->type == PERF_RECORD_LOST_SAMPLES && s->rest >= 8 ? body[0] : 0;
}

/*
 * Several records of several events may report one loss; these have the same time. A LOST_SAMPLES
 * with a thread reports only single samples, so the gap has no length: auxrec left out a sample
 * with its raw data, or the PMU lost samples (perf_log_lost_samples()).
 */
static void fill_gap(struct read_loss_cpu *cpu, const struct read_record *rec,
		     const struct read_sample *s, struct read_gap *gap)
{
	*gap = (struct read_gap) {
		.begin = s->time, .end = s->time, .cause = READ_CAUSE_MAIN_RING,
		.tid = NOBODY, .cpu = s->cpu,
	};
	if (rec->type != PERF_RECORD_LOST && s->tid != NOBODY)
		return;
	if (cpu->loss_end != gap->end) {
		cpu->loss_begin = cpu->last < gap->end ? cpu->last : gap->end;
		cpu->loss_end = gap->end;
	}
	gap->begin = cpu->loss_begin;
}

int read_loss(struct read_losses *l, const struct read_record *rec, const struct read_sample *s,
	      __u64 first, struct read_gap *gap)
{
	struct read_loss_cpu *cpu;
	__u64 nr, event;

	if (!is_of_ring(rec, s))
		return 0;
	cpu = find_cpu(l, s->cpu, first);
	if (!cpu)
		return -ENOMEM;
	/* A count of 0 only tells when the next loss begins, see record/losses.c. */
	nr = read_lost(rec, s, &event);
	if (nr) {
		fill_gap(cpu, rec, s, gap);
		gap->count = nr;
	}
	cpu->last = s->time;
	return !!nr;
}

void read_losses_free(struct read_losses *l)
{
	free(l->cpus);
	read_map_free(&l->by_cpu);
}
