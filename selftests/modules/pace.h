/* SPDX-License-Identifier: GPL-2.0-only */
/* The pace of a generator's timer, which leaves time for other work. */
#ifndef PACE_H
#define PACE_H

#include <linux/ktime.h>
#include <linux/minmax.h>

/*
 * A virtual CPU can stand still in a handler for seconds. The timer must not wait for minutes
 * then.
 */
#define PACE_MAX	(100 * NSEC_PER_MSEC)

/*
 * A timer that fires each @period, on a CPU with @nr such timers, has been in its handler since
 * @begin. Each time it also makes another CPU work for @other, or 0. Return when it fires again:
 * after at least @period, so that every CPU has half of its time for other work. If a busy host
 * makes a virtual CPU slow, the timers would otherwise take all of its time, and the kernel would
 * report a stall.
 */
static inline ktime_t paced(ktime_t begin, ktime_t period, ktime_t other, unsigned int nr)
{
	const ktime_t now = ktime_get();

	return now + max_t(s64, period, min_t(s64, 2 * nr * (now - begin + other), PACE_MAX));
}

#endif
