/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table of numbers, for the tables that a stream itself describes (ids,
 * threads, queues).
 */
#ifndef AUXREC_READ_MAP_H
#define AUXREC_READ_MAP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct read_map_slot {
	__u64	key;
	__u32	value;
	__u32	used;
};

/* All zero is an empty table. */
struct read_map {
	struct read_map_slot *slots;
	size_t	size;		/* 0 or a power of two */
	size_t	nr;
};

/* Return whether the table has @key. Store its value in @value, which can be NULL. */
bool read_map_get(const struct read_map *m, __u64 key, __u32 *value);

/* Add a key, or replace its value. Return 0 or -ENOMEM. */
int read_map_set(struct read_map *m, __u64 key, __u32 value);

void read_map_free(struct read_map *m);

/* FNV-1a, for keys that are strings. */
__u64 read_map_string_key(const char *s);

#endif /* AUXREC_READ_MAP_H */
