/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table of numbers. Its keys are ids, threads and queues that a stream describes, or
 * hashes of longer keys.
 */
#ifndef AUXREC_HASH_MAP_H
#define AUXREC_HASH_MAP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A table that is all zero is empty. While all values are 0, the table is a set, which takes 16 to
 * 32 bytes for each key; with values it takes half as much again.
 */
struct read_map {
	__u64	*keys;		/* 0: the slot is free */
	__u32	*values;	/* NULL: all are 0 */
	size_t	size;		/* slots: 0 or a power of two */
	size_t	nr;		/* keys, without the key 0 */
	bool	has_zero;	/* key 0 is in the table, with the value @zero */
	__u32	zero;
};

/* Return whether the table has @key. Store its value in @value, which can be NULL. */
bool read_map_get(const struct read_map *m, __u64 key, __u32 *value);

/* Add a key, or replace its value. Return 0 or -ENOMEM. */
int read_map_set(struct read_map *m, __u64 key, __u32 value);

/*
 * Find an element of the array @elements by a key that is longer than a number. The table maps the
 * hash of each element's key to the element's index, and @same tells whether the element at an
 * index has the key. If several elements have the same hash, the table has the second one under
 * hash + 1, and so on.
 *
 * Return true, with the element's index in @value, or false if there is no such element. In that
 * case *@hash is now the number under which the caller can add the element.
 */
typedef bool (*read_map_same_t)(const void *elements, __u32 value, const void *key);
bool read_map_find(const struct read_map *m, __u64 *hash, read_map_same_t same,
		   const void *elements, const void *key, __u32 *value);

void read_map_free(struct read_map *m);

#endif /* AUXREC_HASH_MAP_H */
