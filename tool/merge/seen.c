// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of what was written already, for data that is recognized by its
 * content.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "merge/parts.h"

struct merge_entry {
	struct merge_key key;
	__u64 time;
};

static bool same_key(const void *list, __u32 i, const void *key)
{
	return !memcmp(&((const struct merge_entry *)list)[i].key, key, sizeof(struct merge_key));
}

/* Return the entry of @key, or NULL. In that case, *@hash is the key for the index. */
static struct merge_entry *find(const struct merge_seen *seen, const struct merge_key *key,
				__u64 *hash)
{
	__u32 i;

	*hash = hash_bytes(0, key, sizeof(*key));
	return read_map_find(&seen->index, hash, same_key, seen->list, key, &i) ?
	       &seen->list[i] : NULL;
}

int merge_seen_add(struct merge_seen *seen, const struct merge_key *key, __u64 time)
{
	__u64 hash;

	if (find(seen, key, &hash))
		return 1;
	if (seen->nr == UINT32_MAX || grow((void **)&seen->list, seen->nr, sizeof(*seen->list)) ||
	    read_map_set(&seen->index, hash, seen->nr))
		return -ENOMEM;
	seen->list[seen->nr++] = (struct merge_entry){ .key = *key, .time = time };
	return 0;
}

int merge_seen_set(struct merge_seen *seen, const struct merge_key *key, __u64 value)
{
	__u64 hash;
	struct merge_entry *entry = find(seen, key, &hash);

	if (!entry)
		return merge_seen_add(seen, key, value);
	entry->time = value;
	return 0;
}

__u64 merge_seen_get(const struct merge_seen *seen, const struct merge_key *key)
{
	__u64 hash;
	const struct merge_entry *entry = find(seen, key, &hash);

	return entry ? entry->time : 0;
}

int merge_seen_forget(struct merge_seen *seen, __u64 before)
{
	struct merge_seen to = { .nr = 0 };
	size_t i, stay = 0;
	int rc = 0;

	for (i = 0; i < seen->nr; i++)
		stay += seen->list[i].time >= before;
	if (stay == seen->nr)
		return 0;
	for (i = 0; i < seen->nr && !rc; i++)
		if (seen->list[i].time >= before)
			rc = merge_seen_add(&to, &seen->list[i].key, seen->list[i].time);
	if (rc) {
		merge_seen_free(&to);
		return rc;
	}
	merge_seen_free(seen);
	*seen = to;
	return 0;
}

void merge_seen_free(struct merge_seen *seen)
{
	free(seen->list);
	read_map_free(&seen->index);
	*seen = (struct merge_seen){ .list = NULL };
}
