// SPDX-License-Identifier: GPL-2.0-only
/* The hash table of base/hash_map.h: open addressing with linear probing. */
#include "base/hash_map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE	64

/* Mix the bits of keys as splitmix64 does: perf's ids are consecutive, and pointers are aligned. */
static __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Return the slot of @key, which is not 0, or the free slot for it. */
static size_t find(const struct read_map *m, __u64 key)
{
	size_t i = mix(key) & (m->size - 1);

	while (m->keys[i] && m->keys[i] != key)
		i = (i + 1) & (m->size - 1);
	return i;
}

bool read_map_get(const struct read_map *m, __u64 key, __u32 *value)
{
	__u32 found = m->zero;
	bool has = m->has_zero;

	if (key) {
		const size_t i = m->nr ? find(m, key) : 0;

		has = m->nr && m->keys[i];
		found = has && m->values ? m->values[i] : 0;
	}
	if (has && value)
		*value = found;
	return has;
}

static int grow(struct read_map *m)
{
	const struct read_map old = *m;
	struct read_map to = old;
	size_t i;

	to.size = old.size ? old.size * 2 : FIRST_SIZE;
	to.keys = calloc(to.size, sizeof(*to.keys));
	to.values = old.values ? calloc(to.size, sizeof(*to.values)) : NULL;
	if (!to.keys || (old.values && !to.values)) {
		free(to.keys);
		free(to.values);
		return -ENOMEM;
	}
	for (i = 0; i < old.size; i++) {
		size_t slot;

		if (!old.keys[i])
			continue;
		slot = find(&to, old.keys[i]);
		to.keys[slot] = old.keys[i];
		if (to.values)
			to.values[slot] = old.values[i];
	}
	read_map_free(m);
	*m = to;
	return 0;
}

int read_map_set(struct read_map *m, __u64 key, __u32 value)
{
	size_t i;

	if (!key) {
		m->has_zero = true;
		m->zero = value;
		return 0;
	}
	/* The table stays at least half empty, so that searches end soon. */
	if (m->nr * 2 >= m->size) {
		const int rc = grow(m);

		if (rc)
			return rc;
	}
	if (value && !m->values) {
		m->values = calloc(m->size, sizeof(*m->values));
		if (!m->values)
			return -ENOMEM;
	}
	i = find(m, key);
	m->nr += !m->keys[i];
	m->keys[i] = key;
	if (m->values)
		m->values[i] = value;
	return 0;
}

bool read_map_find(const struct read_map *m, __u64 *hash, read_map_same_t same,
		   const void *elements, const void *key, __u32 *value)
{
	for (; read_map_get(m, *hash, value); (*hash)++)
		if (same(elements, *value, key))
			return true;
	return false;
}

void read_map_free(struct read_map *m)
{
	free(m->keys);
	free(m->values);
	*m = (struct read_map) { 0 };
}
