// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the recording that a crash of the machine ended, as the recorder had it in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight/survive.h"
#include "recover/recording.h"
#include "stream/records.h"

/* Memory for a journal's records, with the data that tool/history has about each, and the state */
#define RECORDS_MEMORY(bytes)	(4 * (bytes) + (64U << 20))

static int keep_setup(struct recording *r, const void *data, size_t size)
{
	struct flight *f = &r->flight;

	made_free(&f->setup);
	return made_add(&f->setup, data, size);
}

/* Is @data a whole record, as recent_add() and recent_fold() expect? */
static bool is_record(const void *data, size_t size)
{
	const struct perf_event_header *rec = data;

	return size >= sizeof(*rec) && rec->size == size && !(size % 8);
}

/* auxrec's own records have no time, so they get @newest, the time of the newest record before. */
static __u64 time_of(const struct perf_event_header *rec, __u64 newest)
{
	return rec->type >= REC_ATTR ? newest : flight_record_time(rec);
}

static int keep_record(struct recording *r, const struct perf_event_header *rec)
{
	const __u64 time = time_of(rec, r->newest);

	if (time > r->newest)
		r->newest = time;
	r->records++;
	return recent_add(r->flight.recent, rec, time);
}

static int keep_gap(struct recording *r, const struct perfaux_gap *gap)
{
	__u32 unused;

	/* The recorder may have taken the gap from the ring just before the crash. */
	if (read_map_get(&r->gaps, gap->seq, &unused))
		return 0;
	return read_map_set(&r->gaps, gap->seq, 0) ?: gaps_add(&r->flight.gaps, gap);
}

static int take_entry(void *ctx, enum journal_kind kind, const void *data, size_t size)
{
	struct recording *r = ctx;

	switch (kind) {
	case JOURNAL_SESSION:
		return recording_session(r, data, size);
	case JOURNAL_SETUP:
		return keep_setup(r, data, size);
	case JOURNAL_STATE:
		return is_record(data, size) ? recent_fold(r->flight.recent, data) : -EBADMSG;
	case JOURNAL_RECORD:
		return is_record(data, size) ? keep_record(r, data) : -EBADMSG;
	case JOURNAL_GAP:
		return size == sizeof(struct perfaux_gap) ? keep_gap(r, data) : -EBADMSG;
	case JOURNAL_SETTLED:
		if (size != sizeof(r->settled))
			return -EBADMSG;
		memcpy(&r->settled, data, size);
		return 0;
	default:
		return -EBADMSG;
	}
}

/*
 * Add a LOST_SAMPLES record. It counts the records for which the journal had no room, and one
 * record for each hole, because at least one was there.
 */
static int keep_losses(struct recording *r)
{
	const struct journal_found *found = &r->journal;
	struct rec_lost_samples rec = {
		.header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(rec) },
		.lost = found->lost + found->holes,
		.id = { -1, -1, r->newest, -1, 0, 0 },
	};

	if (!rec.lost)
		return 0;
	rec.id.id = session_sideband_id(&r->session) ?:
		    (r->session.nr_sev && r->session.sev->nr_fds ? r->session.sev->fds->id : 0);
	return recent_add(r->flight.recent, &rec.header, r->newest);
}

static int keep_ring(struct recording *r, const struct kept *k)
{
	size_t i;
	int err = kept_ring_make(&r->ring, k);

	for (i = 0; !err && i < r->ring.nr_gaps; i++)
		err = keep_gap(r, &r->ring.gaps[i]);
	r->session.raw = r->ring.raw;
	r->session.have_raw = true;
	if (r->ring.newest > r->newest)
		r->newest = r->ring.newest;
	return err;
}

int recording_make(struct recording *r, const struct kept *k, struct diag *d)
{
	const struct recent_limits limits = {
		.memory = RECORDS_MEMORY(k->head.user_size),
	};
	struct session *s = &r->session;
	int err;

	s->opt = &r->options;
	s->flight = &r->flight;
	s->payloads = &r->payloads;
	s->json_fd = -1;
	s->bpf_ring_fd = -1;
	r->flight.recent = recent_new(&limits);
	if (!r->flight.recent)
		return diag(d, -ENOMEM, "out of memory");
	err = journal_read(k->region + k->head.user_offset, k->head.user_size, take_entry, r,
			   &r->journal);
	if (!err && !r->journal.halves)
		return diag(d, -ENODATA,
			    "no flight recorder had begun to record into this memory: there is nothing to recover");
	if (!err)
		err = keep_ring(r, k);
	r->flight.gaps.per_task = session_per_task(s);
	if (!err)
		err = keep_losses(r);
	if (!err && s->have_payloads && payload_init(s))
		err = -ENOMEM;
	if (err == -ENOMEM)
		return diag(d, err, "out of memory");
	if (err || !r->described)
		return diag(d, -EBADMSG,
			    "the flight recorder's records in this memory are not those of this version of auxrec: use the auxrec that recorded");
	s->flushed_time = r->settled.flushed;
	s->main.max_time = r->newest;
	return 0;
}

void recording_free(struct recording *r)
{
	struct session *s = &r->session;
	size_t i;

	payload_free(s);
	for (i = 0; i < s->nr_sev; i++)
		free(s->sev[i].fds);
	free(s->sev);
	queues_free(&s->queues);
	recent_free(r->flight.recent);
	gaps_free(&r->flight.gaps);
	made_free(&r->flight.setup);
	read_map_free(&r->gaps);
	kept_ring_free(&r->ring);
}
