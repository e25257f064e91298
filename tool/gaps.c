// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gaps.h"

/* Are these data missing in one queue, for one reason? */
static bool are_alike(const struct gaps *g, const struct perfaux_gap *a,
		      const struct perfaux_gap *b)
{
	return a->cause == b->cause && a->cookie == b->cookie &&
	       (g->per_task || a->cpu == b->cpu);
}

/* A queue of AUX data is of a CPU or of a thread: what is of several is of none. */
static void join(const struct gaps *g, struct perfaux_gap *all, const struct perfaux_gap *gap)
{
	if (all->tid != gap->tid) {
		all->pid = -1;
		all->tid = -1;
		if (g->per_task)
			all->cpu = -1;
	}
	if (gap->t_begin < all->t_begin)
		all->t_begin = gap->t_begin;
	if (gap->t_end > all->t_end)
		all->t_end = gap->t_end;
	all->count += gap->count;
	all->bytes += gap->bytes;
}

/* The next one that is alike and not joined yet, below @end; else @end. */
static size_t find_partner(const struct gaps *g, const bool *joined, size_t i, size_t end)
{
	size_t k;

	for (k = i + 1; k < end; k++)
		if (!joined[k] && are_alike(g, &g->list[i], &g->list[k]))
			break;
	return k;
}

/* Two and two of the older half. So what is old has been joined often, and what is new has not. */
static void join_old(struct gaps *g)
{
	bool joined[GAPS_MAX / 2] = { false };
	size_t i, to = 0, end = g->nr / 2;

	if (end > GAPS_MAX / 2)
		end = GAPS_MAX / 2;
	for (i = 0; i < g->nr; i++) {
		if (i < end && !joined[i]) {
			const size_t k = find_partner(g, joined, i, end);

			if (k < end) {
				join(g, &g->list[k], &g->list[i]);
				joined[k] = true;
				continue;
			}
		}
		g->list[to++] = g->list[i];
	}
	g->nr = to;
}

int gaps_add(struct gaps *g, const struct perfaux_gap *gap)
{
	if (g->nr == g->room && g->nr >= GAPS_MAX)
		join_old(g);
	if (g->nr == g->room) {
		const size_t room = g->room ? g->room * 2 : 16;
		struct perfaux_gap *list = realloc(g->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		g->list = list;
		g->room = room;
	}
	g->list[g->nr++] = *gap;
	return 0;
}

void gaps_trim(struct gaps *g, __u64 before)
{
	size_t i, to = 0;

	for (i = 0; i < g->nr; i++)
		if (g->list[i].t_end >= before)
			g->list[to++] = g->list[i];
	g->nr = to;
}

void gaps_free(struct gaps *g)
{
	free(g->list);
	g->list = NULL;
	g->nr = 0;
	g->room = 0;
}
