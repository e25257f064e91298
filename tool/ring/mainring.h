/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main ring of one CPU: perf's own ring with sideband and samples.
 */
#ifndef AUXREC_MAINRING_H
#define AUXREC_MAINRING_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "stream/write.h"

/* Counters of records that were read from the main rings, and of losses */
struct main_stats {
	__u64 records;
	__u64 bytes;		/* of these records */
	__u64 samples;
	__u64 lost;		/* records other than samples, lost to a full ring */
	__u64 lost_samples;	/* samples lost to a full ring */
	__u64 unwritten;	/* samples that PERF_RECORD_LOST_SAMPLES reports as lost */
	__u64 throttled;
	__u64 max_time;		/* largest timestamp written so far */
};

static inline __u64 main_losses(const struct main_stats *stats)
{
	return stats->lost + stats->lost_samples + stats->unwritten;
}

struct mainring {
	int fd;			/* an event that writes to the ring, for poll() */
	int cpu;
	struct perf_event_mmap_page *page;
	__u8 *data;
	size_t size;		/* of data, a power of two */
	__u64 head;		/* as of the last mainring_snapshot() */
	__u64 tail;		/* position before the last mainring_copy() */
	bool hangup;		/* there is nothing left to poll for */
	__u64 last_time;	/* time of the last record copied, 0: none */
	/* see record/losses.c; @untold and @ahead count records */
	__u64 filled;		/* most bytes in use since the last look */
	__u64 looked;		/* now_ns() of that look */
	__u64 untold;		/* losses counted by its events, not yet reported */
	__u64 ahead;		/* losses reported before their PERF_RECORD_LOST */
};

/* Return 0 or -errno (-EPERM: more than perf_event_mlock_kb allows). */
int mainring_map(struct mainring *r, int fd, int cpu, size_t bytes);
void mainring_unmap(struct mainring *r);

/* Note how far the kernel has written. Return the number of bytes to read. */
__u64 mainring_snapshot(struct mainring *r);

/* Has the kernel written anything since the last mainring_snapshot()? */
bool mainring_has_more(const struct mainring *r);

/*
 * Pass the records up to @head to @fn, and give their room back to the kernel.
 * @ids_asked: the event that writes the map records asks for ids. Return 0, -EBADMSG, or
 * what @fn returned.
 */
typedef int (*mainring_fn)(void *ctx, const void *rec);
int mainring_copy(struct mainring *r, mainring_fn fn, void *ctx,
		  struct main_stats *stats, bool ids_asked);
/* Pass all records that the ring contains now to @fn. They stay in the ring. */
int mainring_peek(const struct mainring *r, mainring_fn fn, void *ctx, bool ids_asked);

/* Values for TIME_CONV and AUXTRACE_INFO records. Without a TSC the capabilities are false. */
struct time_conv {
	__u64 shift, mult, zero, cycles, mask;
	bool cap_zero, cap_short;
};

void mainring_time_conv(const struct mainring *r, struct time_conv *tc);

#endif /* AUXREC_MAINRING_H */
