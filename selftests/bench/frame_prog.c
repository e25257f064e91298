// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that write one record, see frame_prog.h. */
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <unistd.h>

#include "bench_lib.h"
#include "frame_prog.h"

#define COOKIE	1

bool frame_prog_can_call(void)
{
	struct kfunc_btf btf;
	const int err = kfunc_btf_open(&btf, "perfaux");

	kfunc_btf_close(&btf);
	if (err && err != -ENOENT)
		bench_must("types of perfaux.ko", err);
	return !err;
}

/* R1 and R2 = handle and cookie */
static void add_ring(struct kfunc_code *c, const struct frame_prog *p)
{
	CODE(c,
	     LOWER(BPF_REG_1, p->handle), UPPER(p->handle),
	     SET(BPF_REG_2, COOKIE));
}

/* Reserve a record with R1 to R3, and end it, if there is one. */
static void add_reserve(struct kfunc_code *c, struct bpf_insn reserve, struct bpf_insn end)
{
	CODE(c,
	     reserve,
	     JUMP_EQ(BPF_REG_0, 0, 3),
	     MOV(BPF_REG_1, BPF_REG_0),
	     SET(BPF_REG_2, 0),
	     end);
}

/* R6 is the context, and R7 the data. */
static void add_record(struct kfunc_code *c, const struct frame_prog *p,
		       const struct kfunc_btf *btf)
{
	switch (p->way) {
	case FRAME_NONE:
		break;
	case FRAME_RING_WRITE:
		add_ring(c, p);
		CODE(c,
		     MOV(BPF_REG_3, BPF_REG_7),
		     SET(BPF_REG_4, p->size),
		     KFUNC(kfunc_btf_find(btf, BTF_KIND_FUNC, "perfaux_write")));
		break;
	case FRAME_RING_RESERVE:
		add_ring(c, p);
		CODE(c, SET(BPF_REG_3, p->size));
		add_reserve(c,
			    KFUNC(kfunc_btf_find(btf, BTF_KIND_FUNC, "perfaux_record_reserve")),
			    KFUNC(kfunc_btf_find(btf, BTF_KIND_FUNC, "perfaux_record_commit")));
		break;
	case FRAME_BPF_OUTPUT:
		kfunc_code_ringbuf_output(c, p->map, p->size);
		break;
	case FRAME_BPF_RESERVE:
		CODE(c,
		     MAP(BPF_REG_1, p->map), UPPER(0),
		     SET(BPF_REG_2, p->size),
		     SET(BPF_REG_3, 0));
		add_reserve(c, CALL(BPF_FUNC_ringbuf_reserve), CALL(BPF_FUNC_ringbuf_submit));
		break;
	case FRAME_PERF_OUTPUT:
		kfunc_code_perf_output(c, p->map, p->size);
		break;
	}
}

void frame_prog_load(struct frame_prog *p)
{
	const bool calls = p->way == FRAME_RING_WRITE || p->way == FRAME_RING_RESERVE;
	struct kfunc_prog prog = { .type = BPF_PROG_TYPE_TRACEPOINT };
	struct kfunc_code *c = &prog.code;
	struct kfunc_btf btf = { .fd = -1 };

	p->value = bench_must("map of the data", kfunc_map(BPF_MAP_TYPE_ARRAY, p->size, 1));
	if (calls) {
		bench_must("types of perfaux.ko", kfunc_btf_open(&btf, "perfaux"));
		prog.btf = &btf;
	}
	CODE(c,
	     MOV(BPF_REG_6, BPF_REG_1),
	     STORE_IMM(BPF_REG_10, -8, 0),
	     MAP(BPF_REG_1, p->value), UPPER(0),
	     MOV(BPF_REG_2, BPF_REG_10),
	     ADD(BPF_REG_2, -8),
	     CALL(BPF_FUNC_map_lookup_elem),
	     JUMP_NE(BPF_REG_0, 0, 1),
	     EXIT,
	     MOV(BPF_REG_7, BPF_REG_0));
	add_record(c, p, &btf);
	CODE(c, SET(BPF_REG_0, 0), EXIT);
	p->prog = kfunc_load(&prog);
	if (p->prog < 0)
		fputs(kfunc_log, stderr);
	bench_must("program", p->prog);
	kfunc_btf_close(&btf);
}

void frame_prog_close(struct frame_prog *p)
{
	close(p->prog);
	close(p->value);
}
