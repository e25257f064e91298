/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs that write records to a ring with perfaux's kfuncs, each in a way of
 * its own.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef PRODUCE_PROG_H
#define PRODUCE_PROG_H

#include "kfunc_lib.h"

/*
 * The input and output of a program: a value for each CPU in an array. The program
 * writes the data with the cookie, and notes the result.
 */
struct producer_value {
	uint64_t handle;
	uint64_t cookie;	/* counted up */
	int64_t result;		/* 0, or -errno; 1: reserve, 2: data gave NULL */
	uint64_t written;
	uint8_t data[];		/* the program overwrites the first 8 bytes, if there are 8 */
};

/* perfaux_write(), _record_reserve() and so on, _write_dynptr() */
enum producer_way {
	WRITE,
	RECORD,
	DYNPTR,
};

/* Index of producer.id[] */
enum {
	ID_WRITE,
	ID_DYNPTR,
	ID_RESERVE,
	ID_DATA,
	ID_COMMIT,
	ID_DISCARD,
	NR_IDS,
};

struct producer {
	struct kfunc_btf btf;
	int id[NR_IDS];
	int values;		/* map of struct producer_value */
	int prog;
	uint32_t size;		/* size of a record's data */
};

/* Attributes for loading a program of type SYSCALL, which producer_run() runs */
extern const struct kfunc_prog syscall_prog;

/* Get the number by which programs name @ring. -EOPNOTSUPP: NO_KFUNCS says why. */
int ring_handle(const struct ring *ring, uint64_t *handle);
#define NO_KFUNCS	"perfaux.ko has no BTF here, so programs cannot call it"

/* -ENOENT: the kernel, or perfaux.ko, has no such functions */
int producer_open(struct producer *b);
/* Also open a ring first, and get its handle. */
int producer_start(struct producer *b, struct ring *ring, uint32_t segment_size,
		   uint32_t nr_segments, uint64_t *handle);
void producer_close(struct producer *b);

/*
 * Make the values and load the program, with the attributes in @prog. The cookies
 * of CPU n begin with n << 32.
 */
int producer_load(struct producer *b, uint32_t size, enum producer_way way,
		  struct kfunc_prog *prog, uint64_t handle);
/* Load other programs that use the same values. Each function returns the program. */
int producer_load_record(const struct producer *b, struct kfunc_prog *prog,
			 uint32_t take);
int producer_load_dynptr(const struct producer *b, struct kfunc_prog *prog,
			 uint32_t offset, uint32_t length);
/* Run a program of type SYSCALL once, on this CPU. */
int producer_run(const struct producer *b);

/* Get or set the value of @cpu: its fields, and for set() the data of raw_bpf_byte(). */
int producer_set(struct producer *b, uint32_t cpu,
		 const struct producer_value *v);
int producer_get(struct producer *b, uint32_t cpu, struct producer_value *v);

#endif /* PRODUCE_PROG_H */
