// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timing of a function's calls in the kernel: a BPF program at the entry of the function stores
 * the time, and one at the return computes how long the call took. The programs have few
 * instructions, so they are written here, and neither a compiler nor libbpf is needed.
 *
 * The key of a call is its thread and the address of its return address. Recursive calls therefore
 * have different keys. A call that longjmp() leaves has no return. The next call at the same place
 * of the thread's stack replaces its start. The map forgets the oldest start when it has STARTS_MAX
 * younger ones (BPF_MAP_TYPE_LRU_HASH).
 *
 * The probes are two events of the PMU "uprobe" on one CPU. Programs of such an event run wherever
 * the probe is hit (see __uprobe_perf_func()), and the events themselves have no samples. So one
 * pair of probes serves all CPUs.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/bpf_sys.h"
#include "bpf/call_time.h"
#include "event/probe.h"

#define UPROBE_TYPE	"/sys/bus/event_source/devices/uprobe/type"

/* Calls that have begun and not returned, in all threads */
#define STARTS_MAX	16384

/* The programs' variables on their stack: the key and, below it, a time */
#define KEY		(-16)
#define KEY_SP		(-8)
#define TIME		(-24)

struct key {
	__u64 thread;
	__u64 sp;
};

struct call_time {
	int events;		/* the map of events, by CPU */
	int starts;		/* the map of calls that have begun */
	int lost;		/* a map of one number: returns whose start is not known */
	int probes[2];
	bool narrow;		/* a program of 32 bits */
};

/* A program that is being written */
struct code {
	struct bpf_insn insns[48];
	size_t nr;
};

static void put(struct code *c, __u8 op, __u8 dst, __u8 src, __s16 offset, __s32 imm)
{
	c->insns[c->nr++] = (struct bpf_insn){
		.code = op, .dst_reg = dst, .src_reg = src, .off = offset, .imm = imm,
	};
}

static void copy(struct code *c, __u8 dst, __u8 src)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct code *c, __u8 dst, __s32 value)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void add(struct code *c, __u8 dst, __s32 value)
{
	put(c, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value);
}

static void call(struct code *c, __s32 function)
{
	put(c, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

/* dst = the value at src + offset */
static void get(struct code *c, __u8 dst, __u8 src, __s16 offset)
{
	put(c, BPF_LDX | BPF_DW | BPF_MEM, dst, src, offset, 0);
}

/* Store @src in a variable on the stack. */
static void store(struct code *c, __s16 variable, __u8 src)
{
	put(c, BPF_STX | BPF_DW | BPF_MEM, BPF_REG_10, src, variable, 0);
}

/* dst = the address of a variable on the stack */
static void address(struct code *c, __u8 dst, __s32 variable)
{
	copy(c, dst, BPF_REG_10);
	add(c, dst, variable);
}

/* dst = a constant of 64 bits, or, if @src is BPF_PSEUDO_MAP_FD, the map with this descriptor */
static void set_64(struct code *c, __u8 dst, __u8 src, __u64 value)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (__s32)(__u32)value);
	put(c, 0, 0, 0, 0, (__s32)(value >> 32));
}

static void map(struct code *c, __u8 dst, int fd)
{
	set_64(c, dst, BPF_PSEUDO_MAP_FD, fd);
}

/* Let the jump at @from go to the next instruction. */
static void land(struct code *c, size_t from)
{
	c->insns[from].off = c->nr - from - 1;
}

static int load(struct code *c)
{
	union bpf_attr attr;

	/* The result 0 means: the event of the probe itself has no sample. */
	set(c, BPF_REG_0, 0);
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (unsigned long)c->insns;
	attr.insn_cnt = c->nr;
	attr.license = (unsigned long)"GPL";
	strcpy(attr.prog_name, "auxrec_latency");
	return bpf_sys(BPF_PROG_LOAD, &attr);
}

/*
 * Return where struct pt_regs has the stack pointer, or -1. @pops: set to the number of bytes that
 * the return takes off the stack
 */
static int find_sp(bool narrow, int *pops)
{
#if defined(__x86_64__)
	*pops = narrow ? 4 : 8;
	return 19 * 8;
#elif defined(__aarch64__)
	*pops = 0;
	return narrow ? 13 * 8 : 31 * 8;
#else
	(void)narrow;
	*pops = 0;
	return -1;
#endif
}

