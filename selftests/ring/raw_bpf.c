// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw_bpf.h"

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
			    .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
/* An instruction of 64 bits is two, the second one with the upper half. */
#define MAP(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd)
#define UPPER		INSN(0, 0, 0, 0, 0)

/* bpf(2), or -errno */
static int bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static int map_create(enum bpf_map_type type, uint32_t value_size,
		      uint32_t entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = 4,
		.value_size = value_size,
		.max_entries = entries,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int ringbuf_create(uint32_t size)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = size,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int map_update(int map, uint32_t key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

#define MAX_INSNS	256

struct code {
	struct bpf_insn insns[MAX_INSNS];
	size_t n;
};

static void emit(struct code *c, struct bpf_insn insn)
{
	c->insns[c->n++] = insn;
}

static void emit_map(struct code *c, uint8_t reg, int map)
{
	emit(c, MAP(reg, map));
	emit(c, UPPER);
}

/* r7 = values[cpu]; exits if there is none */
static void emit_value(struct code *c, const struct raw_bpf *raw)
{
	emit(c, CALL(BPF_FUNC_get_smp_processor_id));
	emit(c, INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_0, -4, 0));
	emit_map(c, BPF_REG_1, raw->values);
	emit(c, MOV(BPF_REG_2, BPF_REG_10));
	emit(c, INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4));
	emit(c, CALL(BPF_FUNC_map_lookup_elem));
	emit(c, INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 1, 0));
	emit(c, INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	emit(c, MOV(BPF_REG_7, BPF_REG_0));
}

/* value->n++, if there is room for it */
static void emit_count(struct code *c, const struct raw_bpf *raw)
{
	if (raw->size < 8)
		return;
	emit(c, INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_7, 0, 0));
	emit(c, INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, 1));
	emit(c, INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_1, 0, 0));
}

/* r6 is the context. */
static void emit_output(struct code *c, const struct raw_bpf *raw)
{
	if (raw->ringbuf >= 0) {
		emit_map(c, BPF_REG_1, raw->ringbuf);
		emit(c, MOV(BPF_REG_2, BPF_REG_7));
		emit(c, SET(BPF_REG_3, raw->size));
		emit(c, SET(BPF_REG_4, 0));
		emit(c, CALL(BPF_FUNC_ringbuf_output));
		return;
	}
	emit(c, MOV(BPF_REG_1, BPF_REG_6));
	emit_map(c, BPF_REG_2, raw->events);
	/* BPF_F_CURRENT_CPU */
	emit(c, INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1));
	emit(c, MOV(BPF_REG_4, BPF_REG_7));
	emit(c, SET(BPF_REG_5, raw->size));
	emit(c, CALL(BPF_FUNC_perf_event_output));
}

static int prog_load(const struct raw_bpf *raw)
{
	static struct code c;
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (unsigned long)c.insns,
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	unsigned int i;

	c.n = 0;
	emit(&c, MOV(BPF_REG_6, BPF_REG_1));
	emit_value(&c, raw);
	for (i = 0; i < raw->times; i++) {
		emit_count(&c, raw);
		emit_output(&c, raw);
	}
	emit(&c, SET(BPF_REG_0, 0));
	emit(&c, INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	attr.insn_cnt = c.n;
	return bpf(BPF_PROG_LOAD, &attr);
}

static int fill(struct raw_bpf *raw)
{
	const size_t room = raw->size < 8 ? 8 : raw->size;
	uint8_t *value = calloc(1, room);
	int cpu, ret = value ? 0 : -ENOMEM;
	uint32_t i;

	for (i = raw->size < 8 ? 0 : 8; value && i < raw->size; i++)
		value[i] = raw_bpf_byte(raw->size, i);
	for (cpu = 0; !ret && cpu < possible_cpus(); cpu++)
		ret = map_update(raw->values, cpu, value);
	free(value);
	return ret;
}

int raw_bpf_load(struct raw_bpf *raw, uint32_t size)
{
	return raw_bpf_load_many(raw, size, 1, 0);
}

int raw_bpf_load_many(struct raw_bpf *raw, uint32_t size, unsigned int times,
		      uint32_t ring_size)
{
	int ret;

	raw->prog = -1;
	raw->events = -1;
	raw->ringbuf = -1;
	raw->size = size;
	raw->times = times;
	raw->values = map_create(BPF_MAP_TYPE_ARRAY, size < 8 ? 8 : size,
				 possible_cpus());
	if (raw->values < 0)
		return raw->values;
	raw->events = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4,
				 possible_cpus());
	if (raw->events < 0)
		return raw->events;
	if (ring_size) {
		raw->ringbuf = ringbuf_create(ring_size);
		if (raw->ringbuf < 0)
			return raw->ringbuf;
	}
	ret = fill(raw);
	if (ret)
		return ret;
	raw->prog = prog_load(raw);
	return raw->prog < 0 ? raw->prog : 0;
}

void raw_bpf_close(struct raw_bpf *raw)
{
	close(raw->prog);
	close(raw->values);
	close(raw->events);
	if (raw->ringbuf >= 0)
		close(raw->ringbuf);
}

int raw_bpf_event(struct raw_bpf *raw, int cpu, int event)
{
	return map_update(raw->events, cpu, &event);
}

int raw_bpf_run_at(struct raw_bpf *raw, int tracepoint)
{
	if (ioctl(tracepoint, PERF_EVENT_IOC_SET_BPF, raw->prog))
		return -errno;
	return event_enable(tracepoint);
}

bool raw_bpf_check(const void *data, uint64_t size, uint64_t *n)
{
	const uint8_t *bytes = data;
	uint64_t i;

	*n = 0;
	if (size >= 8)
		memcpy(n, data, sizeof(*n));
	for (i = size < 8 ? 0 : 8; i < size; i++)
		if (bytes[i] != raw_bpf_byte(size, i))
			return false;
	return true;
}
