// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records with which each snapshot begins: they describe the machine and the recording.
 */
#include <string.h>

#include "flight/flight.h"
#include "flight/survive.h"
#include "record/made.h"
#include "stream/records.h"
#include "synth/synth.h"

/* For stream.keep: keep a record that auxrec has made, as setup, state or sideband. */
static int keep_made(void *ctx, const void *head, size_t head_len, const void *data,
		     size_t len, size_t pad)
{
	const struct perf_event_header *h = head;
	struct session *s = ctx;
	struct flight *f = s->flight;
	int err;

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
	if (h->type == REC_FEATURE && *(const __u64 *)(h + 1) == REC_FEAT_CLOCK_DATA)
		f->clock_data = f->setup.size;
	err = made_add(&f->setup, head, head_len);
	if (!err)
		err = made_add(&f->setup, data, len);
	return err ?: made_add(&f->setup, NULL, pad);
}

void flight_setup(struct session *s, bool begin)
{
	struct flight *f = s->flight;

	if (begin) {
		f->setup.size = 0;
		f->clock_data = 0;
	} else {
		survive_changed(s);
	}
	f->in_setup = begin;
}

/*
 * The time of day and the clock of -k drift apart, so a snapshot has their times of the moment when
 * it is written.
 */
void flight_setup_clock(struct flight *f)
{
	struct rec_clock_data data;

	if (!f->clock_data)
		return;
	memcpy(&data, f->setup.bytes + f->clock_data, sizeof(data));
	synth_clock_times(&data);
	memcpy(f->setup.bytes + f->clock_data, &data, sizeof(data));
}

void flight_setup_open(struct session *s)
{
	s->out.keep = keep_made;
	s->out.ctx = s;
}
