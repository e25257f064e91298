/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs that call functions of a module. They are written by hand, with the
 * ids from the kernel's BTF.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef KFUNC_LIB_H
#define KFUNC_LIB_H

#include <linux/bpf.h>

#include "ring_lib.h"

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
			    .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE32(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_W, d, s, o, 0)
#define STORE_IMM(d, o, i) INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, o, i)
#define JUMP(o)		INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define JUMP_EQ(d, i, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JUMP_NE(d, i, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
/* Call the function with this id in the module of kfunc_prog.btf. */
#define KFUNC(id)	INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 1, id)
/* A 64-bit instruction takes two slots; the second one has the upper half. */
#define MAP(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd)
#define LOWER(d, v)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, 0, 0, (uint32_t)(v))
#define UPPER(v)	INSN(0, 0, 0, 0, (uint64_t)(v) >> 32)
#define EXIT		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Instructions, one after the other */
struct kfunc_code {
	struct bpf_insn insns[192];
	uint32_t nr;
};

#define CODE(code, ...)							\
	kfunc_code_add(code, (const struct bpf_insn[]){ __VA_ARGS__ },	\
		       sizeof((const struct bpf_insn[]){ __VA_ARGS__ }))
void kfunc_code_add(struct kfunc_code *code, const struct bpf_insn *insns,
		    size_t size);
/* Load the value of this CPU in a per-CPU map into R0, or NULL. */
void kfunc_code_lookup(struct kfunc_code *code, int map);
/*
 * Write @size bytes, to which R7 points: to the perf event of this CPU in @map, with the context in
 * R6, or to the BPF ring buffer @map. R0 is the result.
 */
void kfunc_code_perf_output(struct kfunc_code *code, int map, uint32_t size);
void kfunc_code_ringbuf_output(struct kfunc_code *code, int map, uint32_t size);

/* bpf(2) */
int kfunc_bpf(int cmd, union bpf_attr *attr);
int kfunc_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries);

/* The types of a module, or, with the name "vmlinux", of the kernel */
struct kfunc_btf {
	int fd;
	uint8_t *data;		/* in the kernel's format */
	uint32_t first_id;	/* lower ids are the kernel's own types */
	uint32_t first_string;
};

int kfunc_btf_open(struct kfunc_btf *btf, const char *name);
void kfunc_btf_close(struct kfunc_btf *btf);
/* Return the id of the type with this kind (BTF_KIND_*) and name, or -ENOENT. */
int kfunc_btf_find(const struct kfunc_btf *btf, uint32_t kind, const char *name);

struct kfunc_prog {
	enum bpf_prog_type type;
	struct kfunc_code code;
	const struct kfunc_btf *btf;		/* types of the functions that it calls */
	uint32_t flags;				/* BPF_F_* */
	enum bpf_attach_type attach_type;
	const struct kfunc_btf *attach_btf;	/* types of the function that it is attached to */
	int attach_id;
};

/*
 * Load the program and return its descriptor. The verifier's messages are in
 * kfunc_log.
 */
int kfunc_load(const struct kfunc_prog *prog);
extern char kfunc_log[1 << 16];

#endif /* KFUNC_LIB_H */
