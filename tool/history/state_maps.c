// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of maps, which processes share until one of them maps something.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/records.h"
#include "history/state_maps.h"
#include "base/util.h"

/* An MMAP is shorter than an MMAP2, but begins like it. */
static const struct rec_mmap2 *head(const struct state_map *map)
{
	return (const void *)map->rec;
}

static __u64 start_of(const struct state_map *map)
{
	return head(map)->start;
}

/* Return the address of the last byte. The end of a map of the kernel can be 2^64 or above. */
static __u64 last_of(const struct state_map *map)
{
	const struct rec_mmap2 *h = head(map);
	const __u64 last = h->start + h->len - 1;

	return h->len && last >= h->start ? last : ~0ULL;
}

static size_t map_bytes(const struct state_map *map)
{
	return sizeof(*map) + map->rec->size + ALLOC_COST;
}

static struct state_map *map_new(const struct perf_event_header *rec, size_t *bytes)
{
	struct state_map *map = malloc(sizeof(*map) + rec->size);

	if (!map)
		return NULL;
	map->refs = 1;
	memcpy(map->rec, rec, rec->size);
	*bytes += map_bytes(map);
	return map;
}

static void map_put(struct state_map *map, size_t *bytes)
{
	if (--map->refs)
		return;
	*bytes -= map_bytes(map);
	free(map);
}

/* Return a new map, which is the part of @map from @start to @last, both included. */
static struct state_map *map_part(const struct state_map *map, __u64 start, __u64 last,
				  size_t *bytes)
{
	struct state_map *part = map_new(map->rec, bytes);
	struct rec_mmap2 *h;

	if (!part)
		return NULL;
	h = (void *)part->rec;
	h->pgoff += start - h->start;
	h->len = last - start + 1;
	h->start = start;
	return part;
}

struct state_maps *state_maps_get(struct state_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

static size_t set_bytes(const struct state_maps *maps)
{
	return sizeof(*maps) + maps->room * sizeof(*maps->list) + 2 * ALLOC_COST;
}

void state_maps_put(struct state_maps *maps, size_t *bytes)
{
	size_t i;

	if (!maps || --maps->refs)
		return;
	for (i = 0; i < maps->nr; i++)
		map_put(maps->list[i], bytes);
	*bytes -= set_bytes(maps);
	free(maps->list);
	free(maps);
}

/* Return an empty set with this much room. */
static struct state_maps *set_new(size_t room, size_t *bytes)
{
	struct state_maps *maps = malloc(sizeof(*maps));

	if (!maps)
		return NULL;
	*maps = (struct state_maps){ .refs = 1, .room = room };
	maps->list = malloc(room * sizeof(*maps->list));
	if (!maps->list) {
		free(maps);
		return NULL;
	}
	*bytes += set_bytes(maps);
	return maps;
}

/* Return the index of the first map that ends at @start or behind it. */
static size_t first_behind(const struct state_maps *maps, __u64 start)
{
	size_t low = 0, high = maps ? maps->nr : 0;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (last_of(maps->list[mid]) < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * A change of a set for a new map. The maps in @put replace the old maps from @from to @to - 1,
 * which the new map overlaps. @put has the new map itself, and the parts of the old maps that are
 * before and behind it.
 */
struct change {
	struct state_map *put[3];
	size_t nr;
	size_t from, to;	/* in the old list */
};

static void change_undo(struct change *c, size_t *bytes)
{
	while (c->nr)
		map_put(c->put[--c->nr], bytes);
}

static int change_add(struct change *c, struct state_map *map)
{
	if (!map)
		return -ENOMEM;
	c->put[c->nr++] = map;
	return 0;
}

static int change_make(struct change *c, const struct state_maps *maps,
		       const struct perf_event_header *rec, size_t *bytes)
{
	struct state_map *map = map_new(rec, bytes), *old;
	int err = 0;
	__u64 last;

	if (!map)
		return -ENOMEM;
	last = last_of(map);
	c->from = first_behind(maps, start_of(map));
	for (c->to = c->from; maps && c->to < maps->nr; c->to++)
		if (start_of(maps->list[c->to]) > last)
			break;
	old = c->from < c->to ? maps->list[c->from] : NULL;
	if (old && start_of(old) < start_of(map))
		err = change_add(c, map_part(old, start_of(old),
					     start_of(map) - 1, bytes));
	if (err)
		map_put(map, bytes);
	else
		change_add(c, map);
	old = c->from < c->to ? maps->list[c->to - 1] : NULL;
	if (!err && old && last_of(old) > last)
		err = change_add(c, map_part(old, last + 1, last_of(old), bytes));
	if (err)
		change_undo(c, bytes);
	return err;
}

/* Return a copy of the set, which is not shared, with room for at least two more maps. */
static struct state_maps *set_own(const struct state_maps *old, size_t *bytes)
{
	const size_t nr = old ? old->nr : 0;
	struct state_maps *maps = set_new(nr + nr / 2 + 4, bytes);
	size_t i;

	if (!maps)
		return NULL;
	for (i = 0; i < nr; i++) {
		maps->list[i] = old->list[i];
		maps->list[i]->refs++;
	}
	maps->nr = nr;
	return maps;
}

int state_maps_add(struct state_maps **maps, const struct perf_event_header *rec,
		   size_t *bytes)
{
	struct state_maps *set = *maps;
	struct change c = { .nr = 0 };
	size_t i;
	int err;

	err = change_make(&c, set, rec, bytes);
	if (err)
		return err;
	if (!set || set->refs > 1 || set->room - set->nr < 2) {
		set = set_own(set, bytes);
		if (!set) {
			change_undo(&c, bytes);
			return -ENOMEM;
		}
		state_maps_put(*maps, bytes);
		*maps = set;
	}
	for (i = c.from; i < c.to; i++)
		map_put(set->list[i], bytes);
	memmove(&set->list[c.from + c.nr], &set->list[c.to],
		(set->nr - c.to) * sizeof(*set->list));
	memcpy(&set->list[c.from], c.put, c.nr * sizeof(*c.put));
	set->nr += c.nr;
	set->nr -= c.to - c.from;
	return 0;
}

size_t state_maps_filter(struct state_maps *maps, state_maps_fn keep, void *ctx,
			 size_t *bytes)
{
	size_t i, kept = 0, nr = maps->nr;
	struct state_map **smaller;

	for (i = 0; i < nr; i++) {
		struct state_map *map = maps->list[i];

		if (keep(ctx, start_of(map), last_of(map)))
			maps->list[kept++] = map;
		else
			map_put(map, bytes);
	}
	maps->nr = kept;
	smaller = kept < maps->room / 2 ?
		  realloc(maps->list, (kept + 4) * sizeof(*maps->list)) : NULL;
	if (smaller) {
		*bytes -= set_bytes(maps);
		maps->list = smaller;
		maps->room = kept + 4;
		*bytes += set_bytes(maps);
	}
	return nr - kept;
}
