// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mode of a flight recorder: which of its functions a recording calls when.
 */
#include <poll.h>
#include <string.h>

#include "flight/flight.h"
#include "flight/pressure.h"
#include "flight/survive.h"
#include "session/signals.h"

static int background(const struct options *opt, struct diag *d)
{
	return opt->flight.daemon ? flight_daemon(opt, d) : 0;
}

static int record(struct session *s, const struct perf_event_header *rec)
{
	flight_record(s, rec);
	return 0;
}

/* The data stays in the ring until a snapshot takes it. */
static int raw(struct session *s, bool last)
{
	(void)last;
	survive_look(s);
	flight_gaps(s);
	return 0;
}

static int looked(struct session *s, __u64 seen, bool last)
{
	(void)seen;
	(void)last;
	flight_settle(s);
	return 0;
}

static const char *over(const struct session *s)
{
	return s->flight->stop ? "stopped by its control socket" : NULL;
}

static size_t nr_polled(const struct session *s)
{
	return 1 + flight_pressure_nr(s);
}

static short poll_more(const struct session *s, struct pollfd *fds)
{
	*fds = (struct pollfd){ .fd = s->flight->epoll_fd, .events = POLLIN };
	flight_pressure_poll(s, fds + 1);
	/* poll() reports a freeze until the ring is thawed: do not poll for one that is known. */
	return s->flight->frozen_since ? 0 : POLLPRI;
}

static void polled(struct session *s, const struct pollfd *fds)
{
	flight_pressure_polled(s, fds + 1);
}

static int finish(struct session *s, int err)
{
	if (!s->flight->begun)
		return err;
	if (err)
		say("the recording cannot go on (%s): the requested snapshots are written",
		    strerror(-err));
	flight_finish(s);
	return err;
}

static int ended(struct session *s, struct diag *d)
{
	return signals_merge() ? flight_merge(s, d) : 0;
}

static __u64 bytes(const struct session *s)
{
	return s->flight->stats.bytes;
}

const struct session_mode flight_mode = {
	.overwrite = true,
	.keeps = true,
	.open = flight_open,
	.record = record,
	.raw = raw,
	.looked = looked,
	.finish = finish,
	.defaults = flight_defaults,
	.background = background,
	.prepare = flight_prepare,
	.add_events = flight_events,
	.complete_event = flight_event,
	.setup = flight_setup,
	.begun = flight_begun,
	.lost = flight_lost,
	.gap = snapshot_losses_gap,
	.over = over,
	.timeout = flight_timeout,
	.nr_polled = nr_polled,
	.poll = poll_more,
	.polled = polled,
	.run = flight_run,
	.is_due = flight_is_due,
	.write_due = flight_write_due,
	.ended = ended,
	.close = flight_close,
	.line = flight_line,
	.summary = flight_summary,
	.bytes = bytes,
	.json = flight_json,
};
