// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold_stop PID [N]: how long the trace of a thread by Intel PT stops for a HOLD, which ends
 * its span: from the end of that to the beginning of the next one, by their own times. N
 * times (default 20), of which it prints the median and the most, in ms; beside these how
 * long the call takes, which waits for other CPUs while the trace goes on; and how many bytes
 * the trace has in a ms.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ring/ring_lib.h"

#define SEGMENT		65536
#define SEGMENTS	128
#define MOST		1000

struct call {
	uint64_t begin, end;
	uint64_t last;		/* end of the span before */
	uint64_t stop;		/* ns */
	bool found;
	uint64_t bytes, ns;	/* of all spans */
};

static void look_at(void *ctx, const struct record *record)
{
	const struct perfaux_span *span = record->span;
	struct call *c = ctx;

	if (!span)
		return;
	if (c->last >= c->begin && c->last <= c->end) {
		c->stop += span->t_begin - c->last;
		c->found = true;
	}
	c->last = span->t_end;
	c->bytes += span->length;
	c->ns += span->t_end - span->t_begin;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print(const char *what, uint64_t *ns, int nr)
{
	qsort(ns, nr, sizeof(*ns), by_size);
	printf("%s %.3f %.3f\n", what, ns[nr / 2] / 1e6, ns[nr - 1] / 1e6);
}

static void wait_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static int failed(const char *what, int error)
{
	fprintf(stderr, "hold_stop: %s: %s\n", what, strerror(-error));
	return 1;
}

int main(int argc, char **argv)
{
	static uint64_t stops[MOST], calls[MOST];
	uint64_t bytes = 0, ns = 0;
	int nr = argc > 2 ? atoi(argv[2]) : 20, found = 0, event, ret, i;
	struct perfaux_create create;
	struct ring ring;

	if (argc < 2 || nr < 1 || nr > MOST) {
		fprintf(stderr, "usage: hold_stop PID [N], N up to %d\n", MOST);
		return 2;
	}
	ring_params(&create, SEGMENT, SEGMENTS);
	create.flags = PERFAUX_RING_OVERWRITE;
	ret = ring_open(&ring, &create);
	if (ret)
		return failed("ring", ret);
	event = pt_attach(&ring, atoi(argv[1]));
	if (event < 0)
		return failed("intel_pt", event);
	for (i = 0; i < nr; i++) {
		struct call c = { .begin = 0 };

		wait_ms(50);
		c.begin = now_ns();
		ret = ring_hold(&ring, PERFAUX_FLUSH_SPANS, 0);
		c.end = now_ns();
		if (ret < 0)
			return failed("HOLD", ret);
		ring_unhold_all(&ring);
		calls[i] = c.end - c.begin;
		/* For the span behind it to have ended, too */
		wait_ms(10);
		ring_flush(&ring, PERFAUX_FLUSH_SPANS);
		ring_read_still(&ring, look_at, &c);
		if (c.found)
			stops[found++] = c.stop;
		bytes += c.bytes;
		ns += c.ns;
	}
	if (found < nr)
		fprintf(stderr, "hold_stop: %d of %d times the thread did not run\n",
			nr - found, nr);
	if (found)
		print("stop", stops, found);
	print("call", calls, nr);
	if (ns)
		printf("rate %.0f\n", bytes * 1e6 / ns);
	return found ? 0 : 1;
}
