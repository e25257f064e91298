// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that write to bpf-output events, see raw_bpf.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kfunc_lib.h"
#include "raw_bpf.h"

static int map_update(int map, uint32_t key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return kfunc_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* r7 = values[cpu]; exits if there is none */
static void add_value(struct kfunc_code *c, const struct raw_bpf *raw)
{
	kfunc_code_lookup(c, raw->values);
	CODE(c,
	     JUMP_NE(BPF_REG_0, 0, 1),
	     EXIT,
	     MOV(BPF_REG_7, BPF_REG_0));
}

/* value->n++, if there is room for it */
static void add_count(struct kfunc_code *c, const struct raw_bpf *raw)
{
	if (raw->size >= 8)
		CODE(c,
		     LOAD(BPF_REG_1, BPF_REG_7, 0),
		     ADD(BPF_REG_1, 1),
		     STORE(BPF_REG_7, 0, BPF_REG_1));
}

static void add_ring_write(struct kfunc_code *c, const struct raw_bpf *raw,
			   int write_id)
{
	CODE(c,
	     STORE_IMM(BPF_REG_10, -8, 0),
	     MAP(BPF_REG_1, raw->handles), UPPER(0),
	     MOV(BPF_REG_2, BPF_REG_10),
	     ADD(BPF_REG_2, -8),
	     CALL(BPF_FUNC_map_lookup_elem),
	     JUMP_NE(BPF_REG_0, 0, 1),
	     EXIT,
	     LOAD(BPF_REG_1, BPF_REG_0, 0),
	     SET(BPF_REG_2, RAW_BPF_COOKIE),
	     MOV(BPF_REG_3, BPF_REG_7),
	     SET(BPF_REG_4, raw->size),
	     KFUNC(write_id));
}

/* r6 is the context. */
static void add_output(struct kfunc_code *c, const struct raw_bpf *raw,
		       int write_id)
{
	if (raw->handles >= 0)
		add_ring_write(c, raw, write_id);
	else if (raw->ringbuf >= 0)
		kfunc_code_ringbuf_output(c, raw->ringbuf, raw->size);
	else
		kfunc_code_perf_output(c, raw->events, raw->size);
}

static int prog_load(const struct raw_bpf *raw)
{
	static struct kfunc_prog prog;
	struct kfunc_btf btf;
	int id = 0, ret = 0;
	unsigned int i;

	prog = (struct kfunc_prog){ .type = BPF_PROG_TYPE_TRACEPOINT };
	if (raw->handles >= 0) {
		ret = kfunc_btf_open(&btf, "perfaux");
		if (ret)
			return ret;
		id = kfunc_btf_find(&btf, BTF_KIND_FUNC, "perfaux_write");
		prog.btf = &btf;
	}
	CODE(&prog.code, MOV(BPF_REG_6, BPF_REG_1));
	add_value(&prog.code, raw);
	for (i = 0; i < raw->times; i++) {
		add_count(&prog.code, raw);
		add_output(&prog.code, raw, id);
	}
	CODE(&prog.code, SET(BPF_REG_0, 0), EXIT);
	ret = id < 0 ? id : kfunc_load(&prog);
	if (raw->handles >= 0)
		kfunc_btf_close(&btf);
	return ret;
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

static int load(struct raw_bpf *raw)
{
	int ret;

	raw->prog = -1;
	raw->values = kfunc_map(BPF_MAP_TYPE_ARRAY,
				raw->size < 8 ? 8 : raw->size, possible_cpus());
	if (raw->values < 0)
		return raw->values;
	raw->events = kfunc_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4,
				possible_cpus());
	if (raw->events < 0)
		return raw->events;
	ret = fill(raw);
	if (ret)
		return ret;
	raw->prog = prog_load(raw);
	return raw->prog < 0 ? raw->prog : 0;
}

int raw_bpf_load_many(struct raw_bpf *raw, uint32_t size, unsigned int times,
		      uint32_t ring_size)
{
	*raw = (struct raw_bpf){
		.size = size, .times = times, .ringbuf = -1, .handles = -1,
	};
	if (ring_size) {
		raw->ringbuf = kfunc_map(BPF_MAP_TYPE_RINGBUF, 0, ring_size);
		if (raw->ringbuf < 0)
			return raw->ringbuf;
	}
	return load(raw);
}

int raw_bpf_load(struct raw_bpf *raw, uint32_t size)
{
	return raw_bpf_load_many(raw, size, 1, 0);
}

int raw_bpf_load_ring(struct raw_bpf *raw, uint32_t size)
{
	*raw = (struct raw_bpf){ .size = size, .times = 1, .ringbuf = -1 };
	raw->handles = kfunc_map(BPF_MAP_TYPE_ARRAY, sizeof(uint64_t), 1);
	return raw->handles < 0 ? raw->handles : load(raw);
}

void raw_bpf_close(struct raw_bpf *raw)
{
	close(raw->prog);
	close(raw->values);
	close(raw->events);
	if (raw->ringbuf >= 0)
		close(raw->ringbuf);
	if (raw->handles >= 0)
		close(raw->handles);
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
