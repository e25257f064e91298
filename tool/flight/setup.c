// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records with which each snapshot begins: they describe the machine and the recording.
 */
#include "flight/flight.h"
#include "flight/survive.h"
#include "record/made.h"
#include "stream/records.h"

/* For stream.keep: keep a record that auxrec has made, as setup, state or sideband. */
static int keep_made(void *ctx, const void *head, size_t head_len, const void *data,
		     size_t len, size_t pad)
{
	const struct perf_event_header *h = head;
	struct session *s = ctx;
	struct flight *f = s->flight;

	if (h->type == REC_FINISHED_INIT || h->type == REC_FINISHED_ROUND)
		return 0;
	if (!len && made_is_state(h) && f->in_setup)
		return recent_fold(f->recent, h);
	if (!len && made_is_state(h)) {
		survive_record(s, h);
		return recent_add(f->recent, h, s->main.max_time);
	}
	if (!f->in_setup)
		return 0;
	return made_add_record(&f->setup, head, head_len, data, len, pad);
}

void flight_setup(struct session *s, bool begin)
{
	struct flight *f = s->flight;

	if (begin)
		made_clear(&f->setup);
	else
		survive_changed(s);
	f->in_setup = begin;
}

void flight_setup_open(struct session *s)
{
	s->out.keep = keep_made;
	s->out.keep_ctx = s;
}
