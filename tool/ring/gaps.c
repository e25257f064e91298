// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gaps of a flight recorder's raw ring, in bounded memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "ring/gaps.h"

/* Are cause, event and queue of both gaps the same? @any: all queues of threads count as one. */
static bool are_alike(const struct gaps *g, bool any, const struct perfaux_gap *a,
		      const struct perfaux_gap *b)
{
	return a->cause == b->cause && a->cookie == b->cookie &&
	       (any || !g->per_task || a->tid == b->tid) && (g->per_task || a->cpu == b->cpu);
}

/* Gaps that are alike have the same hash. */
static __u64 hash(const struct gaps *g, bool any, const struct perfaux_gap *gap)
{
	const __u32 owner = g->per_task ? gap->tid : gap->cpu;
	const __u64 key[] = { gap->cause, gap->cookie, any ? 0 : owner };

	return hash_bytes(0, key, sizeof(key));
}

/*
 * Add @gap to @all. If the gaps have different threads, the sum has none. If queues of AUX data
 * belong to threads, the sum then belongs to no queue, and has no CPU either.
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

struct wanted {
	const struct gaps *g;
	bool any;
	const struct perfaux_gap *gap;
};

static bool is_wanted(const void *list, __u32 i, const void *wanted)
{
	const struct wanted *w = wanted;

	return are_alike(w->g, w->any, (const struct perfaux_gap *)list + i, w->gap);
}

/*
 * Join gaps that are alike, among the first @end, in pairs: the first gap of a pair goes into the
 * second one. So old gaps have been joined often, and new gaps have not.
 */
static void join_some(struct gaps *g, size_t end, bool any)
{
	bool *gone = calloc(end, sizeof(*gone));
	struct read_map waiting = { .nr = 0 };	/* the last gap of each kind */
	size_t i, to = 0;
	__u32 other;

	if (!gone)
		return;
	for (i = 0; i < end; i++) {
		const struct wanted w = { g, any, &g->list[i] };
		__u64 key = hash(g, any, &g->list[i]);

		if (read_map_find(&waiting, &key, is_wanted, g->list, &w, &other) && !gone[other]) {
			join(g, &g->list[i], &g->list[other]);
			gone[other] = true;
		} else if (read_map_set(&waiting, key, i)) {
			break;
		}
	}
	for (i = 0; i < g->nr; i++)
		if (i >= end || !gone[i])
			g->list[to++] = g->list[i];
	g->nr = to;
	read_map_free(&waiting);
	free(gone);
}

/*
 * Join gaps of the older half. If that does not suffice, join gaps of both halves. If that does not
 * suffice either, join gaps of different threads, too.
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
