// SPDX-License-Identifier: GPL-2.0-only
/*
 * steps: count how many instructions are executed for each instruction that softpt steps, with its
 * trap. The program steps a loop of its own, and traces it into a ring that nobody has to read.
 */
#include <errno.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "bench_lib.h"

#define LOOPS		100L	/* each of two instructions */
#define SEGMENT		(1U << 20)
#define SEGMENTS	16

struct world {
	int event;
	long loops;
};

/* bench_run() would never find the machine idle if it was stepped itself while it looks. */
static void start(void *ctx)
{
	const struct world *w = ctx;

	bench_must("event of softpt", event_enable(w->event));
}

static void loop(void *ctx)
{
	long n = ((struct world *)ctx)->loops;

	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (n));
}

static double count(int event, long loops)
{
	struct world w = { .event = event, .loops = loops };
	struct bench b = { .call = loop, .prepare = start, .ctx = &w, .calls = 1 };
	double n = bench_run(&b);

	bench_must("event of softpt", event_disable(event));
	return n;
}

int main(void)
{
	struct perfaux_create create;
	struct ring ring;
	double n;
	int event;

	bench_must("softpt", module_insert("softpt", ""));
	ring_params(&create, SEGMENT, SEGMENTS);
	bench_must("ring", ring_open(&ring, &create));
	event = bench_must("event of softpt", pt_attach(&ring, 0));
	bench_must("event of softpt", event_disable(event));
	/* The difference has no steps of bench_run(). */
	n = count(event, 2 * LOOPS) - count(event, LOOPS);
	if (ring_lost(&ring, PERFAUX_CAUSE_FULL))
		bench_must("the ring lost data", -ENOSPC);
	bench_row("step of softpt", 0, n / (2 * LOOPS), 0);
	close(event);
	ring_close(&ring);
	bench_must("softpt", module_remove_wait("softpt"));
	return 0;
}