/* Begin a program: keep its argument, the registers, in r6, and make the key of the call. */
static void put_key(struct code *c, const struct call_time *t, bool at_return)
{
	int pops;
	const int sp = find_sp(t->narrow, &pops);

	copy(c, BPF_REG_6, BPF_REG_1);
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, KEY, BPF_REG_0);
	get(c, BPF_REG_1, BPF_REG_6, sp);
	if (at_return)
		add(c, BPF_REG_1, -pops);
	store(c, KEY_SP, BPF_REG_1);
}

/* starts[key] = now */
static int load_entry(const struct call_time *t)
{
	struct code c = { 0 };

	put_key(&c, t, false);
	call(&c, BPF_FUNC_ktime_get_ns);
	store(&c, TIME, BPF_REG_0);
	map(&c, BPF_REG_1, t->starts);
	address(&c, BPF_REG_2, KEY);
	address(&c, BPF_REG_3, TIME);
	set(&c, BPF_REG_4, BPF_ANY);
	call(&c, BPF_FUNC_map_update_elem);
	return load(&c);
}

/* lost[0] += 1 */
static void count_lost(struct code *c, const struct call_time *t)
{
	size_t none;

	put(c, BPF_ST | BPF_W | BPF_MEM, BPF_REG_10, 0, KEY, 0);
	map(c, BPF_REG_1, t->lost);
	address(c, BPF_REG_2, KEY);
	call(c, BPF_FUNC_map_lookup_elem);
	none = c->nr;
	put(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, 0);
	set(c, BPF_REG_1, 1);
	put(c, BPF_STX | BPF_DW | BPF_ATOMIC, BPF_REG_0, BPF_REG_1, 0, BPF_ADD);
	land(c, none);
}

/*
 * Take starts[key]. If now - starts[key] is not less than @least, write the difference to the event
 * of this CPU. If there is no starts[key], count that.
 */
static int load_return(const struct call_time *t, __u64 least)
{
	size_t no_start, too_short, done;
	struct code c = { 0 };

	put_key(&c, t, true);
	map(&c, BPF_REG_1, t->starts);
	address(&c, BPF_REG_2, KEY);
	call(&c, BPF_FUNC_map_lookup_elem);
	no_start = c.nr;
	put(&c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, 0);
	get(&c, BPF_REG_7, BPF_REG_0, 0);
	map(&c, BPF_REG_1, t->starts);
	address(&c, BPF_REG_2, KEY);
	call(&c, BPF_FUNC_map_delete_elem);
	call(&c, BPF_FUNC_ktime_get_ns);
	put(&c, BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_0, BPF_REG_7, 0, 0);
	store(&c, TIME, BPF_REG_0);
	set_64(&c, BPF_REG_1, 0, least);
	too_short = c.nr;
	put(&c, BPF_JMP | BPF_JLT | BPF_X, BPF_REG_0, BPF_REG_1, 0, 0);
	copy(&c, BPF_REG_1, BPF_REG_6);
	map(&c, BPF_REG_2, t->events);
	set_64(&c, BPF_REG_3, 0, BPF_F_CURRENT_CPU);
	address(&c, BPF_REG_4, TIME);
	set(&c, BPF_REG_5, sizeof(__u64));
	call(&c, BPF_FUNC_perf_event_output);
	done = c.nr;
	put(&c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	land(&c, no_start);
	count_lost(&c, t);
	land(&c, too_short);
	land(&c, done);
	return load(&c);
}

static int make_map(__u32 type, __u32 key_size, __u32 value_size, __u32 entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_size;
	attr.value_size = value_size;
	attr.max_entries = entries;
	strcpy(attr.map_name, "auxrec_latency");
	return bpf_sys(BPF_MAP_CREATE, &attr);
}

static int make_maps(struct call_time *c)
{
	const int cpus = sysconf(_SC_NPROCESSORS_CONF);

	c->starts = make_map(BPF_MAP_TYPE_LRU_HASH, sizeof(struct key), sizeof(__u64), STARTS_MAX);
	if (c->starts < 0)
		return c->starts;
	c->lost = make_map(BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(__u64), 1);
	if (c->lost < 0)
		return c->lost;
	c->events = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(__u32), sizeof(__u32), cpus);
	return c->events < 0 ? c->events : 0;
}

