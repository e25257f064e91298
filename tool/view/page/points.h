/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The points of a lane about one thing (POINTS in format.h), with levels.
 */
#ifndef VIEW_PAGE_POINTS_H
#define VIEW_PAGE_POINTS_H

#include "view/page/level.h"

#define POINTS_COLUMNS	2

struct points {
	char		*what;
	struct chunks	chunks;
	struct levels	levels;
	struct buf	column[POINTS_COLUMNS];
	__u64		begin;		/* of this chunk */
	__u64		last;
	__u64		nr_all;
	__u32		nr;		/* in this chunk */
	double		low;		/* of all */
	double		high;
	size_t		*pending;
};

/* All return 0 or -errno; -EINVAL if the time is before that of the last point. */
int points_add(struct points *p, struct spill *s, __u64 time, double value);
int points_cut(struct points *p, struct spill *s);
int points_end(struct points *p, struct spill *s);
void points_free(struct points *p);

#endif
