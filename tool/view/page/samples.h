/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of samples as calls, to be drawn like calls.
 *
 * A sample stands for the time up to the next sample of its lane. If the next one is further away
 * than SAMPLES_FAR usual distances, the thread probably did not run in between: the sample then
 * stands for one usual distance. Functions that are in the same place of two stacks that follow
 * each other are drawn as one call.
 */
#ifndef VIEW_PAGE_SAMPLES_H
#define VIEW_PAGE_SAMPLES_H

#include "view/page/calls.h"

#define SAMPLES_FAR	4
/* The first distance is taken for the usual one, if it is not longer. */
#define SAMPLES_LONGEST	1000000000ULL

struct samples {
	struct calls	calls;
	bool		any;
	__u64		last;
	__u64		usual;		/* distance; 0: not known */
};

/*
 * @names: @nr of them, the outermost one first. Set @same to the number of the first of them that
 * have no new call. Return 0 or -errno.
 */
int samples_add(struct samples *m, struct spill *s, __u64 time, const __u32 *names,
		unsigned int nr, __u64 weight, unsigned int *same);

/* There are no more samples; @time is the end of the lane. Return 0 or -errno. */
int samples_end(struct samples *m, struct spill *s, __u64 time);

#endif