/* Open the probe, and let @prog run at it. The caller must close @prog. */
static int open_probe(const struct probe *probe, bool at_return, int prog, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = at_return ? PROBE_CONFIG_RETURN : 0,
		.uprobe_path = (unsigned long)probe->file,
		.probe_offset = probe->offset,
		.disabled = 1,
	};
	__u64 type;
	int fd, err;

	if (slurp_u64(UPROBE_TYPE, &type))
		return -ENODEV;
	attr.type = type;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int open_probes(struct call_time *c, const struct probe *probe, __u64 least, int cpu,
		       const char *place, struct diag *d)
{
	int i, prog;

	for (i = 0; i < 2; i++) {
		/* Open the return first: each call whose entry is seen has a return then. */
		prog = i ? load_entry(c) : load_return(c, least);
		if (prog < 0)
			return diag(d, prog, "the kernel does not load a BPF program: %s",
				    strerror(-prog));
		c->probes[i] = open_probe(probe, !i, prog, cpu);
		close(prog);
		if (c->probes[i] < 0)
			return diag(d, c->probes[i], "the kernel cannot set a probe at %.300s: %s%s",
				    place, strerror(-c->probes[i]),
				    c->probes[i] == -EACCES ? ": it needs CAP_SYS_ADMIN" :
				    c->probes[i] == -ENODEV ? ": it lacks CONFIG_UPROBE_EVENTS" :
				    "");
	}
	return 0;
}

/* Is the file a program of 32 bits? probe_find() has seen that it is an ELF file. */
static bool is_narrow(const char *file)
{
	unsigned char ident[EI_NIDENT];
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	const bool narrow = fd >= 0 && read(fd, ident, sizeof(ident)) == sizeof(ident) &&
			    ident[EI_CLASS] == ELFCLASS32;

	if (fd >= 0)
		close(fd);
	return narrow;
}

static int start(struct call_time *c, const char *place, __u64 least, int cpu, struct diag *d)
{
	struct probe probe;
	const char *at;
	int pops, err;
	char *text;

	if (find_sp(false, &pops) < 0)
		return diag(d, -EOPNOTSUPP, "not supported on this architecture");
	if (asprintf(&text, "%s%%return", place) < 0)
		return diag(d, -ENOMEM, "out of memory");
	err = probe_find(text, &probe, &at, d);
	free(text);
	if (err)
		return err;
	c->narrow = is_narrow(probe.file);
	err = make_maps(c);
	if (err == -EPERM)
		diag(d, err, "no permission: only root may load BPF programs (CAP_BPF, CAP_PERFMON)");
	else if (err)
		diag(d, err, "this kernel cannot do it, because it needs BPF: %s", strerror(-err));
	if (!err)
		err = open_probes(c, &probe, least, cpu, place, d);
	free(probe.file);
	return err;
}

int call_time_open(struct call_time **call_time, const char *place, __u64 least, int cpu,
		   struct diag *d)
{
	struct call_time *c = malloc(sizeof(*c));
	int err;

	if (!c)
		return diag(d, -ENOMEM, "out of memory");
	*c = (struct call_time){ .events = -1, .starts = -1, .lost = -1, .probes = { -1, -1 } };
	err = start(c, place, least, cpu, d);
	if (err)
		call_time_close(c);
	else
		*call_time = c;
	return err;
}

int call_time_event(struct call_time *c, int cpu, int fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = c->events;
	attr.key = (unsigned long)&cpu;
	attr.value = (unsigned long)&fd;
	return bpf_sys(BPF_MAP_UPDATE_ELEM, &attr);
}

__u64 call_time_lost(const struct call_time *c)
{
	const __u32 key = 0;
	union bpf_attr attr;
	__u64 lost = 0;

	if (!c)
		return 0;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = c->lost;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)&lost;
	bpf_sys(BPF_MAP_LOOKUP_ELEM, &attr);
	return lost;
}

void call_time_close(struct call_time *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < ARRAY_LEN(c->probes); i++)
		if (c->probes[i] >= 0)
			close(c->probes[i]);
	if (c->starts >= 0)
		close(c->starts);
	if (c->lost >= 0)
		close(c->lost);
	if (c->events >= 0)
		close(c->events);
	free(c);
}
