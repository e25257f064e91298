// SPDX-License-Identifier: GPL-2.0-only
/* The hash table of base/map.h: open addressing with linear probing. */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE	64

/* splitmix64's finisher, because perf's ids are consecutive and pointers are aligned */
static __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static struct read_map_slot *find(const struct read_map *m, __u64 key)
{
	size_t i = mix(key) & (m->size - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slots[i];
}

bool read_map_get(const struct read_map *m, __u64 key, __u32 *value)
{
	const struct read_map_slot *slot;

	if (!m->nr)
		return false;
	slot = find(m, key);
	if (!slot->used)
		return false;
	if (value)
		*value = slot->value;
	return true;
}

static int grow(struct read_map *m)
{
	struct read_map old = *m;
	size_t i, size = old.size ? old.size * 2 : FIRST_SIZE;

	m->slots = calloc(size, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old.slots;
		return -ENOMEM;
	}
	m->size = size;
	for (i = 0; i < old.size; i++) {
		if (old.slots[i].used)
			*find(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
	return 0;
}

int read_map_set(struct read_map *m, __u64 key, __u32 value)
{
	struct read_map_slot *slot;

	/* The table stays at least half empty, so that searches end soon. */
	if (m->nr * 2 >= m->size) {
		int rc = grow(m);

		if (rc)
			return rc;
	}
	slot = find(m, key);
	m->nr += !slot->used;
	*slot = (struct read_map_slot) { .key = key, .value = value, .used = 1 };
	return 0;
}

void read_map_free(struct read_map *m)
{
	free(m->slots);
	*m = (struct read_map) { 0 };
}

__u64 read_map_string_key(const char *s)
{
	__u64 h = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}
