/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read perf's own clock, whose time no system call returns.
 */
#ifndef AUXREC_PERF_CLOCK_H
#define AUXREC_PERF_CLOCK_H

#include "ring/mainring.h"

struct perf_clock {
	struct mainring ring;
	__u64 offset;		/* to CLOCK_MONOTONIC, as last measured */
	__u64 looked;		/* when it was measured, CLOCK_MONOTONIC */
};

/*
 * @use_clockid, @clockid: as in struct perf_event_attr.
 *
 * Return 0 or -errno. After an error the other functions do nothing and return 0.
 */
int perf_clock_open(struct perf_clock *c, bool use_clockid, __s32 clockid);
void perf_clock_close(struct perf_clock *c);

/*
 * perf_clock_now() - read the clock
 *
 * This needs two system calls, and writes a COMM record of this thread to each recording of
 * the thread.
 *
 * Return: ns, or 0.
 */
__u64 perf_clock_now(struct perf_clock *c);

/*
 * perf_clock_about() - compute the approximate time from CLOCK_MONOTONIC
 *
 * NTP corrects CLOCK_MONOTONIC but not perf's clock. The two may drift apart by some hundred
 * ppm, which is minutes in a week. So the offset between them is measured again every ten seconds.
 *
 * Return: ns, or 0.
 */
__u64 perf_clock_about(struct perf_clock *c);

/*
 * perf_clock_convert() - convert a time of perf's own clock
 * @to: CLOCK_*
 *
 * Return: the time of that clock, or 0 if perf's own clock cannot be read.
 */
__u64 perf_clock_convert(__u64 time, __s32 to);

#endif /* AUXREC_PERF_CLOCK_H */
