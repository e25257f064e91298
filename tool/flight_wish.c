// SPDX-License-Identifier: GPL-2.0-only
/*
 * What calls for snapshots, in the order in which it came. None is dropped: one that comes
 * while another one of its trigger waits is of the same snapshot. Only who gives them names
 * of his own, at the socket, is refused when very many wait.
 */
#include <stdlib.h>
#include <string.h>

#include "flight.h"
#include "snapshot_mark.h"

/* Of one snapshot; a record's size is the limit. */
#define DATA_MAX	(48U << 10)

/* That wait to be written: names can be made up faster than any disk writes. */
#define NAMED_MAX	256

/*
 * Where old snapshots are removed, those of a storm must not push out all others: of a
 * trigger without rate= so many at once, then one each PACE_NS, of all that came meanwhile.
 */
#define PACE_BURST	3
#define PACE_NS		(10 * NSEC_PER_SEC)

/* Has its snapshot not begun yet, and would have the same name? */
static bool joins(const struct flight_wish *w, const struct trigger *t, const char *name)
{
	return w->trigger == t && !strcmp(w->name, name);
}

static int add_token(struct flight_wish *w, __u64 token)
{
	if (!token)
		return 0;
	if (grow((void **)&w->tokens, w->nr_tokens, sizeof(*w->tokens)))
		return -1;
	w->tokens[w->nr_tokens++] = token;
	return 0;
}

static void add_data(struct flight_wish *w, const void *data, size_t size)
{
	struct auxrec_snapshot_data head = { .size = size, .full_size = size };
	size_t left = DATA_MAX - w->data_size;
	__u8 *to;

	if (!data || left < sizeof(head))
		return;
	left -= sizeof(head);
	if (head.size > left)
		head.size = left;
	to = realloc(w->data, w->data_size + sizeof(head) + head.size);
	if (!to)
		return;
	memcpy(to + w->data_size, &head, sizeof(head));
	memcpy(to + w->data_size + sizeof(head), data, head.size);
	w->data = to;
	w->data_size += sizeof(head) + head.size;
}

static bool is_paced(const struct flight *f, const struct trigger *t)
{
	const struct keep_limits *l = &f->keep.limits;

	/* Who asks at the socket waits for the answer, and asks one by one. */
	return (l->nr || l->bytes || l->age) && !t->rate_nr && t->kind != TRIGGER_SOCKET;
}

/* The time from which on it is in pace, as in the ATM forum's GCRA */
static __u64 in_pace(struct trigger *t, __u64 now)
{
	const __u64 at = t->paced > now ? t->paced : now;
	const __u64 ahead = (PACE_BURST - 1) * PACE_NS;

	t->paced = at + PACE_NS;
	return at > now + ahead ? at - ahead : now;
}

static struct flight_wish *new_wish(struct flight *f, struct trigger *t,
				    const char *name, __u64 time)
{
	const __u64 now = now_ns();
	struct flight_wish *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->trigger = t;
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->time = time;
	w->due = now + t->post;
	if (is_paced(f, t)) {
		const __u64 at = in_pace(t, now);

		w->late = at > w->due;
		if (w->late)
			w->due = at;
	}
	*f->end = w;
	f->end = &w->next;
	return w;
}

static bool too_many(const struct flight *f, const char *name)
{
	const struct flight_wish *w;
	unsigned int nr = 0;

	for (w = f->first; name && w; w = w->next)
		nr++;
	return nr >= NAMED_MAX;
}

static void suppress(struct session *s, struct trigger *t, __u64 token, const char *why)
{
	s->flight->suppressed++;
	flight_unfreeze(s, t);
	if (token)
		control_answer(s->flight->control, token, "error %s", why);
}

void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size)
{
	const char *word = name ?: t->name;
	struct flight *f = s->flight;
	struct flight_wish *w;

	f->stats.wishes++;
	for (w = f->first; w; w = w->next)
		if (joins(w, t, word))
			break;
	if (!w && too_many(f, name)) {
		suppress(s, t, token,
			 "very many snapshots wait to be written: ask again when some are");
		return;
	}
	if (!w && !trigger_take(t, now_ns())) {
		suppress(s, t, token, "the trigger's count= or rate= is used up");
		return;
	}
	if (!w)
		w = new_wish(f, t, word, time);
	if (w && w->late)
		flight_unfreeze(s, t);
	if (!w || add_token(w, token)) {
		if (token)
			control_answer(f->control, token, "error out of memory");
		say("trigger %s: out of memory, no snapshot", word);
		f->stats.failed++;
		return;
	}
	w->triggers++;
	add_data(w, data, size);
}

void flight_wish_more(struct session *s, struct trigger *t, __u64 nr)
{
	struct flight_wish *w;

	s->flight->stats.wishes += nr;
	for (w = s->flight->first; w; w = w->next) {
		if (w->trigger != t)
			continue;
		w->triggers += nr;
		return;
	}
	t->suppressed += nr;
	s->flight->suppressed += nr;
}

void flight_wish_lost(struct session *s, struct trigger *t, __u64 time, __u64 nr)
{
	struct flight_wish *w;

	flight_wish(s, t, NULL, time, 0, NULL, 0);
	if (nr > 1)
		flight_wish_more(s, t, nr - 1);
	for (w = s->flight->first; w && w->trigger != t; w = w->next)
		;
	if (!w || w->lost)
		return;
	w->lost = true;
	say("trigger %s: its sample is lost, its snapshot is not: give more with -m", t->name);
}

void flight_wishes_free(struct flight_wish *list)
{
	struct flight_wish *next;

	for (; list; list = next) {
		next = list->next;
		free(list->tokens);
		free(list->data);
		free(list);
	}
}
