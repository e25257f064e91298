/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flow that a worker found, with its times.
 *
 * A trace has times only here and there. The times of what is between two of them are estimated by
 * the number of instructions. Between the last instruction before a system call and the next time
 * in the trace, an unknown part passes in the kernel; there, each instruction gets as much time as
 * where it took the least.
 */
#ifndef VIEW_OUT_H
#define VIEW_OUT_H

#include <stddef.h>

#include "view/decode/flow.h"

/* From an element on, times are estimated from this one. */
struct out_time {
	size_t	first;		/* element */
	__u64	time;
	__u64	steps;		/* instructions up to the next time of the trace */
	bool	paused;		/* tracing ends before that */
};

struct out {
	struct flow *list;
	size_t	nr;
	struct out_time *times;	/* since out_begin() */
	size_t	nr_times;
	double	pace;		/* ns for an instruction, the least that was seen; 0: not known */
	int	err;		/* -ENOMEM */
};

void out_free(struct out *o);

/* A run begins at @time. */
void out_begin(struct out *o, __u64 time);

/* Add an element. out_end() sets its time. */
void out_add(struct out *o, const struct flow *f);

/* Instructions were executed. */
static inline void out_steps(struct out *o, __u64 steps)
{
	if (o->nr_times)
		o->times[o->nr_times - 1].steps += steps;
}

/* The flow has reached @time. */
void out_time(struct out *o, __u64 time);

/* The run ends: set the times of its elements. */
void out_end(struct out *o);

#endif /* VIEW_OUT_H */
