// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the time for which a snapshot has everything: the records of the main rings and the data
 * of the raw ring, without a loss in between.
 */
#include <errno.h>
#include <stdlib.h>

#include "stream/complete.h"

/*
 * If there are more losses, the nearest ones are joined, and the time between them counts as
 * lost.
 */
#define MAX_BREAKS	4096

static int by_begin(const void *a, const void *b)
{
	const struct complete_break *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Join losses that are not further apart than @distance. */
static void join(struct complete_breaks *b, __u64 distance)
{
	struct complete_break *list = b->list;
	size_t i, to = 0;

	for (i = 1; i < b->nr; i++) {
		if (list[i].begin > list[to].end &&
		    list[i].begin - list[to].end > distance)
			list[++to] = list[i];
		else if (list[i].end > list[to].end)
			list[to].end = list[i].end;
	}
	b->nr = to + 1;
}

static void make_room(struct complete_breaks *b)
{
	__u64 distance = 0;

	qsort(b->list, b->nr, sizeof(*b->list), by_begin);
	join(b, 0);
	while (b->nr > MAX_BREAKS / 2) {
		distance = distance * 2 + 1;
		join(b, distance);
	}
}

int complete_break(struct complete_breaks *b, __u64 begin, __u64 end)
{
	if (!b->list)
		b->list = malloc(MAX_BREAKS * sizeof(*b->list));
	if (!b->list)
		return -ENOMEM;
	if (b->nr == MAX_BREAKS)
		make_room(b);
	b->list[b->nr++] = (struct complete_break){ begin, end };
	return 0;
}

void complete_breaks_end(struct complete_breaks *b)
{
	if (!b->nr)
		return;
	qsort(b->list, b->nr, sizeof(*b->list), by_begin);
	join(b, 0);
}

void complete_breaks_free(struct complete_breaks *b)
{
	free(b->list);
	*b = (struct complete_breaks){ .list = NULL };
}

static __u64 earlier(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/*
 * Take the time from @begin to @end, unless it is empty or the time taken so far contains the
 * trigger.
 */
static void offer(struct complete_time *c, __u64 begin, __u64 end, __u64 trigger)
{
	if (begin >= end || (c->any && c->end >= trigger))
		return;
	c->any = true;
	c->begin = begin;
	c->end = end;
}

/* Choose a time without losses: the one that contains the trigger, or the last one before it. */
static void choose(const struct complete_breaks *breaks, __u64 begin, __u64 end, __u64 trigger,
		   struct complete_time *c)
{
	size_t i;

	for (i = 0; i < breaks->nr; i++) {
		const struct complete_break *b = &breaks->list[i];

		if (b->end <= begin || b->begin >= end)
			continue;
		if (!c->lost_end)
			c->lost_begin = b->begin;
		c->lost_end = b->end;
		offer(c, begin, b->begin, trigger);
		begin = b->end;
	}
	offer(c, begin, end, trigger);
}

struct complete_time complete_time(const struct complete_breaks *breaks,
				   const struct auxrec_snapshot *h)
{
	struct complete_time c = { .any = false };
	__u64 begin = h->t_begin, end = h->t_settled;

	if (h->raw_end > h->raw_begin) {
		begin = later(begin, h->raw_begin);
		end = earlier(end, h->raw_end);
	}
	choose(breaks, begin, end, earlier(h->t_trigger, end), &c);
	return c;
}
