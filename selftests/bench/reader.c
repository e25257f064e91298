// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader: count the instructions of what a reader calls, in rings that nobody writes to at the
 * moment.
 */
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "bench_lib.h"

#define CALLS	200

static const unsigned int sizes[] = { 2, 64, 256, 4096 };

static void call_poll(void *ctx)
{
	bench_must("poll", ring_poll(ctx, 0));
}

static void call_flush(void *ctx)
{
	bench_must("FLUSH", ring_flush(ctx, 0));
}

static void call_hold(void *ctx)
{
	bench_must("HOLD", ring_hold(ctx, 0, 1));
	bench_must("UNHOLD", ring_unhold_all(ctx));
}

static void call_hold_spans(void *ctx)
{
	bench_must("HOLD", ring_hold(ctx, PERFAUX_FLUSH_SPANS, 1));
	bench_must("UNHOLD", ring_unhold_all(ctx));
}

/* The first call takes all segments, and is not the cheapest one. */
static void call_hold_again(void *ctx)
{
	bench_must("HOLD", ring_hold(ctx, 0, 0));
}

/* Open a ring in which half of the segments are READY. */
static int open_filled(struct ring *ring, unsigned int nr, unsigned int flags)
{
	struct perfaux_create create;
	int event = bench_event(1);
	unsigned int i;

	ring_params(&create, 4096, nr);
	create.spans_per_segment = 1;
	create.watermark = nr;
	create.flags = flags;
	bench_must("ring", ring_open(ring, &create));
	bench_must("attach", ring_attach(ring, event, 1));
	for (i = 0; i < nr / 2; i++)
		bench_pair(&event);
	return event;
}

static void measure(const char *what, void (*fn)(void *ctx), unsigned int nr, unsigned int flags)
{
	struct ring ring;
	int event = open_filled(&ring, nr, flags);

	bench_row(what, nr, bench_each(fn, &ring, CALLS), 0);
	close(event);
	ring_close(&ring);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure("poll() below the watermark, segments", call_poll, sizes[i], 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure("FLUSH, segments", call_flush, sizes[i], 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure("HOLD of one segment and UNHOLD, segments", call_hold, sizes[i],
			PERFAUX_RING_OVERWRITE);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure("HOLD of one segment with spans, UNHOLD, segments", call_hold_spans,
			sizes[i], PERFAUX_RING_OVERWRITE);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		measure("HOLD that finds nothing more, segments", call_hold_again, sizes[i],
			PERFAUX_RING_OVERWRITE);
	return 0;
}
