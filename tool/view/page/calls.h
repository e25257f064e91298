/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of a lane, or the stacks of its samples: events in order of time, in chunks. Each chunk
 * begins with the open calls, so a reader needs no other chunk (CALLS in format.h).
 */
#ifndef VIEW_PAGE_CALLS_H
#define VIEW_PAGE_CALLS_H

#include <linux/types.h>
#include <stdbool.h>

#include "view/page/level.h"
#include "view/page/sums.h"

#define CALLS_COLUMNS	5

struct open_call {
	__u64	begin;
	__u32	name;
	__u32	flags;
	__u32	node;		/* in the tree of the group */
};

struct calls {
	struct chunks	chunks;		/* of events */
	struct chunks	groups;		/* of SUMS */
	struct levels	levels;
	struct sums	sums;
	struct buf	column[CALLS_COLUMNS];
	struct open_call *open;
	__u32		nr_open;
	__u32		size_open;
	__u32		depth;		/* the highest one so far */
	bool		begun;
	bool		chunk_begun;
	__u64		last;		/* time of the last event */
	__u64		chunk_begin;
	__u64		group_begin;
	__u32		nr_events;	/* of this chunk */
	__u32		most_events;
	__u32		low;
	__u32		group_chunks;
	size_t		counted;	/* bytes of this chunk in *pending */
	__u64		nr_calls;
	__u64		nr_samples;
	__u64		weight;
	size_t		*pending;
};

/*
 * All return 0 or -errno; -EINVAL if the time is before that of the last event, or if nothing is
 * open. @flags are those of the time line.
 */
int calls_enter(struct calls *c, struct spill *s, __u64 time, __u32 name, unsigned int flags);
int calls_leave(struct calls *c, struct spill *s, __u64 time, unsigned int flags);
/* The open calls are the stack of a sample. */
int calls_sample(struct calls *c, struct spill *s, __u64 time, __u64 weight);

/* Write incomplete chunks, to free memory. */
int calls_cut(struct calls *c, struct spill *s);

/* The open calls end at @time with @flags, and there are no further events. */
int calls_end(struct calls *c, struct spill *s, __u64 time, unsigned int flags);

void calls_free(struct calls *c);

#endif
