// SPDX-License-Identifier: GPL-2.0-only
/* Count instructions, see bench_lib.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "bench_lib.h"

#define ROUNDS		10
/* Rounds of one call, which tell how long a call takes */
#define TRIES		3
/*
 * A round has at most this many instructions, unless one call alone has more. The timer interrupts
 * every four million instructions, so it interrupts few of such rounds.
 */
#define ROUND_MAX	400000
/* A CPU that executes at most this many instructions in 100 ms is idle. */
#define IDLE		500000

int bench_must(const char *what, int err)
{
	if (err >= 0)
		return err;
	fprintf(stderr, "bench: %s: %s\n", what, strerror(-err));
	exit(1);
}

/* Return the number of instructions that tasks have executed (rq_sched_info_depart()). */
static uint64_t executed(void)
{
	char line[512];
	uint64_t n = 0;
	FILE *f = fopen("/proc/schedstat", "r");

	while (f && !n && fgets(line, sizeof(line), f))
		sscanf(line, "cpu0 %*u %*u %*u %*u %*u %*u %lu", &n);
	if (f)
		fclose(f);
	if (!n)
		bench_must("/proc/schedstat", -EINVAL);
	return n;
}

/*
 * Wait until nothing else executes: a worker frees the rings that were closed. With --icount,
 * the time in which the CPU is idle costs nothing.
 */
static void settle(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	uint64_t before, now = executed();

	do {
		before = now;
		nanosleep(&pause, NULL);
		now = executed();
	} while (now - before > IDLE);
}

/* Return the instructions of a round. */
static uint64_t run_round(const struct bench *b, unsigned int calls)
{
	uint64_t begin;
	unsigned int i;

	if (b->prepare)
		b->prepare(b->ctx);
	begin = now_ns();
	for (i = 0; i < calls; i++)
		b->call(b->ctx);
	return now_ns() - begin;
}

/* Return the instructions of the cheapest of @rounds rounds. */
static uint64_t run_rounds(const struct bench *b, unsigned int rounds, unsigned int calls)
{
	uint64_t least = UINT64_MAX, n;

	while (rounds--) {
		n = run_round(b, calls);
		least = n < least ? n : least;
	}
	return least;
}

double bench_run(struct bench *b)
{
	const struct bench nothing = { };
	uint64_t clock, one;
	unsigned int calls;

	settle();
	/* The first call may fault pages in. */
	clock = run_rounds(&nothing, ROUNDS, 0);
	one = run_rounds(b, TRIES, 1) - clock;
	calls = b->calls < ROUND_MAX / one ? b->calls : ROUND_MAX / one;
	calls = calls ?: 1;
	b->called = TRIES + ROUNDS * calls;
	return (double)(run_rounds(b, ROUNDS, calls) - clock) / calls;
}

double bench_each(void (*fn)(void *ctx), void *ctx, unsigned int n)
{
	struct bench b = { .call = fn, .ctx = ctx, .calls = n / ROUNDS };

	return bench_run(&b);
}

void bench_row(const char *what, unsigned int size, double ours, double own)
{
	printf("row\t%s\t%u\t%.0f\t%.0f\n", what, size, ours, own);
}

void bench_pair(void *event)
{
	const int fd = *(int *)event;

	bench_must("enable", event_enable(fd));
	bench_must("disable", event_disable(fd));
}

double bench_base(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	double base;

	bench_must("dummy event", event < 0 ? -errno : 0);
	base = bench_each(bench_pair, &event, 1000);
	close(event);
	return base;
}

int bench_event(unsigned int chunks)
{
	const struct auxgen_config config = { .config = AUXGEN_F_CTX | chunks };

	return bench_must("event of auxgen", auxgen_open(&config, 0, -1, 0));
}
