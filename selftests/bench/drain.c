// SPDX-License-Identifier: GPL-2.0-only
/*
 * drain: count the instructions that auxrec needs to take data from the ring and to write it to a
 * file in memory. The functions are those of auxrec, the ring and its data are real, and the event
 * is one of auxgen. The file's pages exist before the measurement begins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../modules/auxgen.h"
#include "bench_lib.h"
#include "record/auxdata.h"
#include "session/session.h"

#define MIB	(1U << 20)

/* What auxrec finds in the ring in one pass */
struct load {
	unsigned int chunks;	/* a span has twice as many */
	unsigned int spans;
	unsigned int segment_size;
	unsigned int segments;
};

struct world {
	const struct load *load;
	struct session session;
	struct sev sev;
	struct opened opened;
	struct options options;
	int event;
	__u64 spans;		/* that were written to the ring */
};

/* Let the event write its spans, and begin the file again. */
static void fill(void *ctx)
{
	struct world *w = ctx;
	unsigned int i;

	for (i = 0; i < w->load->spans; i++)
		bench_pair(&w->event);
	w->spans += i;
	if (lseek(w->session.out.fd, 0, SEEK_SET))
		bench_must("lseek", -errno);
}

static void pass(void *ctx)
{
	struct world *w = ctx;

	bench_must("writing the stream", auxdata_pass(&w->session, false));
}

static void open_world(struct world *w)
{
	int file = memfd_create("drain", MFD_CLOEXEC);
	struct diag d = { };

	bench_must("file in memory", file < 0 ? -errno : 0);
	w->event = bench_event(w->load->chunks);
	w->opened = (struct opened){ .fd = w->event, .cpu = -1, .id = 1 };
	w->sev = (struct sev){ .aux = AUX_CHUNKS, .fds = &w->opened, .nr_fds = 1 };
	w->session.opt = &w->options;
	w->session.sev = &w->sev;
	w->session.nr_sev = 1;
	bench_must("stream", stream_open_fd(&w->session.out, file, &d));
	bench_must("ring", rawring_open(&w->session.raw, 0, w->load->segment_size,
					w->load->segments, 0, &d));
	bench_must("attach", rawring_attach(&w->session.raw, w->event, 0, SESSION_COOKIE));
}

static void close_world(struct world *w)
{
	if (w->session.spans < w->spans || w->session.bad_spans ||
	    rawring_lost(&w->session.raw, PERFAUX_CAUSE_FULL))
		bench_must("not all spans were read", -ENODATA);
	bench_must("stream", stream_close(&w->session.out));
	queues_free(&w->session.queues);
	close(w->event);
	rawring_close(&w->session.raw);
}

/* Return the instructions of a pass. */
static double count(const struct load *load)
{
	static struct world w;
	struct bench b = { .call = pass, .prepare = fill, .ctx = &w, .calls = 1 };
	double n;

	memset(&w, 0, sizeof(w));
	w.load = load;
	open_world(&w);
	n = bench_run(&b);
	close_world(&w);
	return n;
}

static void look(void *ctx)
{
	rawring_scan(ctx);
}

/* The cost of a look that finds nothing new, while half of the segments are READY */
static void look_row(unsigned int segments)
{
	const struct load load = { 4096 / 2 / AUXGEN_CHUNK, segments / 2, 4096, segments };
	static struct world w;

	memset(&w, 0, sizeof(w));
	w.load = &load;
	open_world(&w);
	fill(&w);
	bench_row("auxrec looks for new spans, segments", segments,
		  bench_each(look, &w.session.raw, 200), 0);
	pass(&w);
	close_world(&w);
}

/* The cost of a span of two chunks, without what a pass takes in an idle ring of that size */
static void span_row(unsigned int segments)
{
	const struct load few = { 1, 20, 65536, segments }, many = { 1, 120, 65536, segments };

	bench_row("auxrec takes a span, segments", segments,
		  (count(&many) - count(&few)) / (many.spans - few.spans), 0);
}

/* The cost of a MiB of data, which the kernel copies to the file */
static void mib_row(unsigned int span_size)
{
	const unsigned int chunks = span_size / 2 / AUXGEN_CHUNK;
	const struct load few = { chunks, 1, 2 * MIB, 16 };
	const struct load many = { chunks, 1 + MIB / span_size, 2 * MIB, 16 };

	bench_row("auxrec takes a MiB, bytes of a span", span_size,
		  count(&many) - count(&few), 0);
}

int main(void)
{
	look_row(2);
	look_row(64);
	look_row(256);
	look_row(4096);
	span_row(4);
	span_row(64);
	span_row(4096);
	mib_row(4096);
	mib_row(65536);
	mib_row(MIB);
	return 0;
}
