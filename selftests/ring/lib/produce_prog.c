// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that are producers, see produce_prog.h. */
#include <errno.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "produce_prog.h"
#include "raw_bpf.h"

static const char * const names[NR_IDS] = {
	"perfaux_write", "perfaux_write_dynptr", "perfaux_record_reserve",
	"perfaux_record_data", "perfaux_record_commit", "perfaux_record_discard",
};

const struct kfunc_prog syscall_prog = {
	.type = BPF_PROG_TYPE_SYSCALL,
	.flags = BPF_F_SLEEPABLE,
};

int ring_handle(const struct ring *ring, uint64_t *handle)
{
	struct perfaux_handle arg = { .size = sizeof(arg) };

	if (ioctl(ring->fd, PERFAUX_IOC_HANDLE, &arg))
		return -errno;
	*handle = arg.handle;
	return 0;
}

int producer_open(struct producer *b)
{
	int i, ret = kfunc_btf_open(&b->btf, "perfaux");

	b->values = -1;
	b->prog = -1;
	for (i = 0; !ret && i < NR_IDS; i++) {
		b->id[i] = kfunc_btf_find(&b->btf, BTF_KIND_FUNC, names[i]);
		if (b->id[i] < 0)
			ret = b->id[i];
	}
	return ret;
}

int producer_start(struct producer *b, struct ring *ring, uint32_t segment_size,
		   uint32_t nr_segments, uint64_t *handle)
{
	struct perfaux_create create;

	b->values = -1;
	b->prog = -1;
	b->btf.fd = -1;
	ring_params(&create, segment_size, nr_segments);
	return ring_open(ring, &create) ?: ring_handle(ring, handle) ?: producer_open(b);
}

void producer_close(struct producer *b)
{
	kfunc_btf_close(&b->btf);
	close(b->values);
	close(b->prog);
}

/*
 * Begin a program: afterwards R6 has the value of this CPU (or the program ends),
 * R1 and R2 have the handle and the cookie, and R8 has the number of this record.
 */
static void begin(struct kfunc_code *code, const struct producer *b)
{
	kfunc_code_lookup(code, b->values);
	CODE(code,
	     JUMP_NE(BPF_REG_0, 0, 1),
	     EXIT,
	     MOV(BPF_REG_6, BPF_REG_0),
	     LOAD(BPF_REG_8, BPF_REG_6, offsetof(struct producer_value, written)),
	     ADD(BPF_REG_8, 1),
	     LOAD(BPF_REG_1, BPF_REG_6, offsetof(struct producer_value, handle)),
	     LOAD(BPF_REG_2, BPF_REG_6, offsetof(struct producer_value, cookie)));
	if (b->size >= 8)
		CODE(code, STORE(BPF_REG_6, offsetof(struct producer_value, data),
				 BPF_REG_8));
}

/* End a program. The result is in R7. */
static void end(struct kfunc_code *code)
{
	CODE(code,
	     STORE(BPF_REG_6, offsetof(struct producer_value, result), BPF_REG_7),
	     JUMP_NE(BPF_REG_7, 0, 4),
	     STORE(BPF_REG_6, offsetof(struct producer_value, written), BPF_REG_8),
	     LOAD(BPF_REG_1, BPF_REG_6, offsetof(struct producer_value, cookie)),
	     ADD(BPF_REG_1, 1),
	     STORE(BPF_REG_6, offsetof(struct producer_value, cookie), BPF_REG_1),
	     SET(BPF_REG_0, 0),
	     EXIT);
}

/* The same for an int result in R0, which is extended to 64 bits. */
static void end_int(struct kfunc_code *code)
{
	CODE(code,
	     MOV(BPF_REG_7, BPF_REG_0),
	     INSN(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_7, 0, 0, 32),
	     INSN(BPF_ALU64 | BPF_ARSH | BPF_K, BPF_REG_7, 0, 0, 32));
	end(code);
}

static int producer_load_write(const struct producer *b, struct kfunc_prog *prog)
{
	begin(&prog->code, b);
	CODE(&prog->code,
	     MOV(BPF_REG_3, BPF_REG_6),
	     ADD(BPF_REG_3, offsetof(struct producer_value, data)),
	     SET(BPF_REG_4, b->size),
	     KFUNC(b->id[ID_WRITE]));
	end_int(&prog->code);
	return kfunc_load(prog);
}

