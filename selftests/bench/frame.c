// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame: count the instructions of a frame in the raw ring, beside a record in BPF's ring buffer
 * and a sample in perf's main ring. Each ring has one writer. It is emptied before each round.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../ring/lib/produce_lib.h"
#include "../ring/lib/produce_prog.h"
#include "bench_lib.h"
#include "frame_prog.h"

#define PAGE		4096
#define MIB		(1U << 20)
#define MEMORY		(32 * MIB)	/* of each ring */
#define SEGMENT		(2 * MIB)
#define CALLS		100
/* Records in one ioctl of rawprod */
#define RECORDS		4
/* A record of perf has 64 KiB at most. */
#define PERF_MAX	65000

static const unsigned int sizes[] = { 64, 4096, 32768, MIB };

/* The objects of a round. Unused ones are 0. */
struct world {
	struct ring ring;
	struct raw_event ev;
	struct raw_event tracepoint;
	struct frame_prog prog;
	unsigned long *consumer;		/* of BPF's ring */
	const unsigned long *producer;
	void (*call)(void *ctx);
	uint64_t calls;
	int dev;				/* of rawprod */
	struct rawprod_run run;
};

/* Each call hits the tracepoint task:task_rename once. */
static void call_rename(void *ctx)
{
	struct world *w = ctx;

	prctl(PR_SET_NAME, "bench");
	w->calls++;
}

static void call_rawprod(void *ctx)
{
	struct world *w = ctx;

	bench_must("rawprod", rawprod_run(w->dev, &w->run));
	w->calls += w->run.count;
}

/* Empty the rings. The next record begins a segment, and the one after it is an ordinary one. */
static void prepare(void *ctx)
{
	struct world *w = ctx;

	if (w->ring.ctl) {
		bench_must("FLUSH", ring_flush(&w->ring, 0));
		bench_must("reading", raw_read_ready(&w->ring, NULL, NULL));
	}
	if (w->ev.page)
		bench_must("reading", raw_read(&w->ev, NULL, NULL));
	if (w->consumer)
		__atomic_store_n(w->consumer, __atomic_load_n(w->producer, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	w->call(w);
}

/* @size: bytes of the records of a call. A round takes a quarter of the memory at most. */
static double count(struct world *w, void (*call)(void *ctx), unsigned int size)
{
	const unsigned int most = MEMORY / 4 / size ?: 1;
	struct bench b = {
		.call = call,
		.prepare = prepare,
		.ctx = w,
		.calls = most < CALLS ? most : CALLS,
	};

	w->call = call;
	w->calls = 0;
	return bench_run(&b);
}

static void open_ring(struct world *w)
{
	struct perfaux_create create;

	ring_params(&create, SEGMENT, MEMORY / SEGMENT);
	bench_must("ring", ring_open(&w->ring, &create));
}

static void close_ring(struct world *w)
{
	bench_must("FLUSH", ring_flush(&w->ring, 0));
	if (w->ring.ctl->frames < w->calls)
		bench_must("the ring has too few frames", -ENOSPC);
	ring_close(&w->ring);
}

/* Load the program and hit its tracepoint. Return the instructions of a hit. */
static double count_prog(struct world *w)
{
	const struct perf_event_attr rename = raw_rename_attr();
	double n;

	frame_prog_load(&w->prog);
	bench_must("tracepoint", raw_open(&w->tracepoint, &rename, 0, -1, 0));
	if (ioctl(w->tracepoint.fd, PERF_EVENT_IOC_SET_BPF, w->prog.prog))
		bench_must("tracepoint", -errno);
	bench_must("tracepoint", event_enable(w->tracepoint.fd));
	n = count(w, call_rename, w->prog.size);
	raw_close(&w->tracepoint);
	frame_prog_close(&w->prog);
	return n;
}

static double without_record(void)
{
	struct world w = { .prog = { .way = FRAME_NONE, .size = 64 } };

	return count_prog(&w);
}

static double in_ring(enum frame_way way, unsigned int size)
{
	struct world w = { .prog = { .way = way, .size = size } };
	double n;

	open_ring(&w);
	bench_must("handle", ring_handle(&w.ring, &w.prog.handle));
	n = count_prog(&w);
	close_ring(&w);
	return n;
}

static double in_bpf_ring(enum frame_way way, unsigned int size)
{
	struct world w = { .prog = { .way = way, .size = size } };
	void *data;
	double n;

	w.prog.map = bench_must("BPF's ring", kfunc_map(BPF_MAP_TYPE_RINGBUF, 0, MEMORY));
	w.consumer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w.prog.map, 0);
	data = mmap(NULL, PAGE + 2 * MEMORY, PROT_READ, MAP_SHARED, w.prog.map, PAGE);
	if (w.consumer == MAP_FAILED || data == MAP_FAILED)
		bench_must("mapping BPF's ring", -errno);
	w.producer = data;
	n = count_prog(&w);
	if (*w.producer < w.calls * size)
		bench_must("BPF's ring has too few records", -ENOSPC);
	munmap(w.consumer, PAGE);
	munmap(data, PAGE + 2 * MEMORY);
	close(w.prog.map);
	return n;
}

/* bpf_perf_event_output() to an event, whose raw data goes to a ring if it is @attached */
static double in_sample(unsigned int size, bool attached)
{
	const struct perf_event_attr output = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
	};
	struct world w = { .prog = { .way = FRAME_PERF_OUTPUT, .size = size } };
	const uint32_t cpu = 0;
	union bpf_attr update;
	double n;

	bench_must("event", raw_open(&w.ev, &output, -1, cpu, MEMORY));
	if (attached) {
		open_ring(&w);
		bench_must("attach", raw_attach(&w.ring, w.ev.fd, 0));
	}
	w.prog.map = bench_must("map", kfunc_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 1));
	update = (union bpf_attr){
		.map_fd = w.prog.map,
		.key = (unsigned long)&cpu,
		.value = (unsigned long)&w.ev.fd,
	};
	bench_must("map", kfunc_bpf(BPF_MAP_UPDATE_ELEM, &update));
	bench_must("event", event_enable(w.ev.fd));
	n = count_prog(&w);
	if (!attached && w.ev.page->data_head < w.calls * size)
		bench_must("the main ring has too few samples", -ENOSPC);
	raw_close(&w.ev);
	if (attached)
		close_ring(&w);
	close(w.prog.map);
	return n;
}

