/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of segments of a raw ring: a bit for each segment.
 */
#ifndef AUXREC_SEGMENT_SET_H
#define AUXREC_SEGMENT_SET_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT_WORD	64	/* bits */

struct segment_set {
	__u64 *words;
	__u32 nr;		/* of segments */
};

static inline __u32 segment_set_words(const struct segment_set *set)
{
	return (set->nr + SEGMENT_WORD - 1) / SEGMENT_WORD;
}

/* Make an empty set. Return 0 or -ENOMEM. */
static inline int segment_set_init(struct segment_set *set, __u32 nr)
{
	set->nr = nr;
	set->words = calloc(segment_set_words(set), sizeof(*set->words));
	return set->words ? 0 : -ENOMEM;
}

static inline void segment_set_free(struct segment_set *set)
{
	free(set->words);
	set->words = NULL;
}

static inline void segment_set_add(struct segment_set *set, __u32 i)
{
	set->words[i / SEGMENT_WORD] |= 1ULL << i % SEGMENT_WORD;
}

static inline void segment_set_add_all(struct segment_set *set)
{
	memset(set->words, 0xff, segment_set_words(set) * sizeof(*set->words));
}

static inline void segment_set_remove(struct segment_set *set, __u32 i)
{
	set->words[i / SEGMENT_WORD] &= ~(1ULL << i % SEGMENT_WORD);
}

/* Set @i to the first segment of the set from @i on. Return false if there is none. */
static inline bool segment_set_find(const struct segment_set *set, __u32 *i)
{
	while (*i < set->nr) {
		const __u64 word = set->words[*i / SEGMENT_WORD] >> *i % SEGMENT_WORD;

		if (word) {
			*i += __builtin_ctzll(word);
			return *i < set->nr;
		}
		*i += SEGMENT_WORD - *i % SEGMENT_WORD;
	}
	return false;
}

#endif /* AUXREC_SEGMENT_SET_H */
