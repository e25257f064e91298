// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is not kept while a snapshot is written, as it would be more memory than -M: it is told
 * where it is missing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"
#include "flight_gap.h"

bool flight_has_room(struct flight *f, size_t size)
{
	if (!f->child)
		return true;
	f->added += recent_sample_size(size);
	/* The rest of the reserve is for the sideband. */
	return f->added <= f->memory.reserve - f->memory.sideband;
}

/* Of a record that is not kept: how many are missing? What is lost already goes on being it. */
static __u64 count_of(const struct perf_event_header *rec)
{
	__u64 nr[2];

	switch (rec->type) {
	case PERF_RECORD_LOST:
		memcpy(nr, rec + 1, sizeof(nr));
		return nr[1];
	case PERF_RECORD_LOST_SAMPLES:
		memcpy(nr, rec + 1, sizeof(*nr));
		return nr[0];
	}
	return 1;
}

/* As the kernel does it */
void flight_drop(struct session *s, const struct perf_event_header *rec, __u64 time)
{
	struct flight_dropped *dropped = &s->flight->dropped;
	const __u64 nr = count_of(rec);

	s->flight->stats.not_kept += nr;
	dropped->nr += nr;
	dropped->time = time;
	if (rec->type == PERF_RECORD_SAMPLE)
		memcpy(&dropped->id, rec + 1, sizeof(dropped->id));
	else
		memcpy(&dropped->id, (const __u8 *)rec + rec->size - sizeof(dropped->id),
		       sizeof(dropped->id));
}

void flight_keep_gap(struct session *s, const struct perfaux_gap *gap)
{
	const struct flight_gap rec = {
		.header = { FLIGHT_GAP_TYPE, 0, sizeof(rec) }, .gap = *gap,
	};

	if (recent_add(s->flight->recent, &rec.header, gap->t_end))
		s->flight->stats.not_kept++;
}

/* A queue of AUX data is of a CPU or of a thread: what is of several is of none. */
static void join(const struct session *s, struct perfaux_gap *all, const struct perfaux_gap *gap)
{
	if (all->tid != gap->tid) {
		all->pid = -1;
		all->tid = -1;
		if (session_per_task(s))
			all->cpu = -1;
	}
	if (gap->t_begin < all->t_begin)
		all->t_begin = gap->t_begin;
	if (gap->t_end > all->t_end)
		all->t_end = gap->t_end;
	all->count += gap->count;
	all->bytes += gap->bytes;
}

int flight_drop_gap(struct session *s, const struct perfaux_gap *gap)
{
	struct flight_dropped *dropped = &s->flight->dropped;
	size_t i;

	for (i = 0; i < dropped->nr_gaps; i++) {
		struct perfaux_gap *all = &dropped->gaps[i];

		if (all->cause != gap->cause || all->cookie != gap->cookie ||
		    (all->cpu != gap->cpu && !session_per_task(s)))
			continue;
		join(s, all, gap);
		return 0;
	}
	if (grow((void **)&dropped->gaps, dropped->nr_gaps, sizeof(*dropped->gaps)))
		return -ENOMEM;
	dropped->gaps[dropped->nr_gaps++] = *gap;
	return 0;
}

void flight_tell_dropped(struct session *s)
{
	struct flight_dropped *dropped = &s->flight->dropped;
	const struct rec_lost_samples rec = {
		.header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(rec) },
		.lost = dropped->nr,
		.id = { -1, -1, dropped->time, -1, 0, dropped->id },
	};
	size_t i;

	for (i = 0; i < dropped->nr_gaps; i++)
		flight_keep_gap(s, &dropped->gaps[i]);
	free(dropped->gaps);
	dropped->gaps = NULL;
	dropped->nr_gaps = 0;
	if (dropped->nr && recent_add(s->flight->recent, &rec.header, dropped->time))
		return;
	dropped->nr = 0;
}