/* Load a program that reserves b->size bytes and takes @take of them. */
int producer_load_record(const struct producer *b, struct kfunc_prog *prog,
			 uint32_t take)
{
	begin(&prog->code, b);
	CODE(&prog->code,
	     SET(BPF_REG_3, b->size),
	     KFUNC(b->id[ID_RESERVE]),
	     SET(BPF_REG_7, 1),
	     /* to the end */
	     JUMP_EQ(BPF_REG_0, 0, 17),
	     MOV(BPF_REG_9, BPF_REG_0),
	     MOV(BPF_REG_1, BPF_REG_9),
	     SET(BPF_REG_2, take),
	     KFUNC(b->id[ID_DATA]),
	     JUMP_NE(BPF_REG_0, 0, 4),
	     MOV(BPF_REG_1, BPF_REG_9),
	     KFUNC(b->id[ID_DISCARD]),
	     SET(BPF_REG_7, 2),
	     /* to the end */
	     JUMP(8),
	     MOV(BPF_REG_1, BPF_REG_0),
	     SET(BPF_REG_2, take),
	     MOV(BPF_REG_3, BPF_REG_6),
	     ADD(BPF_REG_3, offsetof(struct producer_value, data)),
	     CALL(BPF_FUNC_probe_read_kernel),
	     MOV(BPF_REG_7, BPF_REG_0),
	     MOV(BPF_REG_1, BPF_REG_9),
	     KFUNC(b->id[ID_COMMIT]));
	end(&prog->code);
	return kfunc_load(prog);
}

/* Load a program that writes @length bytes from @offset on of a dynptr of all data. */
int producer_load_dynptr(const struct producer *b, struct kfunc_prog *prog,
			 uint32_t offset, uint32_t length)
{
	begin(&prog->code, b);
	CODE(&prog->code,
	     MOV(BPF_REG_1, BPF_REG_6),
	     ADD(BPF_REG_1, offsetof(struct producer_value, data)),
	     SET(BPF_REG_2, b->size),
	     SET(BPF_REG_3, 0),
	     MOV(BPF_REG_4, BPF_REG_10),
	     ADD(BPF_REG_4, -32),
	     CALL(BPF_FUNC_dynptr_from_mem),
	     LOAD(BPF_REG_1, BPF_REG_6, offsetof(struct producer_value, handle)),
	     LOAD(BPF_REG_2, BPF_REG_6, offsetof(struct producer_value, cookie)),
	     MOV(BPF_REG_3, BPF_REG_10),
	     ADD(BPF_REG_3, -32),
	     SET(BPF_REG_4, offset),
	     SET(BPF_REG_5, length),
	     KFUNC(b->id[ID_DYNPTR]));
	end_int(&prog->code);
	return kfunc_load(prog);
}

int producer_set(struct producer *b, uint32_t cpu, const struct producer_value *v)
{
	struct producer_value *new = calloc(1, sizeof(*new) + b->size + 8);
	union bpf_attr attr = {
		.map_fd = b->values,
		.key = (unsigned long)&cpu,
		.value = (unsigned long)new,
	};
	uint32_t i;
	int ret;

	if (!new)
		return -ENOMEM;
	*new = *v;
	for (i = b->size < 8 ? 0 : 8; i < b->size; i++)
		new->data[i] = raw_bpf_byte(b->size, i);
	ret = kfunc_bpf(BPF_MAP_UPDATE_ELEM, &attr);
	free(new);
	return ret;
}

int producer_get(struct producer *b, uint32_t cpu, struct producer_value *v)
{
	struct producer_value *all = calloc(1, sizeof(*all) + b->size + 8);
	union bpf_attr attr = {
		.map_fd = b->values,
		.key = (unsigned long)&cpu,
		.value = (unsigned long)all,
	};
	int ret = all ? kfunc_bpf(BPF_MAP_LOOKUP_ELEM, &attr) : -ENOMEM;

	if (!ret)
		*v = *all;
	free(all);
	return ret;
}

int producer_load(struct producer *b, uint32_t size, enum producer_way way,
		  struct kfunc_prog *prog, uint64_t handle)
{
	int cpu, ret = 0;

	b->size = size;
	b->values = kfunc_map(BPF_MAP_TYPE_ARRAY,
			      sizeof(struct producer_value) + size + 8, possible_cpus());
	if (b->values < 0)
		return b->values;
	for (cpu = 0; !ret && cpu < possible_cpus(); cpu++) {
		const struct producer_value v = {
			.handle = handle, .cookie = (uint64_t)cpu << 32,
		};

		ret = producer_set(b, cpu, &v);
	}
	if (ret)
		return ret;
	prog->btf = &b->btf;
	prog->code.nr = 0;
	if (way == WRITE)
		b->prog = producer_load_write(b, prog);
	else if (way == RECORD)
		b->prog = producer_load_record(b, prog, size);
	else
		b->prog = producer_load_dynptr(b, prog, 0, size);
	return b->prog < 0 ? b->prog : 0;
}

int producer_run(const struct producer *b)
{
	union bpf_attr attr = { .test.prog_fd = b->prog };

	return kfunc_bpf(BPF_PROG_TEST_RUN, &attr);
}
