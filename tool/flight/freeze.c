// SPDX-License-Identifier: GPL-2.0-only
/*
 * The raw ring that a trigger's event has frozen: until when it stays so.
 */
#include "flight/flight.h"

/* post= segments may take for ever, where little runs. */
#define POST_MAX	(2 * NSEC_PER_SEC)

/*
 * What is lost from now on is of the next freeze. One that is over its post= already, before
 * this looks, waits for POST_MAX.
 */
void flight_thawed(struct session *s)
{
	struct flight *f = s->flight;

	f->frozen_lost = rawring_lost(&s->raw, PERFAUX_CAUSE_FROZEN);
	f->frozen_since = 0;
}

/* It may have frozen the raw ring; but there is no snapshot now, so its history goes on. */
void flight_unfreeze(struct session *s, const struct trigger *t)
{
	size_t i;

	if (!s->have_raw || !rawring_is_frozen(&s->raw) || flight_event_waits(s->flight))
		return;
	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].trigger == t &&
		    s->raw.ctl->frozen_cookie == SESSION_COOKIE + i) {
			rawring_thaw(&s->raw);
			flight_thawed(s);
		}
}

bool flight_has_frozen(const struct flight_wish *w)
{
	return trigger_is_event(w->trigger) && !w->trigger->post && !w->late;
}

bool flight_event_waits(const struct flight *f)
{
	const struct flight_wish *w;

	for (w = f->first; w; w = w->next)
		if (flight_has_frozen(w))
			return true;
	return false;
}

/*
 * The ring's next segments are wanted too: until the kernel, which counts from the freeze on,
 * overwrites no more, and the last ones are full, see flight_post_is_over(). Where something
 * else froze it, or nothing does any more, they are counted from now on: the last one is full
 * when yet another one is overwritten.
 */
void flight_wait_for_segments(struct session *s)
{
	struct flight_wish *w;

	if (!s->have_raw)
		return;
	for (w = s->flight->first; w; w = w->next) {
		if (!w->trigger->post_in_segments || !w->trigger->post_segments ||
		    w->overwritten || w->late)
			continue;
		w->overwritten = rawring_lost(&s->raw, PERFAUX_CAUSE_OVERWRITTEN) +
				 w->trigger->post_segments + 1ULL;
		w->due = now_ns() + POST_MAX;
	}
}

bool flight_post_is_over(const struct session *s, const struct flight_wish *w)
{
	if (!w->overwritten || !s->have_raw)
		return false;
	return rawring_lost(&s->raw, PERFAUX_CAUSE_FROZEN) != s->flight->frozen_lost ||
	       rawring_lost(&s->raw, PERFAUX_CAUSE_OVERWRITTEN) >= w->overwritten;
}

/*
 * No sample of what froze the ring has come, though all main rings were looked at since: it is
 * lost, or has another event's id, see twins.c. Then the kernel tells of it here.
 * What count= or rate= suppress is thawed by that.
 */
