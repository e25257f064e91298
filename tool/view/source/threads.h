/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads and CPUs of a recording, and their lanes in the time line.
 */
#ifndef VIEW_THREADS_H
#define VIEW_THREADS_H

#include "base/hash_map.h"
#include "view/stack/stack.h"

struct threads_lane {
	struct tl_lane desc;
	__u32	number;		/* NO_LANE: the time line does not know the lane yet */
	struct stack stack;	/* stack.time is the last time of the lane */
};

#define NO_LANE		(~0U)

struct thread {
	struct threads_lane lane;	/* desc.pid, desc.tid */
	char	comm[16];	/* the last one */
	bool	runs;		/* while the stream is scanned: the last switch was to it */
	__u64	run;		/* the number of this time on a CPU in struct ends */
};

struct threads {
	struct names *names;
	struct thread **list;
	size_t	nr;
	struct read_map by_tid;
	struct threads_lane **cpus;
	size_t	nr_cpus;
	struct read_map by_cpu;
	struct threads_lane recording;
	__u32	nr_lanes;
};

void threads_init(struct threads *t, struct names *names);
void threads_free(struct threads *t);

/* Return a thread, and make it if it is not known. Return NULL if there is no memory. */
struct thread *threads_get(struct threads *t, __u32 pid, __u32 tid);
struct thread *threads_find(const struct threads *t, __u32 tid);

/* Return the lane of a CPU, or NULL if there is no memory. */
struct threads_lane *threads_cpu(struct threads *t, __u32 cpu);

/* Tell the time line of a lane, unless it knows the lane. Return 0 or -errno. */
int threads_tell(struct threads *t, struct threads_lane *lane);

int threads_mark(struct threads *t, struct threads_lane *lane, const struct tl_mark *mark);

#endif /* VIEW_THREADS_H */
