/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A lane: its calls, the stacks of its samples, its marks and its points.
 */
#ifndef VIEW_PAGE_LANE_H
#define VIEW_PAGE_LANE_H

#include "view/page/calls.h"
#include "view/page/marks.h"
#include "view/page/points.h"
#include "view/page/samples.h"

struct lane {
	struct tl_lane	desc;		/* its name is allocated */
	struct calls	calls;
	struct samples	samples;
	struct marks	marks;
	struct points	*points;	/* by "what" */
	__u32		nr_points;
	bool		any;
	__u64		begin;
	__u64		end;
};

/* @pending: see struct levels. Return NULL if there is no memory. */
struct lane *lane_new(const struct tl_lane *desc, size_t *pending);

/* Extend the lane's time to cover @begin to @end. */
void lane_time(struct lane *l, __u64 begin, __u64 end);

/* All return 0 or -errno. */
int lane_point(struct lane *l, struct spill *s, const struct tl_point *point);
int lane_cut(struct lane *l, struct spill *s);
int lane_end(struct lane *l, struct spill *s);

void lane_free(struct lane *l);

#endif
