/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's own ring of one CPU: sideband and samples.
 */
#ifndef AUXREC_MAINRING_H
#define AUXREC_MAINRING_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "stream/write.h"

/* What the main rings say was lost, and how far in time they were written. */
struct main_stats {
	__u64 records;
	__u64 samples;
	__u64 lost;		/* records that are no samples: a ring was full */
	__u64 lost_samples;	/* a ring was full */
	__u64 unwritten;	/* samples, says the kernel (PERF_RECORD_LOST_SAMPLES) */
	__u64 throttled;
	__u64 max_time;		/* largest timestamp written so far */
};

static inline __u64 main_losses(const struct main_stats *stats)
{
	return stats->lost + stats->lost_samples + stats->unwritten;
}


struct mainring {
	int fd;			/* an event that writes to it, to be polled */
	int cpu;
	struct perf_event_mmap_page *page;
	__u8 *data;
	size_t size;		/* of data, a power of two */
	__u64 head;		/* as of the last mainring_snapshot() */
	__u64 tail;		/* as of before the last mainring_copy() */
	bool hangup;		/* nothing to poll for any more */
	__u64 last_time;	/* of the last record that was copied, 0: none */
	/* see losses.c; records, but for the first two */
	__u64 filled;		/* bytes that were in use at most since the last look */
	__u64 looked;		/* now_ns() of that look */
	__u64 untold;		/* counted by its events, and not told */
	__u64 ahead;		/* told, and to come in a PERF_RECORD_LOST */
};

/* Returns 0 or -errno (-EPERM: more than perf_event_mlock_kb allows). */
int mainring_map(struct mainring *r, int fd, int cpu, size_t bytes);
void mainring_unmap(struct mainring *r);

/* Remembers how far the kernel has written. Returns the bytes to read. */
__u64 mainring_snapshot(struct mainring *r);

/* Has the kernel written anything since the snapshot? */
bool mainring_has_more(const struct mainring *r);

/*
 * Hands the records up to the snapshot to @fn and gives their room back to the
 * kernel. @ids_asked: the event of the mapping records asks for build-ids. Returns 0,
 * -EBADMSG, or what @fn returned.
 */
typedef int (*mainring_fn)(void *ctx, const void *rec);
int mainring_copy(struct mainring *r, mainring_fn fn, void *ctx,
		  struct main_stats *stats, bool ids_asked);

/* For PERF_RECORD_TIME_CONV and AUXTRACE_INFO; false: no TSC. */
struct time_conv {
	__u64 shift, mult, zero, cycles, mask;
	bool cap_zero, cap_short;
};

void mainring_time_conv(const struct mainring *r, struct time_conv *tc);

#endif /* AUXREC_MAINRING_H */
