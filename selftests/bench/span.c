// SPDX-License-Identifier: GPL-2.0-only
/*
 * span [refused]: count the instructions of a span, from the start to the stop of an auxgen event
 * that writes two chunks. The ioctl calls that start and stop the event are subtracted.
 * "refused" prints the number for an event that has no ring at all.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../ring/lib/kernel_ring.h"
#include "bench_lib.h"

#define SPANS		1000
#define AUX_SIZE	(1UL << 20)

static const unsigned int sizes[] = { 2, 64, 256, 4096 };

static double base;

static double span_of(int event)
{
	int fd = event;

	return bench_each(bench_pair, &fd, SPANS) - base;
}

/* The kernel's own AUX area and PERF_RECORD_AUX */
static double kernels_own(void)
{
	struct kernel_ring k;
	int event = bench_event(1);
	struct bench b = { .call = bench_pair, .ctx = &event, .calls = SPANS / 10 };
	double own;

	bench_must("AUX area", kernel_ring_map(&k, event, AUX_SIZE));
	own = bench_run(&b) - base;
	/* Each span has two chunks. A task switch ends a span, too. */
	if (kernel_ring_head(&k) < b.called * 2UL * AUXGEN_CHUNK)
		bench_must("the kernel's AUX area lost data", -ENOSPC);
	kernel_ring_unmap(&k);
	close(event);
	return own;
}

/* An event that has neither an AUX area nor a ring, so that begin refuses it */
static double refused(void)
{
	int event = bench_event(1);
	double own = span_of(event);

	close(event);
	return own;
}

static int open_ring(struct ring *ring, unsigned int nr, unsigned int size, unsigned int spans,
		     unsigned int flags)
{
	struct perfaux_create create;
	int event = bench_event(1);

	ring_params(&create, size, nr);
	create.spans_per_segment = spans;
	create.flags = flags;
	bench_must("ring", ring_open(ring, &create));
	bench_must("attach", ring_attach(ring, event, 1));
	return event;
}

static void close_ring(struct ring *ring, int event)
{
	close(event);
	ring_close(ring);
}

/* Spans that find room in the segment of the previous span */
static double with_room(unsigned int nr)
{
	/* In all 1 to 64 MiB; a segment takes 127 spans at least. */
	unsigned int size = nr < 64 ? 512 << 10 : 16 << 10;
	struct ring ring;
	int event = open_ring(&ring, nr, size, 4096, 0);
	double ours = span_of(event);

	if (ring_lost(&ring, PERFAUX_CAUSE_FULL))
		bench_must("the ring lost data", -ENOSPC);
	close_ring(&ring, event);
	return ours;
}

/* Each span claims a segment, in a ring that has had losses of @cause already. */
static double claiming(unsigned int nr, unsigned int flags, enum perfaux_cause cause)
{
	struct ring ring;
	int event = open_ring(&ring, nr, 4096, 1, flags);
	double ours;

	while (!ring_lost(&ring, cause))
		bench_pair(&event);
	ours = span_of(event);
	close_ring(&ring, event);
	return ours;
}

int main(int argc, char **argv)
{
	unsigned int i;
	double own;

	base = bench_base();
	if (argc == 2 && !strcmp(argv[1], "refused")) {
		printf("%.0f\n", refused());
		return 0;
	}
	own = kernels_own();
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row("span, segments", sizes[i], with_room(sizes[i]), own);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row("span that finds the ring full, segments", sizes[i],
			  claiming(sizes[i], 0, PERFAUX_CAUSE_FULL), 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row("span that overwrites a segment, segments", sizes[i],
			  claiming(sizes[i], PERFAUX_RING_OVERWRITE, PERFAUX_CAUSE_OVERWRITTEN), 0);
	return 0;
}
