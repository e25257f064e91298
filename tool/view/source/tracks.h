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

/* Which part of a track to tell */
enum tracks_how {
	TRACKS_BEFORE,		/* the part before the time */
	/*
	 * The thread is in the kernel at the time. If only user space is traced, tell everything up
	 * to where tracing ended: the thread has executed that before the time, even if the
	 * estimated times are later.
	 */
	TRACKS_IN_KERNEL,
	TRACKS_ALL,		/* all of it; later times become the time */
};

/*
 * Tell the calls of a thread, and those of a CPU. @tid and @cpu can be TL_NOBODY. Return 0 or
 * -errno.
 */
int tracks_advance(struct source *s, __u32 tid, __u32 cpu, __u64 time, enum tracks_how how);

/* Tell the rest of all tracks. Return 0 or -errno. */
int tracks_finish(struct source *s);

/*
 * For tests: go through the flow of a queue, without a time line. Return its next element, which
 * is valid until the next call, or NULL.
 */
const struct flow *tracks_flow(struct source *s, size_t queue);

/* From now on, a CPU runs @thread; NULL: it is not known which one. */
void tracks_switch(struct source *s, __u32 cpu, struct thread *thread);

#endif /* VIEW_TRACKS_H */
