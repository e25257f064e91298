// SPDX-License-Identifier: GPL-2.0-only
/*
 * raw_rate: measure how fast a BPF program can write payloads. The program writes on one CPU
 * as fast as possible, and a thread on another CPU reads all bytes. There are three ways, with
 * the same amount of memory:
 *   perf       a perf event's main ring (bpf_perf_event_output())
 *   perfaux    the same event, with its raw data in a raw ring
 *   ringbuf    BPF's own ring (bpf_ringbuf_output())
 * The program prints for each size and way how many payloads per second were written, and how
 * many of them were lost: medians of ROUNDS, in which the ways take turns. It then prints the
 * cost of a sample of an event that is not attached, while another event is attached.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../ring/lib/raw_bpf.h"
#include "ring/raw_frames.h"

#define ROUNDS		5
#define MIB		(1U << 20)
#define MEMORY		(16 * MIB)	/* for each way */
#define MAIN_BESIDE	(2 * MIB)	/* part of MEMORY: the main ring beside a raw ring */
#define SEGMENT		(2 * MIB)
#define PAGE		4096

enum way { PERF, PERFAUX, RINGBUF, NR_WAYS };

static const char * const way_names[] = { "perf", "perfaux", "ringbuf" };

static const struct {
	uint32_t size;
	unsigned int times;	/* payloads for each hit of the tracepoint */
	unsigned int hits;
} loads[] = {
	{ 64, 8, 40000 },
	{ 4096, 8, 20000 },
	{ 32768, 4, 5000 },
	{ MIB, 1, 600 },
};

struct result {
	double rate;		/* payloads written per second */
	double lost;		/* percentage of payloads that were lost */
};

struct bench {
	enum way way;
	struct raw_bpf bpf;
	struct raw_event ev;
	struct raw_event tracepoint;
	struct ring ring;
	struct rawring raw;	/* for frames.c */
	struct frames frames;
	/* for a ringbuf */
	unsigned long *consumer;
	const unsigned long *producer;
	const uint8_t *data;

	uint8_t *to;		/* the reader copies payloads here */
	uint64_t got;
	volatile bool stop;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "raw_rate: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void must(const char *what, int err)
{
	if (err)
		die(what, err);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void take(void *ctx, const struct raw_sample *sample)
{
	struct bench *b = ctx;
	struct perfaux_reference ref;
	const struct perfaux_frame *frame;

	if (b->way == PERF) {
		memcpy(b->to, sample->raw, sample->raw_size);
		b->got++;
		return;
	}
	if (!frames_reference(&b->frames, sample->raw, sample->raw_size, &ref) ||
	    ref.cause)
		return;
	frame = frames_join(&b->frames, &ref);
	if (!frame)
		die("a reference leads nowhere", -EBADMSG);
	memcpy(b->to, frame->data, frame->length);
	b->got++;
}

static int ignore(void *ctx, const struct perfaux_frame *frame, bool lost)
{
	(void)ctx;
	(void)frame;
	(void)lost;
	return 0;
}

/* BUSY and DISCARD are bits 31 and 30, see kernel/bpf/ringbuf.c. */
static void read_ringbuf(struct bench *b)
{
	const unsigned long head = __atomic_load_n(b->producer,
						   __ATOMIC_ACQUIRE);
	unsigned long at = *b->consumer;

	while (at < head) {
		const uint32_t *rec = (const void *)(b->data +
						     (at & (MEMORY - 1)));
		uint32_t len = __atomic_load_n(rec, __ATOMIC_ACQUIRE);

		if (len & 1U << 31)
			break;
		memcpy(b->to, rec + 2, len);
		b->got++;
		at += (len + 8 + 7) & ~7UL;
		__atomic_store_n(b->consumer, at, __ATOMIC_RELEASE);
	}
}

static void read_once(struct bench *b)
{
	if (b->way == RINGBUF) {
		read_ringbuf(b);
		return;
	}
	must("reading", raw_read(&b->ev, take, b));
	if (b->way == PERF)
		return;
	must("reading frames", frames_walk(&b->frames, ignore, NULL));
	frames_release(&b->frames);
}

static void *reader(void *ctx)
{
	struct bench *b = ctx;

	pin_to(1);
	while (!b->stop)
		read_once(b);
	return NULL;
}

static void open_raw_ring(struct bench *b)
{
	struct perfaux_create create;

	ring_params(&create, SEGMENT, (MEMORY - MAIN_BESIDE) / SEGMENT);
	must("raw ring", ring_open(&b->ring, &create));
	must("attaching", raw_attach(&b->ring, b->ev.fd, 0));
	b->raw = (struct rawring){
		.ctl = b->ring.ctl, .segments = b->ring.segments,
		.marks = (void *)b->ring.marks, .data = b->ring.data,
	};
	must("frames", frames_init(&b->frames, &b->raw));
}

static void open_ringbuf(struct bench *b)
{
	const int fd = b->bpf.ringbuf;
	uint8_t *p;

	b->consumer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
	p = mmap(NULL, PAGE + 2 * MEMORY, PROT_READ, MAP_SHARED, fd, PAGE);
	if (b->consumer == MAP_FAILED || p == MAP_FAILED)
		die("mapping the ring buffer", -errno);
	b->producer = (const void *)p;
	b->data = p + PAGE;
}

static void setup(struct bench *b, uint32_t size, unsigned int times)
{
	const struct perf_event_attr output = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
	};
	const struct perf_event_attr rename = raw_rename_attr();

	must("program", raw_bpf_load_many(&b->bpf, size, times,
					  b->way == RINGBUF ? MEMORY : 0));
	if (b->way == RINGBUF) {
		open_ringbuf(b);
	} else {
		must("event", raw_open(&b->ev, &output, -1, 0,
				       b->way == PERF ? MEMORY : MAIN_BESIDE));
		if (b->way == PERFAUX)
			open_raw_ring(b);
		must("event", raw_bpf_event(&b->bpf, 0, b->ev.fd));
		must("event", event_enable(b->ev.fd));
	}
	must("tracepoint", raw_open(&b->tracepoint, &rename, 0, -1, 0));
	must("tracepoint", raw_bpf_run_at(&b->bpf, b->tracepoint.fd));
}

static void teardown(struct bench *b)
{
	raw_close(&b->tracepoint);
	if (b->way == RINGBUF) {
		munmap(b->consumer, PAGE);
		munmap((void *)b->producer, PAGE + 2 * MEMORY);
	} else {
		raw_close(&b->ev);
	}
	if (b->way == PERFAUX) {
		frames_free(&b->frames);
		ring_close(&b->ring);
	}
	raw_bpf_close(&b->bpf);
}

static struct result run(enum way which, uint32_t size, unsigned int times,
			 unsigned int hits)
{
	struct bench b = { .way = which, .to = malloc(2 * MIB) };
	const double all = (double)hits * times;
	struct result r;
	pthread_t thread;
	unsigned int i;

	setup(&b, size, times);
	pthread_create(&thread, NULL, reader, &b);
	r.rate = seconds();
	for (i = 0; i < hits; i++)
		prctl(PR_SET_NAME, i & 1 ? "even" : "odd");
	r.rate = all / (seconds() - r.rate);
	b.stop = true;
	pthread_join(thread, NULL);
	/* Read the payloads that are still in the ring. */
	if (which == PERFAUX)
		ring_flush(&b.ring, 0);
	read_once(&b);
	r.lost = 100.0 * (all - b.got) / all;
	teardown(&b);
	free(b.to);
	return r;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), by_value);
	return values[ROUNDS / 2];
}