/*
 * Records of a module in the kernel. The system call and the first record are subtracted, so
 * this is what each further record takes, with rawprod's loop.
 */
static double of_module(unsigned int size)
{
	struct world w = { .run = { .length = size, .count = 1, .unfilled = 1 } };
	double one, all;

	open_ring(&w);
	w.dev = bench_must("rawprod", rawprod_open(w.ring.fd));
	one = count(&w, call_rawprod, size);
	w.run.count = 1 + RECORDS;
	all = count(&w, call_rawprod, size * w.run.count);
	close(w.dev);
	close_ring(&w);
	return (all - one) / RECORDS;
}

/*
 * A sample of task:task_rename in perf's main ring. With @hooked, another event of the same kind
 * is attached, so the module looks at each sample.
 */
static double unattached(bool hooked)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct raw_event other;
	struct world w = { };
	struct ring ring;
	double n;

	if (hooked) {
		struct perfaux_create create;

		ring_params(&create, SEGMENT, MEMORY / SEGMENT);
		bench_must("ring", ring_open(&ring, &create));
		bench_must("event", raw_open(&other, &attr, 0, -1, 0));
		bench_must("attach", raw_attach(&ring, other.fd, 0));
	}
	bench_must("event", raw_open(&w.ev, &attr, 0, -1, MIB));
	bench_must("event", event_enable(w.ev.fd));
	n = count(&w, call_rename, 64);
	raw_close(&w.ev);
	if (hooked) {
		raw_close(&other);
		ring_close(&ring);
	}
	return n;
}

int main(void)
{
	const bool can_call = frame_prog_can_call();
	struct world nothing = { };
	double base = without_record();
	unsigned int i;

	bench_must("rawprod", module_insert("rawprod", ""));
	for (i = 0; can_call && i < ARRAY_SIZE(sizes); i++)
		bench_row("record of a BPF program, bytes", sizes[i],
			  in_ring(FRAME_RING_WRITE, sizes[i]) - base,
			  in_bpf_ring(FRAME_BPF_OUTPUT, sizes[i]) - base);
	for (i = 0; can_call && i < ARRAY_SIZE(sizes); i++)
		bench_row("reserve and commit of a BPF program, bytes", sizes[i],
			  in_ring(FRAME_RING_RESERVE, sizes[i]) - base,
			  in_bpf_ring(FRAME_BPF_RESERVE, sizes[i]) - base);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row("reserve and commit of a module, bytes", sizes[i],
			  of_module(sizes[i]), 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_row("sample with raw data, bytes", sizes[i],
			  in_sample(sizes[i], true) - base,
			  sizes[i] < PERF_MAX ? in_sample(sizes[i], false) - base : 0);
	base = count(&nothing, call_rename, 64);
	bench_row("sample of an event that is not attached", 0, unattached(true) - base,
		  unattached(false) - base);
	bench_must("rawprod", module_remove_wait("rawprod"));
	return 0;
}
