/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of the trace as times of the recording, as perf converts them.
 */
#ifndef VIEW_CLOCK_H
#define VIEW_CLOCK_H

#include <linux/types.h>

struct clock_conv {
	__u64	shift;
	__u64	mult;
	__u64	zero;
};

/* See struct perf_event_mmap_page in linux/perf_event.h. */
static inline __u64 clock_ns(const struct clock_conv *c, __u64 tsc)
{
	const __u64 quot = tsc >> c->shift;
	const __u64 rem = tsc & ((1ULL << c->shift) - 1);

	return c->zero + quot * c->mult + ((rem * c->mult) >> c->shift);
}

#endif /* VIEW_CLOCK_H */
