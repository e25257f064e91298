/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of functions (NAMES and COUNTS in format.h).
 */
#ifndef VIEW_PAGE_NAMES_H
#define VIEW_PAGE_NAMES_H

#include "base/hash_map.h"
#include "view/page/chunk.h"
#include "view/timeline/timeline.h"

#define NAMES_COLUMNS	3

struct names {
	struct chunks	chunks;
	struct chunks	counts;		/* one chunk */
	struct buf	column[NAMES_COLUMNS];
	__u32		nr_all;
	__u32		nr;		/* in this chunk */
	__u64		*count;		/* by name: calls, and boxes of samples */
	char		**object;
	__u32		nr_objects;
	struct read_map	by_object;
};

/* All return 0 or -errno. */
int names_add(struct names *n, struct spill *s, const struct tl_name *desc);
int names_end(struct names *n, struct spill *s);
void names_free(struct names *n);

#endif
