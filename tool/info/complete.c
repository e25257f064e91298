// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the time for which a snapshot has everything: the records of the main rings and the data
 * of the raw ring, without a loss in between.
 */
#include <errno.h>
#include <stdlib.h>

#include "info/info.h"

/*
 * If there are more losses, the nearest ones are joined, and the time between them counts as
 * lost.
 */
#define MAX_BREAKS	4096

static int by_begin(const void *a, const void *b)
{
	const struct info_break *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Join losses that are not further apart than @distance. */
static void join(struct info *info, __u64 distance)
{
	struct info_break *list = info->breaks;
	size_t i, to = 0;

	for (i = 1; i < info->nr_breaks; i++) {
		if (list[i].begin > list[to].end &&
		    list[i].begin - list[to].end > distance)
			list[++to] = list[i];
		else if (list[i].end > list[to].end)
			list[to].end = list[i].end;
	}
	info->nr_breaks = to + 1;
}

static void make_room(struct info *info)
{
	__u64 distance = 0;

	qsort(info->breaks, info->nr_breaks, sizeof(*info->breaks), by_begin);
	join(info, 0);
	while (info->nr_breaks > MAX_BREAKS / 2) {
		distance = distance * 2 + 1;
		join(info, distance);
	}
}

int info_break(struct info *info, __u64 begin, __u64 end)
{
	if (!info->breaks)
		info->breaks = malloc(MAX_BREAKS * sizeof(*info->breaks));
	if (!info->breaks)
		return -ENOMEM;
	if (info->nr_breaks == MAX_BREAKS)
		make_room(info);
	info->breaks[info->nr_breaks++] = (struct info_break){ begin, end };
	return 0;
}

void info_breaks_end(struct info *info)
{
	if (!info->nr_breaks)
		return;
	qsort(info->breaks, info->nr_breaks, sizeof(*info->breaks), by_begin);
	join(info, 0);
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
static void offer(struct info_complete *c, __u64 begin, __u64 end, __u64 trigger)
{
	if (begin >= end || (c->any && c->end >= trigger))
		return;
	c->any = true;
	c->begin = begin;
	c->end = end;
}

/* Choose a time without losses: the one that contains the trigger, or the last one before it. */
static void choose(const struct info *info, __u64 begin, __u64 end, __u64 trigger,
		   struct info_complete *c)
{
	size_t i;

	for (i = 0; i < info->nr_breaks; i++) {
		const struct info_break *b = &info->breaks[i];

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

struct info_complete info_complete(const struct info *info, const struct auxrec_snapshot *h)
{
	struct info_complete c = { .any = false };
	__u64 begin = h->t_begin, end = h->t_settled;

	if (h->raw_end > h->raw_begin) {
		begin = later(begin, h->raw_begin);
		end = earlier(end, h->raw_end);
	}
	choose(info, begin, end, earlier(h->t_trigger, end), &c);
	return c;
}
