// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records with which each snapshot begins: they describe the machine and the recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight/flight.h"
#include "flight/survive.h"
#include "stream/records.h"
#include "synth/synth.h"

static int add_setup(struct flight *f, const void *data, size_t len)
{
	if (f->setup_size + len > f->setup_room) {
		const size_t room = (f->setup_size + len) * 2;
		__u8 *larger = realloc(f->setup, room);

		if (!larger)
			return -ENOMEM;
		f->setup = larger;
		f->setup_room = room;
	}
	if (data)
		memcpy(f->setup + f->setup_size, data, len);
	else
		memset(f->setup + f->setup_size, 0, len);
	f->setup_size += len;
	return 0;
}

static bool is_program_info(const struct perf_event_header *h)
{
	const __u64 *feature = (const void *)(h + 1);

	return *feature == REC_FEAT_BPF_PROG_INFO || *feature == REC_FEAT_BPF_BTF;
}

/* Return whether a record that auxrec made belongs to the state and not to the setup. */
static bool is_of_state(const struct perf_event_header *h)
{
	return h->type < REC_ATTR || h->type == REC_BUILD_ID ||
	       (h->type == REC_FEATURE && is_program_info(h));
}

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
	if (!len && is_of_state(h) && f->in_setup)
		return recent_fold(f->recent, h);
	if (!len && is_of_state(h)) {
		survive_record(s, h);
		return recent_add(f->recent, h, s->main.max_time);
	}
	if (!f->in_setup)
		return 0;
	if (h->type == REC_FEATURE && *(const __u64 *)(h + 1) == REC_FEAT_CLOCK_DATA)
		f->clock_data = f->setup_size;
	err = add_setup(f, head, head_len);
	if (!err)
		err = add_setup(f, data, len);
	return err ?: add_setup(f, NULL, pad);
}

void flight_setup(struct session *s, bool begin)
{
	struct flight *f = s->flight;

	if (begin) {
		f->setup_size = 0;
		f->clock_data = 0;
	}
	if (!begin)
		survive_changed(s);
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
	memcpy(&data, f->setup + f->clock_data, sizeof(data));
	synth_clock_times(&data);
	memcpy(f->setup + f->clock_data, &data, sizeof(data));
}

void flight_setup_open(struct session *s)
{
	s->out.keep = keep_made;
	s->out.ctx = s;
}
