/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of samples as calls, to be drawn like calls.
 *
 * A sample stands for the time up to the next sample of its lane. If that is more than SAMPLES_FAR
 * times the usual distance of samples, the thread probably did not run in between: the sample then
 * stands for the usual distance. If two stacks that follow each other begin with the same
 * functions, these functions have one call for both.
 */
#ifndef VIEW_PAGE_SAMPLES_H
#define VIEW_PAGE_SAMPLES_H

#include "view/page/calls.h"

#define SAMPLES_FAR	4
/* The first distance is the usual one, unless it is longer than this, in ns. */
#define SAMPLES_LONGEST	1000000000ULL

struct samples {
	struct calls	calls;
	bool		any;
	__u64		last;
	__u64		usual;		/* distance; 0: not known */
};

/*
 * @names: the stack, the outermost function first. Set @same to the number of outermost functions
 * whose calls go on from the previous sample. Return 0 or -errno.
 */
int samples_add(struct samples *m, struct spill *s, __u64 time, const __u32 *names,
		unsigned int nr, __u64 weight, unsigned int *same);

/* There are no more samples; @time is the end of the lane. Return 0 or -errno. */
int samples_end(struct samples *m, struct spill *s, __u64 time);

#endif
