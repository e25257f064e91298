// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gaps of a flight recorder's raw ring, in bounded memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring/gaps.h"

/* Are both gaps for the same cause and queue, or (@any) for any thread's queue? */
static bool are_alike(const struct gaps *g, bool any, const struct perfaux_gap *a,
		      const struct perfaux_gap *b)
{
	return a->cause == b->cause && a->cookie == b->cookie &&
	       (any || !g->per_task || a->tid == b->tid) && (g->per_task || a->cpu == b->cpu);
}

static size_t hash(const struct gaps *g, bool any, const struct perfaux_gap *gap)
{
	__u64 h = gap->cause ^ gap->cookie << 8;

	if (!g->per_task)
		h ^= (__u64)gap->cpu << 32;
	else if (!any)
		h ^= (__u64)gap->tid << 32;
	h *= 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 32;
}

/*
 * Add @gap to @all. A queue of AUX data belongs to one CPU or thread, so a gap of several threads
 * belongs to none.
 */
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

#define NONE	(~(size_t)0)

/*
 * Return the place of the gap that waits to be joined with @gap, or the place where @gap must
 * wait.
 */
static size_t *find_place(const struct gaps *g, bool any, size_t *table, size_t size,
			  const struct perfaux_gap *gap)
{
	size_t at = hash(g, any, gap) & (size - 1);

	while (table[at] != NONE && !are_alike(g, any, &g->list[table[at]], gap))
		at = (at + 1) & (size - 1);
	return &table[at];
}

/*
 * Join gaps that are alike, among the first @end, in pairs: the first one of a pair goes into the
 * second one. So old gaps have been joined often, and new ones have not.
 */
static void join_some(struct gaps *g, size_t end, bool any)
{
	size_t size = 64, *table, i, to = 0;
	bool *gone;

	while (size < 2 * end)
		size *= 2;
	table = malloc(size * sizeof(*table));
	gone = calloc(end, sizeof(*gone));
	if (!table || !gone)
		goto out;
	memset(table, 0xff, size * sizeof(*table));
	for (i = 0; i < end; i++) {
		size_t *place = find_place(g, any, table, size, &g->list[i]);

		if (*place != NONE && !gone[*place]) {
			join(g, &g->list[i], &g->list[*place]);
			gone[*place] = true;
		} else {
			*place = i;
		}
	}
	for (i = 0; i < g->nr; i++)
		if (i >= end || !gone[i])
			g->list[to++] = g->list[i];
	g->nr = to;
out:
	free(table);
	free(gone);
}

/*
 * Join gaps of the older half. If that does not suffice, join all, then those of several threads.
 */
static void make_room(struct gaps *g)
{
	const size_t enough = g->nr - g->nr / 8;

	join_some(g, g->nr / 2, false);
	if (g->nr > enough)
		join_some(g, g->nr, false);
	if (g->nr > enough && g->per_task)
		join_some(g, g->nr, true);
}

int gaps_add(struct gaps *g, const struct perfaux_gap *gap)
{
	if (g->nr == g->room && g->nr >= GAPS_MAX)
		make_room(g);
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
