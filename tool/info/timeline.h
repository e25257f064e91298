/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A time line: how much happened at which time, per thread or CPU. It is made
 * in one pass, without knowing beforehand how long the recording is: the
 * buckets become twice as wide when the time does not fit any more.
 */
#ifndef AUXREC_INFO_TIMELINE_H
#define AUXREC_INFO_TIMELINE_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/hash_map.h"

/* Enough for a wide terminal, although doubling the width can leave half of the buckets empty. */
#define TIMELINE_BUCKETS	512

/*
 * A row is large, so at most this many owners have a row of their own. All further
 * owners share one more row, TIMELINE_OTHERS.
 */
#define TIMELINE_ROWS		4096
#define TIMELINE_OTHERS		(~0ULL)

struct timeline_bucket {
	double	bytes;		/* AUX data */
	__u32	samples;
	__u32	gaps;		/* gaps that touch it */
};

struct timeline_row {
	__u64	key;		/* the owner's */
	double	bytes;
	__u64	samples;
	__u64	gaps;
	struct timeline_bucket bucket[TIMELINE_BUCKETS];
};

struct timeline {
	int	shift;		/* a bucket is 2^shift ns */
	__u64	base;		/* number of the first bucket */
	__u64	first, last;	/* times seen */
	bool	any;
	struct timeline_row **rows;
	size_t	nr;
	struct read_map by_key;
};

enum timeline_what { TIMELINE_BYTES, TIMELINE_SAMPLE, TIMELINE_GAP };

/*
 * timeline_add() - add something of owner @key between two times
 * @amount: the bytes of TIMELINE_BYTES; otherwise ignored
 *
 * Return: 0, -ENOMEM. A time of 0 means that the time is not known: nothing is
 * added.
 */
int timeline_add(struct timeline *t, __u64 key, enum timeline_what what,
		 __u64 begin, __u64 end, double amount);

/* timeline_columns() - reduce a row over the recording's time to @nr columns */
void timeline_columns(const struct timeline *t, const struct timeline_row *row,
		      struct timeline_bucket *columns, int nr);

void timeline_free(struct timeline *t);

#endif /* AUXREC_INFO_TIMELINE_H */
