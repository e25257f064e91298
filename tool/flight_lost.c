// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers whose samples are lost, as their main ring was full: the kernel counts them for
 * each event (PERF_FORMAT_LOST, Linux 6.0).
 */
#include <unistd.h>

#include "flight.h"

/* Of the freeze if that is its own, else about now */
static __u64 trigger_time(const struct session *s, const struct sev *sev)
{
	const struct perfaux_control *ctl = s->raw.ctl;

	if (s->have_raw && rawring_is_frozen(&s->raw) &&
	    ctl->frozen_cookie == SESSION_COOKIE + (sev - s->sev))
		return ctl->frozen_time;
	return perf_clock_now(&s->flight->clock);
}

void flight_lost_of(struct session *s, const struct sev *sev, struct opened *o)
{
	struct {
		__u64 value, id, lost;
	} count;
	__u64 nr;

	if (!sev->trigger || o->fd < 0 ||
	    sev->attr.read_format != (PERF_FORMAT_ID | PERF_FORMAT_LOST) ||
	    read(o->fd, &count, sizeof(count)) != sizeof(count) || count.lost <= o->lost)
		return;
	nr = count.lost - o->lost;
	o->lost = count.lost;
	flight_wish_lost(s, sev->trigger, trigger_time(s, sev), nr);
}

/* @r: of one CPU; NULL: of all */
static void look_at(struct session *s, const struct mainring *r)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++) {
		struct sev *sev = &s->sev[i];

		for (j = 0; sev->trigger && j < sev->nr_fds; j++)
			if (!r || sev->fds[j].cpu == r->cpu)
				flight_lost_of(s, sev, &sev->fds[j]);
	}
}

/* To read a counter may interrupt its CPU: only where one may have grown. */
void flight_lost(struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_rings; i++) {
		if (!s->rings[i].tight)
			continue;
		s->rings[i].tight = false;
		look_at(s, &s->rings[i]);
	}
}

void flight_lost_all(struct session *s)
{
	look_at(s, NULL);
}
