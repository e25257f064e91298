// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of what was written already, for data that is recognized by its
 * content.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/parts.h"

struct merge_entry {
	struct merge_key key;
	__u64 time;
	bool used;
};

/* FNV-1a */
__u64 merge_hash(__u64 seed, const void *data, size_t len)
{
	const __u8 *p = data;
	__u64 h = seed ^ 0xcbf29ce484222325ULL;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	/* The low bits of @h depend mostly on the last bytes only. */
	return h ^ h >> 32;
}

/*
 * Find the entry of @key, or the slot for it. merge_seen_set() uses @time for
 * its value.
 */
static struct merge_entry *find(const struct merge_seen *seen,
				const struct merge_key *key)
{
	size_t i = merge_hash(0, key, sizeof(*key)) & (seen->size - 1);

	while (seen->slots[i].used &&
	       memcmp(&seen->slots[i].key, key, sizeof(*key)))
		i = (i + 1) & (seen->size - 1);
	return &seen->slots[i];
}

/* Make a table with room for @nr, without the entries before @before. */
static int rebuild(struct merge_seen *seen, size_t nr, __u64 before)
{
	struct merge_seen to = { .size = 256 };
	size_t i;

	while (to.size < nr * 2)
		to.size *= 2;
	to.slots = calloc(to.size, sizeof(*to.slots));
	if (!to.slots)
		return -ENOMEM;
	for (i = 0; i < seen->size; i++) {
		if (!seen->slots[i].used || seen->slots[i].time < before)
			continue;
		*find(&to, &seen->slots[i].key) = seen->slots[i];
		to.nr++;
	}
	free(seen->slots);
	*seen = to;
	return 0;
}

/* Return NULL without memory. */
static struct merge_entry *find_place(struct merge_seen *seen,
				      const struct merge_key *key)
{
	if (seen->nr * 2 >= seen->size && rebuild(seen, seen->nr * 2, 0))
		return NULL;
	return find(seen, key);
}

int merge_seen_add(struct merge_seen *seen, const struct merge_key *key, __u64 time)
{
	struct merge_entry *entry = find_place(seen, key);

	if (!entry)
		return -ENOMEM;
	if (entry->used)
		return 1;
	*entry = (struct merge_entry){ .key = *key, .time = time, .used = true };
	seen->nr++;
	return 0;
}

int merge_seen_set(struct merge_seen *seen, const struct merge_key *key, __u64 value)
{
	const int rc = merge_seen_add(seen, key, value);

	if (rc > 0)
		find(seen, key)->time = value;
	return rc < 0 ? rc : 0;
}

__u64 merge_seen_get(const struct merge_seen *seen, const struct merge_key *key)
{
	const struct merge_entry *entry = seen->size ? find(seen, key) : NULL;

	return entry && entry->used ? entry->time : 0;
}

int merge_seen_forget(struct merge_seen *seen, __u64 before)
{
	size_t i, stay = 0;

	for (i = 0; i < seen->size; i++)
		stay += seen->slots[i].used && seen->slots[i].time >= before;
	return stay < seen->nr ? rebuild(seen, stay, before) : 0;
}

void merge_seen_free(struct merge_seen *seen)
{
	free(seen->slots);
	*seen = (struct merge_seen){ .slots = NULL };
}
