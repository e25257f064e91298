/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoded AUX data, as calls in the lanes of threads and CPUs.
 */
#ifndef VIEW_TRACKS_H
#define VIEW_TRACKS_H

#include "view/source/source.h"

/* Make a track for each queue of Intel PT. Return 0 or -errno. */
int tracks_new(struct source *s, struct tracks **tracks);
void tracks_free(struct tracks *t);

/* How far a track is told */
enum tracks_how {
	TRACKS_BEFORE,		/* what is before the time */
	TRACKS_IN_KERNEL,	/* the same; the thread itself is in the kernel at this time */
	TRACKS_ALL,		/* everything, as if it were before the time */
};

/*
 * Tell the calls of a thread, and those of a CPU. Either can be TL_NOBODY. Return 0 or -errno.
 */
int tracks_advance(struct source *s, __u32 tid, __u32 cpu, __u64 time, enum tracks_how how);

/* The same for all tracks */
int tracks_finish(struct source *s);

/*
 * For tests: go through the flow of a queue, without a time line. Return its next element, which
 * is valid until the next call, or NULL.
 */
const struct flow *tracks_flow(struct source *s, size_t queue);

/* A CPU runs another thread from now on. NULL: not known */
void tracks_switch(struct source *s, __u32 cpu, struct thread *thread);

#endif /* VIEW_TRACKS_H */
