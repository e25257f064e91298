/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording as a source of a time line.
 *
 * The recording is read twice. scan.c collects what the decoder must know before it begins:
 * processes, maps, switches, and the places of AUX data. tell.c then tells the time line everything
 * in order of time. Before it tells a record, it tells the calls in the AUX data up to the record's
 * time.
 */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/code/space.h"
#include "view/decode/clock.h"
#include "view/decode/queue.h"
#include "view/source/order.h"
#include "view/source/switches.h"
#include "view/source/threads.h"
#include "view/timeline/timeline.h"

struct source_options {
	struct object_places places;
	unsigned int threads;		/* that decode, besides the caller */
	bool	only_libipt;		/* for tests: decode without a cache of the code */
	/* Print a message for the user, which ends without a newline. */
	void (*warn)(const char *text);
};

/* Intel PT, from AUXTRACE_INFO, the event and the description of the processor */
struct source_pt {
	bool	is_known;
	bool	per_cpu;	/* queues are of CPUs, and need to know what these ran */
	struct clock_conv clock;
	__u64	has_tsc;
	__u32	mtc_freq;
	__u32	tsc_ctc_n, tsc_ctc_d;
	__u32	max_nonturbo;
	bool	user_only;
	__u64	pmu_type;
	__u64	mtc_bits;
	__u32	family, model, stepping;
};

struct tracks;

struct source {
	struct source_options options;
	int	fd;			/* of a file */
	struct blocks_file lists;	/* of changes of spaces and of pieces of queues */
	struct objects objects;		/* as many as there are files */
	struct spaces spaces;
	struct view *views;		/* one for each space */
	struct names names;
	struct threads threads;
	struct queue **queues;		/* of Intel PT */
	size_t	nr_queues;
	struct read_map queue_by_key;
	struct cpus cpus;		/* if pt.per_cpu */
	struct ends ends;
	struct source_pt pt;
	struct tracks *tracks;
	__u64	last;			/* time of the last record */
	struct timeline *out;
	char	*problem;		/* why the recording is broken; NULL: it is not */
};

/* @fd: of a regular file, at its begin. Return 0 or -errno. */
int source_init(struct source *s, int fd, struct timeline *out, const struct source_options *o);

/* run.c: */
void source_free(struct source *s);
/*
 * Tell the time line everything, and end it. If the recording is broken, tell all that comes
 * before, and set source.problem. Return 0 or -errno; -EBADMSG: nothing comes before.
 */
int source_run(struct source *s);

/* scan.c: read the recording for the first time. Return 0 or -errno. */
int source_scan(struct source *s);

/* tell.c: read the recording for the second time, and tell the time line. Return 0 or -errno. */
int source_tell(struct source *s);

/* source.c: */
void source_warn(struct source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return the view of a process's space at a time; NULL: there is no such process, or no memory. */
struct view *source_view(struct source *s, __u32 pid, __u64 time);

#endif /* VIEW_SOURCE_H */
