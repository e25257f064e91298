// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the raw ring stays frozen after the event of a trigger has frozen it.
 */
#include "flight/flight.h"

/* If few tasks run, writers may never fill the post= segments. */
#define POST_MAX	(2 * NSEC_PER_SEC)

/*
 * Losses from now on belong to the next freeze. If a wish's post= segments are full before this
 * function reads the counter, the wish waits for POST_MAX.
 */
void flight_thawed(struct session *s)
{
	struct flight *f = s->flight;

	f->frozen_lost = rawring_lost(&s->raw, PERFAUX_CAUSE_FROZEN);
	f->frozen_since = 0;
}

/*
 * The trigger may have frozen the raw ring. No snapshot is made now, so thaw the ring: its
 * history must go on.
 */
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
 * Let wishes with post=N wait for the next N segments of the ring. The kernel counts them from
 * the freeze on. They are full when the kernel overwrites no more segments and a writer finds
 * none, see flight_post_is_over(). If something else froze the ring, or the ring is not frozen
 * any more, the segments are counted from now on: the last one is full when one more is
 * overwritten.
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
