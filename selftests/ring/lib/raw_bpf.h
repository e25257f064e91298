/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BPF program that writes a map's value to a bpf-output event each time that its
 * tracepoint is hit
 */
#ifndef RAW_BPF_H
#define RAW_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "raw_lib.h"

/* Cookie of records in a raw ring */
#define RAW_BPF_COOKIE	77

struct raw_bpf {
	int prog;
	int values;		/* array: for each CPU a value of .size bytes */
	int events;		/* perf event array: an event for each CPU; -1: not used */
	int ringbuf;		/* BPF's own ring for all CPUs; -1: not used */
	int handles;		/* array with a raw ring's handle; -1: not used */
	uint32_t size;
	unsigned int times;	/* how often the value is written for each hit */
};

/*
 * Load the program. It counts up the first 8 bytes of each CPU's value before it
 * writes the value, if the value is that long; the rest is raw_bpf_byte().
 */
int raw_bpf_load(struct raw_bpf *bpf, uint32_t size);
/*
 * Load a program that writes the value @times times; if @ring_size is not 0, to a
 * BPF_MAP_TYPE_RINGBUF of that size.
 */
int raw_bpf_load_many(struct raw_bpf *bpf, uint32_t size, unsigned int times,
		      uint32_t ring_size);
void raw_bpf_close(struct raw_bpf *bpf);
/*
 * Load a program that writes to the raw ring whose handle (PERFAUX_IOC_HANDLE) is
 * in bpf->handles.
 */
int raw_bpf_load_ring(struct raw_bpf *bpf, uint32_t size);
/* Let data that is written on @cpu go to @event. */
int raw_bpf_event(struct raw_bpf *bpf, int cpu, int event);
/* Run the program at the event of a tracepoint. */
int raw_bpf_run_at(struct raw_bpf *bpf, int tracepoint);

static inline uint8_t raw_bpf_byte(uint32_t size, uint32_t at)
{
	return (size * 31 + at * 7 + (at >> 8)) ^ 0x5a;
}

/*
 * Return whether the data is a value of that size. *@n is the number in it, 0 if it
 * has none.
 */
bool raw_bpf_check(const void *data, uint64_t size, uint64_t *n);

#endif /* RAW_BPF_H */
