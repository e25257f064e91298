/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BPF program that writes one record each time that its tracepoint is hit, in one of several
 * ways. The program does nothing but this, so that the ways can be compared.
 */
#ifndef FRAME_PROG_H
#define FRAME_PROG_H

#include "../ring/lib/kfunc_lib.h"

enum frame_way {
	FRAME_NONE,		/* no record: what the other ways cost besides their record */
	FRAME_RING_WRITE,	/* perfaux_write() */
	FRAME_RING_RESERVE,	/* perfaux_record_reserve() and _commit(), no data */
	FRAME_BPF_OUTPUT,	/* bpf_ringbuf_output() */
	FRAME_BPF_RESERVE,	/* bpf_ringbuf_reserve() and _submit(), no data */
	FRAME_PERF_OUTPUT,	/* bpf_perf_event_output() */
};

struct frame_prog {
	enum frame_way way;
	uint32_t size;		/* of a record's data */
	uint64_t handle;	/* of a raw ring, for FRAME_RING_* */
	int map;		/* BPF's ring, or the array of the perf event */
	int value;		/* array: the data */
	int prog;
};

/* Can programs call perfaux.ko in this kernel? */
bool frame_prog_can_call(void);
/* The caller sets the first four fields. Exits if the kernel refuses the program. */
void frame_prog_load(struct frame_prog *p);
void frame_prog_close(struct frame_prog *p);

#endif /* FRAME_PROG_H */
