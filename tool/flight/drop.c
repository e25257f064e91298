// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that are not kept while a snapshot is written, because they would need more memory than
 * -M. A LOST_SAMPLES record takes their place.
 */
#include <string.h>

#include "flight/flight.h"
#include "flight/survive.h"

bool flight_has_room(struct flight *f, size_t size)
{
	if (!f->child)
		return true;
	f->added += recent_sample_size(size);
	return f->added <= f->memory.meanwhile;
}

/*
 * Return how many records are missing if @rec is not kept. A record that tells of losses counts as
 * that many.
 */
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

/* Drop the record, and count it. flight_tell_dropped() reports the count. */
void flight_drop(struct session *s, const struct perf_event_header *rec, __u64 time)
{
	struct flight_dropped *dropped = &s->flight->dropped;
	const __u64 nr = count_of(rec);

	s->flight->stats.not_kept += nr;
	dropped->nr += nr;
	/*
	 * Keep the latest time, because the rings are read one after the other. With an older time
	 * the LOST_SAMPLES record may already be too old to be kept.
	 */
	if (time > dropped->time)
		dropped->time = time;
	if (rec->type == PERF_RECORD_SAMPLE)
		memcpy(&dropped->id, rec + 1, sizeof(dropped->id));
	else
		memcpy(&dropped->id, (const __u8 *)rec + rec->size - sizeof(dropped->id),
		       sizeof(dropped->id));
}

void flight_tell_dropped(struct session *s)
{
	struct flight_dropped *dropped = &s->flight->dropped;
	const struct rec_lost_samples rec = {
		.header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(rec) },
		.lost = dropped->nr,
		.id = { -1, -1, dropped->time, -1, 0, dropped->id },
	};

	if (dropped->nr && recent_add(s->flight->recent, &rec.header, dropped->time))
		return;
	if (dropped->nr)
		survive_record(s, &rec.header);
	dropped->nr = 0;
	dropped->time = 0;
}
