/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time line: what a recording shows, as sources give it to an output.
 *
 * A source (decoded calls, samples, records of the stream) calls the functions of an output
 * (a page, a trace of Perfetto, folded stacks, JSON). Sources do not know which output it is,
 * and outputs do not know where a call was found.
 *
 * Rules for sources:
 *	A lane or a name is told once, before its first use. Lanes have the numbers 0, 1, 2 ...,
 *	and so have names.
 *	Times do not decrease within a lane. The time of a mark is its begin or its end.
 *	leave() ends the newest call of its lane that has not ended. There is no leave() without
 *	an enter(), so an output can keep a stack. Calls that are open at the end last until the
 *	last time of their lane.
 *	Strings and arrays are valid only during the call.
 *
 * All functions return 0 or -errno. After an error only free() is called.
 * Times are in ns, of the clock of the recording.
 */
#ifndef VIEW_TIMELINE_H
#define VIEW_TIMELINE_H

#include <linux/types.h>
#include <stddef.h>

enum tl_lane_kind {
	TL_LANE_THREAD,		/* pid, tid and name are set */
	TL_LANE_CPU,		/* cpu is set: things of a CPU whose thread is not known */
	TL_LANE_RECORDING,	/* things of the recording as a whole */
};

#define TL_NOBODY	(~0U)	/* no pid, no tid, no CPU */

struct tl_lane {
	enum tl_lane_kind kind;
	__u32		pid;
	__u32		tid;
	__u32		cpu;
	const char	*name;		/* comm of the thread, or a title */
};

struct tl_name {
	const char	*function;	/* demangled, or "[unknown]" */
	const char	*object;	/* path as recorded, or "[kernel]", or "" */
	__u64		address;	/* of the function, in the object; 0: not known */
};

/* enter(): the call began earlier, and the recording does not have its begin. */
#define TL_BEGAN_EARLIER	1
/* leave(): the call goes on, but the recording does not: a gap, an error, or the end. */
#define TL_CUT			2

enum tl_mark_kind {
	TL_MARK_GAP,		/* AUX data is missing: text is the cause */
	TL_MARK_LOST,		/* records of a main ring are missing */
	TL_MARK_ERROR,		/* AUX data cannot be decoded here: text says why */
	TL_MARK_TRIGGER,	/* a trigger of a flight recorder */
	TL_MARK_START,		/* a task begins */
	TL_MARK_COMM,		/* a task has a new name: text */
	TL_MARK_EXIT,		/* a task ends */
	TL_MARK_RUNS,		/* the thread runs on CPU value for the duration */
	TL_MARK_SAMPLE,		/* a sample of an event without a stack: text is the event */
	TL_MARK_RAW,		/* a raw record: text is the event, value its size in bytes */
};

struct tl_mark {
	enum tl_mark_kind kind;
	__u64		begin;
	__u64		end;		/* the same as begin: an instant */
	__u64		value;		/* missing bytes or records, or see enum tl_mark_kind */
	const char	*text;
};

/* A count over time. Between two points the value is that of the first one. */
struct tl_point {
	__u64		time;
	double		value;
	const char	*what;		/* "AUX bytes", an event's name ...; few different ones */
};

struct timeline;

struct timeline_ops {
	int (*lane)(struct timeline *t, __u32 lane, const struct tl_lane *desc);
	int (*name)(struct timeline *t, __u32 name, const struct tl_name *desc);
	/* A call of function @name begins. */
	int (*enter)(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags);
	int (*leave)(struct timeline *t, __u32 lane, __u64 time, unsigned int flags);
	/* The stack of a sample: @nr names, the outermost one first. @weight: its period. */
	int (*stack)(struct timeline *t, __u32 lane, __u64 time, const __u32 *names,
		     unsigned int nr, __u64 weight);
	int (*mark)(struct timeline *t, __u32 lane, const struct tl_mark *mark);
	int (*point)(struct timeline *t, __u32 lane, const struct tl_point *point);
	/* Nothing follows: complete the output. */
	int (*end)(struct timeline *t);
	void (*free)(struct timeline *t);
};

/* An output. The struct of each output begins with this one. */
struct timeline {
	const struct timeline_ops *ops;
	const char	*title;		/* of the recording: its file's name */
};

#endif
