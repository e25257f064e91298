/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flow that a worker found, with its times.
 *
 * A trace has a time only now and then. The times in between are estimated: each instruction takes
 * the same part of the time from one time in the trace to the next. If tracing ends in between (at
 * a system call, if only user space is traced), an unknown part of this time has passed in the
 * kernel. The instructions before that end then take the time of an instruction where it was
 * shortest, if that is less. The same holds after the last time in the trace.
 */
#ifndef VIEW_OUT_H
#define VIEW_OUT_H

#include <stddef.h>

#include "view/decode/flow.h"

/* A time in the trace */
struct out_time {
	size_t	first;		/* the first element after it */
	__u64	time;
	__u64	steps;		/* instructions up to the next time of the trace */
	bool	paused;		/* tracing ends before the next time */
};

struct out {
	struct flow *list;
	size_t	nr;
	struct out_time *times;	/* since out_begin() */
	size_t	nr_times;
	double	pace;		/* ns of an instruction where it was shortest; 0: not known */
	int	err;		/* -errno */
};

void out_free(struct out *o);

/* Take back what was added after element @nr, as if the run had not begun. */
void out_rewind(struct out *o, size_t nr);

/* Nothing is added any more: free the memory that is not needed. */
void out_trim(struct out *o);

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
