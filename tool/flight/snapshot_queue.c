// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of snapshots that triggers wish for, in the order in which the triggers came. No wish
 * is dropped: if a trigger comes while another wish of the same trigger waits, both share one
 * snapshot. Only clients of the control socket that name their snapshots are refused if very many
 * wait.
 */
#include <stdlib.h>
#include <string.h>

#include "flight/flight.h"
#include "stream/snapshot_mark.h"

/* Data of one snapshot; the size of a record limits it. */
#define DATA_MAX	(48U << 10)

/*
 * A wish with a name is refused while this many wishes wait: a client can make up names faster
 * than any disk writes snapshots.
 */
#define NAMED_MAX	256

/*
 * If old snapshots are removed, a storm of triggers must not push out all of them. A trigger
 * without rate= makes PACE_BURST snapshots immediately, then one per PACE_NS for all triggers
 * that came meanwhile.
 */
#define PACE_BURST	3
#define PACE_NS		(10 * NSEC_PER_SEC)

/*
 * A wish waits for post= after its trigger. If the trigger occurs again in the first 1/POST_SPREAD
 * of this time, the wish waits for post= after the later trigger, too.
 */
#define POST_SPREAD	8

/* Most processes of a snapshot with --only-trigger-task */
#define TASKS_MAX	1024

/* Find the first and the last wish of the same trigger and name whose snapshot has not begun. */
static struct flight_wish *find(struct flight *f, const struct trigger *t, const char *name,
				struct flight_wish **last)
{
	struct flight_wish *w, *first = NULL;

	*last = NULL;
	for (w = f->first; w; w = w->next) {
		if (w->trigger != t || strcmp(w->name, name))
			continue;
		*last = w;
		if (!first)
			first = w;
	}
	return first;
}

/*
 * Return the waiting wish whose snapshot will cover post= after this trigger, too, or NULL. The
 * last wish does that if its snapshot is written late enough. Otherwise make the last wish wait
 * longer, if it has just come, or if another wish of the trigger waits before it. So each
 * trigger has all of its post=, and a storm makes at most one snapshot in that time, apart from
 * the first one.
 */
static struct flight_wish *find_late_enough(struct flight *f, const struct trigger *t,
					    const char *name, __u64 now)
{
	struct flight_wish *last, *first = find(f, t, name, &last);

	if (!last || last->due >= now + t->post || !t->post)
		return last;
	if (last == first && now - last->came > t->post / POST_SPREAD)
		return NULL;
	last->due = now + t->post;
	return last;
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

	if (t->rate_nr)
		return false;
	/* Writing a snapshot is I/O, and can be the pressure that triggers the next one. */
	if (t->kind == TRIGGER_PRESSURE)
		return true;
	/* A client of the socket waits for its answer, so its requests come one by one. */
	return (l->nr || l->bytes || l->age) && t->kind != TRIGGER_SOCKET;
}

/* Return the time from which on the trigger is in pace, as in the ATM forum's GCRA. */
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
	w->came = now;
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
	const __u64 now = now_ns();
	struct flight_wish *w, *last;

	f->stats.wishes++;
	w = find_late_enough(f, t, word, now);
	if (!w && too_many(f, name)) {
		suppress(s, t, token,
			 "too many snapshots wait to be written: ask again later");
		return;
	}
	if (!w && !trigger_may(t, now)) {
		/* Share the last wish: it covers a part of this trigger's post=. */
		find(f, t, word, &last);
		w = last;
	}
	if (!w && !trigger_take(t, now)) {
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

void flight_wish_task(struct session *s, const struct trigger *t, __u32 pid, __u32 tid, __u64 time)
{
	struct flight_wish *w;
	size_t i;

	/*
	 * The kernel gives -1 for a task that has ended, and 0 for a task outside of the recorder's
	 * PID namespace. These numbers can mean any of many processes.
	 */
	if (!pid || pid == -1U)
		return;
	/* A suppressed trigger has no wish. A trigger that shares a wish shares the last one. */
	find(s->flight, t, t->name, &w);
	if (!w)
		return;
	if (!w->pid) {
		w->pid = pid;
		w->tid = tid;
	}
	if (!s->opt->flight.only_task)
		return;
	for (i = 0; i < w->nr_tasks && w->tasks[i].pid != pid; i++)
		;
	if (i == w->nr_tasks) {
		if (i == TASKS_MAX || grow((void **)&w->tasks, i, sizeof(*w->tasks))) {
			if (!w->more_tasks++)
				say("trigger %s: its snapshot lacks process %u and later ones, because there are too many",
				    t->name, pid);
			return;
		}
		w->tasks[w->nr_tasks++] = (struct flight_task){ pid, time, time };
	}
	/* The rings are read one after the other, so triggers do not come in order of time. */
	if (time < w->tasks[i].first)
		w->tasks[i].first = time;
	if (time > w->tasks[i].last)
		w->tasks[i].last = time;
}

void flight_wish_more(struct session *s, struct trigger *t, __u64 nr)
{
	struct flight_wish *w;

	s->flight->stats.wishes += nr;
	find(s->flight, t, t->name, &w);
	if (w) {
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
	find(s->flight, t, t->name, &w);
	if (!w || w->lost)
		return;
	w->lost = true;
	say("trigger %s: its sample is lost, but it gets its snapshot: give larger main rings with -m",
	    t->name);
}

void flight_wishes_free(struct flight_wish *list)
{
	struct flight_wish *next;

	for (; list; list = next) {
		next = list->next;
		free(list->tokens);
		free(list->data);
		free(list->tasks);
		free(list);
	}
}