static void load(size_t l)
{
	double rate[NR_WAYS][ROUNDS], lost[NR_WAYS][ROUNDS], base;
	int i, w;

	for (i = 0; i < ROUNDS; i++) {
		for (w = 0; w < NR_WAYS; w++) {
			struct result r = { };

			/* perf's records are smaller than 64 KiB. */
			if (w != PERF || loads[l].size < 65000)
				r = run(w, loads[l].size, loads[l].times,
					loads[l].hits);
			rate[w][i] = r.rate;
			lost[w][i] = r.lost;
		}
	}
	base = median(rate[PERF]);
	if (!base)
		base = median(rate[RINGBUF]);
	for (w = 0; w < NR_WAYS; w++) {
		const double r = median(rate[w]), p = median(lost[w]);

		if (!r)
			printf("%8u  %-8s  not possible\n", loads[l].size,
			       way_names[w]);
		else
			printf("%8u  %-8s  %9.0f/s (%4.2f)  %5.1f %% lost (%.1f to %.1f)  %7.1f MiB/s kept\n",
			       loads[l].size, way_names[w], r, r / base, p,
			       lost[w][0], lost[w][ROUNDS - 1],
			       r * (100 - p) / 100 * loads[l].size / MIB);
	}
	fflush(stdout);
}

/* Return the time in ns of a prctl() that causes a tracepoint's sample, which is not read. */
static double sample_cost(const struct raw_event *ev)
{
	const unsigned int n = 100000;
	double t = seconds();
	unsigned int i;

	for (i = 0; i < n; i++) {
		prctl(PR_SET_NAME, i & 1 ? "even" : "odd");
		if (i % 1024 == 0)
			ev->page->data_tail = ev->page->data_head;
	}
	return (seconds() - t) / n * 1e9;
}

static void unattached(void)
{
	const struct perf_event_attr attr = raw_rename_attr();
	double none[ROUNDS], on[ROUNDS], itself[ROUNDS], base;
	struct raw_event ev, other;
	struct perfaux_create create;
	struct ring ring;
	int i;

	ring_params(&create, SEGMENT, 4);
	create.flags = PERFAUX_RING_OVERWRITE;
	must("raw ring", ring_open(&ring, &create));
	must("event", raw_open(&ev, &attr, 0, -1, MIB));
	must("event", raw_open(&other, &attr, 0, -1, 0));
	must("event", event_enable(ev.fd));
	for (i = 0; i < ROUNDS; i++) {
		none[i] = sample_cost(&ev);
		must("attaching", raw_attach(&ring, other.fd, 0));
		on[i] = sample_cost(&ev);
		must("attaching", raw_attach(&ring, ev.fd, 0));
		itself[i] = sample_cost(&ev);
		must("detaching", ring_detach(&ring, ev.fd));
		must("detaching", ring_detach(&ring, other.fd));
	}
	base = median(none);
	printf("prctl() with a sample: %.0f ns without hooks; not attached, hooks on: %.2f; attached: %.2f of that\n",
	       base, median(on) / base, median(itself) / base);
	raw_close(&other);
	raw_close(&ev);
	ring_close(&ring);
}

int main(void)
{
	size_t l;

	pin_to(0);
	for (l = 0; l < ARRAY_SIZE(loads); l++)
		load(l);
	unattached();
	return 0;
}
