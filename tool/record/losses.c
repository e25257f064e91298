// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find and report what did not fit into main rings.
 */
#include <string.h>
#include <unistd.h>

#include "record/losses.h"
#include "record/record.h"
#include "stream/records.h"

/* The largest record, with the PERF_RECORD_LOST in front of it */
#define LARGEST		(REC_SIZE_MAX + 64)
/* Time between two looks at a ring that was at most half full and may have lost a large record */
#define LOOK_NS		NSEC_PER_SEC
/* perf_event_validate_size(): read() returns no more bytes. */
#define READ_MAX	16384

bool losses_read_counter(const struct sev *sev, const struct opened *o, __u64 *value,
			 __u64 *lost)
{
	const __u64 format = sev->attr.read_format;
	__u64 buf[READ_MAX / sizeof(__u64)];
	const __u64 *at = buf, *end;
	ssize_t n;

	if (o->fd < 0 || !(format & PERF_FORMAT_LOST))
		return false;
	n = read(o->fd, buf, sizeof(buf));
	if (n <= 0)
		return false;
	end = buf + n / sizeof(*buf);
	/* For each event of the group there are value, id, lost samples. */
	if (format & PERF_FORMAT_GROUP)
		at++;
	for (; at + 3 <= end; at += 3) {
		if (at[1] != o->id)
			continue;
		*value = at[0];
		*lost = at[2];
		return true;
	}
	return false;
}

static void read_event(struct session *s, struct mainring *r, struct sev *sev,
		       struct opened *o)
{
	__u64 value, lost, nr;

	if (!losses_read_counter(sev, o, &value, &lost) || lost <= o->lost)
		return;
	nr = lost - o->lost;
	o->lost = lost;
	o->untold += nr;
	r->untold += nr;
	if (sev->trigger)
		s->mode->lost(s, sev, nr);
}

void losses_read(struct session *s, struct mainring *r)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++)
		for (j = 0; j < s->sev[i].nr_fds; j++)
			if (s->sev[i].fds[j].cpu == r->cpu)
				read_event(s, r, &s->sev[i], &s->sev[i].fds[j]);
	r->looked = now_ns();
	r->filled = 0;
}

/* Sideband events and events with AUX data have no samples. */
static bool has_samples(const struct sev *sev)
{
	return !sev->sideband && !sev->aux;
}

static int tell_samples(struct session *s, __u64 nr, const struct rec_sample_id *id)
{
	const struct rec_lost_samples rec = {
		.header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(rec) },
		.lost = nr,
		.id = *id,
	};

	s->main.lost_samples += nr;
	return session_write(s, &rec);
}

static int tell_records(struct session *s, __u64 nr, const struct rec_sample_id *id)
{
	const struct rec_lost rec = {
		.header = { PERF_RECORD_LOST, 0, sizeof(rec) },
		.event = id->id,
		.lost = nr,
		.id = *id,
	};

	s->main.lost += nr;
	return session_write(s, &rec);
}

/*
 * A snapshot stores samples and sideband separately, so the record before a loss is not the
 * last record of the ring. Therefore a record with a count of 0 tells when the loss began.
 */
static int tell_begin(struct session *s, const struct mainring *r,
		      const struct rec_sample_id *end)
{
	struct rec_sample_id begin = *end;

	if (!s->mode->keeps || !r->last_time)
		return 0;
	begin.time = r->last_time;
	return tell_samples(s, 0, &begin);
}

/* Report @nr losses of a ring: first those of events whose counters tell, then the others. */
static int tell(struct session *s, struct mainring *r, __u64 nr, __u64 time, __u64 id)
{
	struct rec_sample_id end = {
		.pid = -1, .tid = -1, .time = time, .cpu = r->cpu, .id = id,
	};
	int err = tell_begin(s, r, &end);
	size_t i, j;

	for (i = 0; !err && i < s->nr_sev && nr && r->untold; i++) {
		const struct sev *sev = &s->sev[i];

		for (j = 0; !err && j < sev->nr_fds && nr && r->untold; j++) {
			struct opened *o = &sev->fds[j];
			const __u64 of_it = o->untold < nr ? o->untold : nr;

			if (o->cpu != r->cpu || !of_it)
				continue;
			o->untold -= of_it;
			r->untold -= of_it;
			nr -= of_it;
			end.id = o->id;
			err = has_samples(sev) ? tell_samples(s, of_it, &end) :
						 tell_records(s, of_it, &end);
		}
	}
	end.id = id;
	return err || !nr ? err : tell_records(s, nr, &end);
}

int losses_record(struct session *s, struct mainring *r, const void *rec)
{
	const __u64 before = main_losses(&s->main), ahead = r->ahead;
	struct rec_lost lost = { .lost = 0 };
	int err;

	memcpy(&lost, rec, sizeof(lost));
	if (lost.lost <= ahead) {
		r->ahead -= lost.lost;
		return 0;
	}
	lost.lost -= ahead;
	/* The kernel counted these losses before it wrote the record. */
	if (r->untold < lost.lost)
		losses_read(s, r);
	err = tell(s, r, lost.lost, lost.id.time, lost.event);
	/* After an error the record stays in the ring and is read again. */
	r->ahead = err ? ahead + main_losses(&s->main) - before : 0;
	return err;
}

static bool is_wanted(const struct mainring *r, enum losses_which which)
{
	const bool possible = r->size < r->filled + LARGEST;

	if (r->untold)
		return true;
	switch (which) {
	case LOSSES_LIKELY:
		return r->filled > r->size / 2 ||
		       (possible && now_ns() - r->looked >= LOOK_NS);
	case LOSSES_POSSIBLE:
		return possible;
	default:
		return true;
	}
}

/* Return the time on the clock of the records. The clock is opened when it is first needed. */
static __u64 time_now(struct session *s)
{
	__u64 time;

	if (!s->clock_tried)
		perf_clock_open(s->clock, s->opt->use_clock, s->opt->clock);
	s->clock_tried = true;
	time = perf_clock_now(s->clock);
	if (time > s->main.max_time)
		s->main.max_time = time;
	return s->main.max_time;
}

int losses_look(struct session *s, struct mainring *r, enum losses_which which)
{
	__u64 before;
	int err;

	if (!is_wanted(r, which))
		return 0;
	losses_read(s, r);
	/* If a record has fitted since, the kernel reports what was lost before it. */
	if (!r->untold || mainring_has_more(r))
		return 0;
	before = main_losses(&s->main);
	err = tell(s, r, r->untold, time_now(s), session_sideband_id(s));
	r->ahead += main_losses(&s->main) - before;
	r->last_time = s->main.max_time;
	return err;
}
