// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe the events, their clock, threads and CPUs: ATTR, EVENT_UPDATE, ID_INDEX,
 * TIME_CONV, THREAD_MAP, CPU_MAP.
 */
#include <stdio.h>
#include <string.h>

#include "stream/records.h"
#include "stream/build.h"
#include "synth/synth.h"

/* Return how many ids fit in a record after this attr. */
static size_t ids_per_attr(const struct sev *sev)
{
	__u64 attr[AUXREC_ATTR_SIZE / sizeof(__u64)];

	return (REC_SIZE_MAX - sizeof(struct perf_event_header) -
		sev_attr(sev, (unsigned char *)attr)) / sizeof(__u64);
}

static size_t sev_nr_ids(const struct sev *sev)
{
	return sev->ev || sev->sideband ? sev->nr_fds : 1;
}

static __u64 sev_nth_id(const struct sev *sev, size_t i)
{
	return sev->ev || sev->sideband ? sev->fds[i].id : sev->chunk_id;
}

size_t synth_nr_attrs(const struct sev *sev)
{
	const size_t most = ids_per_attr(sev);

	return (sev_nr_ids(sev) + most - 1) / most;
}

/* If the ids of an event do not fit in one record, write several events of the same name. */
int synth_attrs(struct session *s)
{
	__u64 attr[AUXREC_ATTR_SIZE / sizeof(__u64)];
	size_t i, first, j, size;
	int err = 0;

	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *sev = &s->sev[i];
		const size_t nr = sev_nr_ids(sev), most = ids_per_attr(sev);

		for (first = 0; !err && first < nr; first += most) {
			build_begin(&s->out, REC_ATTR, 0);
			size = sev_attr(sev, (unsigned char *)attr);
			build_add(&s->out, attr, size);
			for (j = first; j < nr && j < first + most; j++)
				build_add_u64(&s->out, sev_nth_id(sev, j));
			err = build_end(&s->out);
		}
	}
	return err;
}

static int update(struct session *s, __u64 id, __u64 type, const void *data,
		  size_t len)
{
	build_begin(&s->out, REC_EVENT_UPDATE, 0);
	build_add_u64(&s->out, type);
	build_add_u64(&s->out, id);
	build_add(&s->out, data, len);
	return build_end(&s->out);
}

int synth_event_updates(struct session *s)
{
	size_t i, first;
	int err = 0;

	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *sev = &s->sev[i];
		const size_t nr = sev_nr_ids(sev), most = ids_per_attr(sev);

		for (first = 0; !err && first < nr; first += most) {
			__u64 id = sev_nth_id(sev, first);

			err = update(s, id, REC_UPDATE_NAME, sev->name,
				     strlen(sev->name) + 1);
			if (!err && sev->ev && sev->ev->unit)
				err = update(s, id, REC_UPDATE_UNIT, sev->ev->unit,
					     strlen(sev->ev->unit) + 1);
			if (!err && sev->ev && sev->ev->scale != 1.0 &&
			    sev->ev->scale != 0)
				err = update(s, id, REC_UPDATE_SCALE,
					     &sev->ev->scale,
					     sizeof(sev->ev->scale));
		}
	}
	return err;
}

/* Tell the CPU and thread of each id. Readers need this for their AUX queues. */
int synth_id_index(struct session *s)
{
	const size_t most = (REC_SIZE_MAX - 16) / 32;
	size_t i, j, nr = 0, k = 0;
	int err = 0;

	for (i = 0; i < s->nr_sev; i++)
		nr += s->sev[i].nr_fds;

	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *sev = &s->sev[i];

		for (j = 0; !err && j < sev->nr_fds; j++) {
			const struct opened *o = &sev->fds[j];

			if (k % most == 0) {
				build_begin(&s->out, REC_ID_INDEX, 0);
				build_add_u64(&s->out, nr - k < most ? nr - k :
								  most);
			}
			build_add_u64(&s->out, o->id);
			build_add_u64(&s->out, j);
			build_add_u64(&s->out, (__s64)o->cpu);
			build_add_u64(&s->out, (__s64)o->tid);
			k++;
			if (k % most == 0 || k == nr)
				err = build_end(&s->out);
		}
	}
	return err;
}

int synth_time_conv(struct session *s)
{
	struct time_conv tc;
	struct rec_time_conv rec = {
		.header = { REC_TIME_CONV, 0, sizeof(rec) },
	};

	/* The record converts the TSC to perf's own clock. With -k, no time is of that clock. */
	if (!s->nr_rings || s->opt->use_clock)
		return 0;
	mainring_time_conv(&s->rings[0], &tc);
	if (!tc.cap_zero)
		return 0;
	rec.shift = tc.shift;
	rec.mult = tc.mult;
	rec.zero = tc.zero;
	rec.cycles = tc.cycles;
	rec.mask = tc.mask;
	rec.cap_zero = tc.cap_zero;
	rec.cap_short = tc.cap_short;
	return stream_record(&s->out, &rec);
}

int synth_thread_map(struct session *s)
{
	const size_t most = (REC_SIZE_MAX - 16) / 24;
	size_t i;

	/* With -a, perf writes one entry, -1. Threads that do not fit are left out. */
	build_begin(&s->out, REC_THREAD_MAP, 0);
	build_add_u64(&s->out, s->nr_tids < most ? s->nr_tids : most);
	for (i = 0; i < s->nr_tids && i < most; i++) {
		char comm[16] = "", path[64], line[64];

		snprintf(path, sizeof(path), "/proc/%d/comm", s->tids[i]);
		/* A snapshot of one process must not name others. Their tids are in ID_INDEX. */
		if (s->tids[i] > 0 && !s->opt->flight.only_task &&
		    !slurp_line(path, line, sizeof(line)))
			snprintf(comm, sizeof(comm), "%.15s", line);
		build_add_u64(&s->out, (__s64)s->tids[i]);
		build_add(&s->out, comm, sizeof(comm));
	}
	return build_end(&s->out);
}

int synth_cpu_map(struct session *s)
{
	size_t i;

	build_begin(&s->out, REC_CPU_MAP, 0);
	build_add_u16(&s->out, 0);		/* a list */
	build_add_u16(&s->out, s->cpus.nr);
	for (i = 0; i < s->cpus.nr; i++)
		build_add_u16(&s->out, s->cpus.list[i]);
	return build_end(&s->out);
}
