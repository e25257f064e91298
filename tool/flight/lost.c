// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers that are lost because their sample was lost, or because the kernel has forgotten when a
 * call of latency= began. Samples are lost when their main ring is full: see record/losses.c.
 */
#include "bpf/call_time.h"
#include "flight/flight.h"
#include "record/losses.h"

/* Return the time of the freeze if this event froze the ring, else the current time. */
static __u64 trigger_time(const struct session *s, const struct sev *sev)
{
	const struct perfaux_control *ctl = s->raw.ctl;

	if (s->have_raw && rawring_is_frozen(&s->raw) &&
	    ctl->frozen_cookie == SESSION_COOKIE + (sev - s->sev))
		return ctl->frozen_time;
	return perf_clock_now(s->clock);
}

void flight_lost(struct session *s, const struct sev *sev, __u64 nr)
{
	flight_wish_lost(s, sev->trigger, trigger_time(s, sev), nr);
}

void flight_lost_all(struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_rings; i++)
		losses_read(s, &s->rings[i]);
}

__u64 flight_untimed(const struct session *s)
{
	const struct flight *f = s->flight;
	__u64 nr = f->stats.untimed;
	size_t i;

	for (i = 0; f->call_times && i < s->opt->flight.nr_triggers; i++)
		nr += call_time_lost(f->call_times[i]);
	return nr;
}
