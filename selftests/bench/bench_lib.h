/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the programs that count instructions (vm/run --icount): one nanosecond of the guest's
 * CLOCK_MONOTONIC is one instruction.
 */
#ifndef BENCH_LIB_H
#define BENCH_LIB_H

#include <stdint.h>

/* Print a message and exit, unless @err is 0 or more. Returns @err. */
int bench_must(const char *what, int err);

struct bench {
	void (*call)(void *ctx);
	void (*prepare)(void *ctx);	/* called before each round, and not counted; or NULL */
	void *ctx;
	unsigned int calls;		/* of a round, at most; fewer if they take long */
	unsigned int called;		/* out: all calls */
};

/*
 * Wait until the machine is idle. Then make rounds of calls. Return the instructions of a call,
 * as the mean of the cheapest round: interrupts and the kernel's threads disturb some rounds.
 */
double bench_run(struct bench *b);
/* The same for @n calls in all, with nothing to prepare. */
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

/* Return a disabled event of auxgen. It writes @chunks chunks when it starts and when it stops. */
int bench_event(unsigned int chunks);

#endif /* BENCH_LIB_H */
