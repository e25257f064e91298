/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the programs that count instructions (vm/run --icount): one nanosecond of the guest's
 * CLOCK_MONOTONIC is one instruction.
 */
#ifndef BENCH_LIB_H
#define BENCH_LIB_H

#include <stdint.h>

#include "../ring/lib/ring_lib.h"

/* Print a message and exit, unless @err is 0 or more. Returns @err. */
int bench_must(const char *what, int err);

/*
 * Wait until the machine is idle. Then call @fn with @ctx @n times, in ten rounds. Return the
 * instructions of a call, as the mean of the cheapest round.
 */
double bench_each(void (*fn)(void *ctx), void *ctx, unsigned int n);

/*
 * Print a row of the table: what is measured, the number of segments or bytes that it is measured
 * with (0: none), our instructions, and those of the kernel's own way (0: there is none).
 */
void bench_row(const char *what, unsigned int size, double ours, double own);

/* Enable and disable the event. */
void bench_pair(void *event);

/* Return what bench_pair() takes for an event that does nothing. */
double bench_base(void);

/* Return a disabled event of auxgen, which writes one chunk when it starts and when it stops. */
int bench_event(void);

#endif /* BENCH_LIB_H */
