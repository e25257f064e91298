/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What time it is on perf's own clock, which no system call tells.
 */
#ifndef AUXREC_PERF_CLOCK_H
#define AUXREC_PERF_CLOCK_H

#include "ring/mainring.h"

struct perf_clock {
	struct mainring ring;
	__u64 offset;		/* to CLOCK_MONOTONIC, as of the last look */
	__u64 looked;		/* that was, CLOCK_MONOTONIC */
};

/* Returns 0 or -errno: then all the others do nothing. */
int perf_clock_open(struct perf_clock *c);
void perf_clock_close(struct perf_clock *c);

/*
 * perf_clock_now() - looks, and returns ns
 *
 * Costs two system calls, and a COMM record of this thread in each recording of it.
 */
__u64 perf_clock_now(struct perf_clock *c);

/*
 * About the same, from CLOCK_MONOTONIC, which NTP keeps in step and perf's clock not: they
 * part by some ppm, and after weeks by minutes. So it looks again every ten seconds.
 */
__u64 perf_clock_about(struct perf_clock *c);

#endif /* AUXREC_PERF_CLOCK_H */
