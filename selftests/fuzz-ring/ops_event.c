// SPDX-License-Identifier: GPL-2.0-only
/* Calls that open perf events of all kinds, and perf's own ioctls. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../modules/rawgen.h"
#include "../ring/lib/raw_lib.h"
#include "fuzz.h"

/* In ns. Samples in a shorter period would leave no time for anything else. */
#define CPU_CLOCK_PERIOD	50000000
#define TIMER_US		50000

static int type_auxgen, type_pt, type_rawgen, type_kprobe, type_uprobe;
static int tracepoint_rename, tracepoint_switch;
static uint64_t watched[2];
static char self[256];
static uint64_t probed_at;
/* The attributes of the events in the slots */
static struct perf_event_attr opened[SLOTS_MAX];

static __attribute__((noinline)) void probed(void)
{
	__asm__ volatile("");
}

/* Return the offset of probed() in the file of this program, or 0 if it is not found. */
static uint64_t probed_offset(void)
{
	const unsigned long at = (unsigned long)probed;
	unsigned long start, end, offset;
	uint64_t found = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    at >= start && at < end)
			found = at - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

void event_prepare(void)
{
	type_auxgen = auxgen_type();
	type_pt = pmu_type("intel_pt");
	type_rawgen = pmu_type("rawgen");
	type_kprobe = pmu_type("kprobe");
	type_uprobe = pmu_type("uprobe");
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
		probed_at = probed_offset();
	tracepoint_rename = raw_tracepoint("task", "task_rename");
	tracepoint_switch = raw_tracepoint("sched", "sched_switch");
}

static void attr_auxgen(struct caller *c, struct perf_event_attr *attr)
{
	attr->type = type_auxgen;
	attr->config = AUXGEN_F_CTX | below(c, AUXGEN_STREAMS) << 24 | (1 + below(c, 16));
	attr->config1 = TIMER_US;
	if (one_in(c, 8))
		attr->config |= AUXGEN_F_TIMER;
	if (one_in(c, 32))
		attr->config |= AUXGEN_F_TIMER | AUXGEN_F_NMI;
	if (one_in(c, 8))
		attr->config |= 1ULL << (19 + below(c, 4));
	if (one_in(c, 8))
		attr->config |= (uint64_t)below(c, 8) << 32 | (uint64_t)below(c, 8) << 48;
	if (one_in(c, 16))
		attr->aux_sample_size = 1024;
	if (one_in(c, 16))
		attr->aux_output = 1;
}

bool has_pt(void)
{
	return type_pt >= 0;
}

void attr_pt(struct perf_event_attr *attr)
{
	attr->type = type_pt;
	attr->config = 1 | 1 << 13;
	attr->exclude_kernel = 1;
}

static void attr_rawgen(struct caller *c, struct perf_event_attr *attr)
{
	attr->type = type_rawgen;
	attr->config = 1 + below(c, 31);
	if (one_in(c, 2))
		attr->config |= RAWGEN_F_FRAGS;
	if (one_in(c, 8))
		attr->config |= RAWGEN_F_RANDOM;
	if (one_in(c, 8))
		attr->config |= (1 + below(c, 4)) << 16;
	attr->config1 = below(c, 3000) | (uint64_t)(one_in(c, 8) ? TIMER_US : 0) << 32;
	attr->config2 = one_in(c, 2) ? 0 : below(c, 100);
	attr->sample_period = 1;
}

/* Bit 0 of config means: a probe of the function's return. */
static void attr_probe(struct caller *c, struct perf_event_attr *attr)
{
	attr->sample_period = 1 + below(c, 2);
	attr->config = below(c, 2);
	if (one_in(c, 2) && probed_at) {
		attr->type = type_uprobe;
		attr->uprobe_path = (uintptr_t)self;
		attr->probe_offset = probed_at;
	} else {
		attr->type = type_kprobe;
		attr->kprobe_func = (uintptr_t)"__x64_sys_prctl";
	}
}

static void attr_of_kind(struct caller *c, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	switch (below(c, 13)) {
	case 0:
	case 1:
	case 2:
	case 3:
		if (has_pt() && one_in(c, 2))
			attr_pt(attr);
		else
			attr_auxgen(c, attr);
		break;
	case 4:
	case 5:
		attr_rawgen(c, attr);
		break;
	case 6:
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = one_in(c, 8) ? tracepoint_switch : tracepoint_rename;
		attr->sample_period = 1 + below(c, 2);
		break;
	case 7:
		attr->config = PERF_COUNT_SW_CPU_CLOCK + below(c, 2);
		attr->sample_period = CPU_CLOCK_PERIOD;
		break;
	case 8:
		attr->config = PERF_COUNT_SW_DUMMY;
		break;
	case 9:
		attr->config = PERF_COUNT_SW_BPF_OUTPUT;
		attr->sample_period = below(c, 2);
		break;
	case 10:
		attr->type = PERF_TYPE_BREAKPOINT;
		attr->bp_type = HW_BREAKPOINT_W;
		attr->bp_addr = (unsigned long)watched;
		attr->bp_len = HW_BREAKPOINT_LEN_8;
		attr->sample_period = 1 + below(c, 4);
		break;
	case 11:
		/* Open probes rarely, because they patch code, which takes long. */
		if (one_in(c, 6)) {
			attr_probe(c, attr);
			break;
		}
		attr->config = PERF_COUNT_SW_DUMMY;
		break;
	default:
		attr->type = below(c, 12);
		attr->config = below(c, 16);
		attr->sample_period = CPU_CLOCK_PERIOD;
	}
}

/* Change any field except the period and the address of a probe. */
static void spoil_attr(struct caller *c, struct perf_event_attr *attr)
{
	size_t at = below(c, sizeof(*attr) / 4) * 4;
	uint32_t value = some_value(c);

	if (at > offsetof(struct perf_event_attr, sample_type) &&
	    (at & ~7UL) != offsetof(struct perf_event_attr, config1) &&
	    (at & ~7UL) != offsetof(struct perf_event_attr, config2))
		memcpy((uint8_t *)attr + at, &value, 4);
}

static int event_open(struct caller *c, struct perf_event_attr *got)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled = !one_in(c, 2),
		.inherit = one_in(c, 3),
		.exclude_kernel = opt.user,
		.wakeup_events = 1,
	};
	pid_t pid = one_in(c, 4) ? -1 : 0;
	int cpu = below(c, 3), group = -1;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;

	attr_of_kind(c, &attr);
	if (!one_in(c, 3))
		attr.sample_type |= PERF_SAMPLE_RAW;
	if (one_in(c, 4)) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_READ;
		attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	}
	if (one_in(c, 3)) {
		attr.mmap = 1;
		attr.mmap2 = 1;
		attr.comm = 1;
		attr.task = 1;
		attr.build_id = one_in(c, 2);
	}
	if (!one_in(c, 8)) {
		attr.use_clockid = 1;
		attr.clockid = one_in(c, 8) ? CLOCK_BOOTTIME : CLOCK_MONOTONIC;
	}
	if (one_in(c, 8))
		attr.write_backward = 1;
	if (one_in(c, 8))
		attr.pinned = 1;
	if (one_in(c, 16))
		attr.remove_on_exec = 1;
	if (one_in(c, 16))
		attr.enable_on_exec = 1;
	if (one_in(c, 2) && pid == 0)
		cpu = -1;
	/* softpt single-steps the task that it traces, so trace a task that does little. */
	if (has_pt() && attr.type == (uint32_t)type_pt) {
		pid = other_task(c);
		cpu = -1;
	} else if (one_in(c, 8)) {
		pid = other_task(c);
		cpu = one_in(c, 4) ? cpu : -1;
	} else if (one_in(c, 24)) {
		pid = other_cgroup();
		flags |= PERF_FLAG_PID_CGROUP;
	}
	if (one_in(c, 8))
		group = some_fd(c, KIND_EVENT, NULL);
	if (one_in(c, 32))
		flags |= PERF_FLAG_FD_OUTPUT;
	if (one_in(c, 32))
		spoil_attr(c, &attr);
	*got = attr;
	return syscall(SYS_perf_event_open, &attr, pid, cpu, group, flags);
}

void event_keep(struct caller *c, const struct perf_event_attr *attr, int fd)
{
	unsigned int to = slot_of(c, KIND_EVENT);

	opened[to] = *attr;
	slot_put(KIND_EVENT, to, fd);
}

static int op_open(struct caller *c)
{
	struct perf_event_attr attr;
	int fd = event_open(c, &attr);

	if (fd < 0)
		return -errno;
	event_keep(c, &attr, fd);
	return 0;
}

int some_event(struct caller *c, bool aux)
{
	unsigned int first = slot_of(c, KIND_EVENT), i;
	bool any = one_in(c, 8);

	for (i = 0; i < nr_slots[KIND_EVENT] && !any; i++) {
		unsigned int at = (first + i) % nr_slots[KIND_EVENT];
		int fd = slot_fd(KIND_EVENT, at);

		bool is = opened[at].type == (uint32_t)type_auxgen ||
			  opened[at].type == (uint32_t)type_pt;

		if (fd >= 0 && is == aux)
			return fd;
	}
	return some_fd(c, KIND_EVENT, NULL);
}

/* Open an event that an ordinary user cannot open: of a CPU, or of the kernel. */
int event_of_root(unsigned int i)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type_auxgen,
		.config = AUXGEN_F_CTX | AUXGEN_F_TIMER | 3,
		.config1 = TIMER_US,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME,
	};
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int task = i & 1;
	pid_t pid = task ? 0 : -1;

	if (i & 2) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = tracepoint_rename;
		attr.sample_period = 1;
	} else if (i & 4) {
		attr.type = type_rawgen;
		attr.config = 31;
		attr.config1 = 512 | (uint64_t)TIMER_US << 32;
		attr.sample_period = 1;
	}
	attr.inherit = task;
	if (i == 4 && other_cgroup() >= 0) {
		pid = other_cgroup();
		flags |= PERF_FLAG_PID_CGROUP;
	}
	opened[i] = attr;
	return syscall(SYS_perf_event_open, &attr, pid, task ? -1 : 0, -1, flags);
}

static int op_simple(struct caller *c)
{
	static const unsigned int cmds[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_PAUSE_OUTPUT,
	};
	int fd = some_fd(c, KIND_EVENT, NULL);
	unsigned int cmd = cmds[below(c, ARRAY_SIZE(cmds))];
	unsigned long arg = below(c, 3);

	return ioctl(fd, cmd, arg) ? -errno : 0;
}

static int op_set_output(struct caller *c)
{
	int fd = some_fd(c, KIND_EVENT, NULL);
	int to = one_in(c, 4) ? -1 : some_fd(c, KIND_EVENT, NULL);

	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to) ? -errno : 0;
}

static int op_with_argument(struct caller *c)
{
	static const char * const filters[] = {
		"pid > 0", "oldcomm ~ \"a*\"", "0", "nonsense", "", "filter 0/1@/bin/true",
	};
	int fd = some_fd(c, KIND_EVENT, NULL);
	uint64_t value = CPU_CLOCK_PERIOD + below(c, 1000000000);

	switch (below(c, 6)) {
	case 0:
		return ioctl(fd, PERF_EVENT_IOC_PERIOD, &value) ? -errno : 0;
	case 1:
		return ioctl(fd, PERF_EVENT_IOC_ID, &value) ? -errno : 0;
	case 2:
		return ioctl(fd, PERF_EVENT_IOC_SET_BPF, some_fd(c, KIND_OTHER, NULL)) ?
		       -errno : 0;
	default:
		return ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
			     filters[below(c, ARRAY_SIZE(filters))]) ? -errno : 0;
	}
}

/* The kernel allows changing one thing of an existing event: the address of its breakpoint. */
static int op_modify(struct caller *c)
{
	unsigned int first = slot_of(c, KIND_EVENT), i;
	struct perf_event_attr attr;

	for (i = 0; i < nr_slots[KIND_EVENT]; i++)
		if (opened[(first + i) % nr_slots[KIND_EVENT]].type == PERF_TYPE_BREAKPOINT)
			break;
	i = (first + i) % nr_slots[KIND_EVENT];
	attr = opened[i];
	attr.bp_addr = (unsigned long)&watched[below(c, 2)];
	attr.disabled = below(c, 2);
	if (one_in(c, 4))
		spoil_attr(c, &attr);
	return ioctl(slot_fd(KIND_EVENT, i), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) ?
	       -errno : 0;
}

/* Map the main ring of an event, or its AUX area behind that. */
static int op_map_event(struct caller *c)
{
	unsigned int w = below(c, WINDOWS);
	size_t size = PAGE + (PAGE << below(c, 4));
	int fd = some_fd(c, KIND_EVENT, NULL);
	struct perf_event_mmap_page *page;
	bool aux = one_in(c, 4);
	int prot = one_in(c, 4) ? PROT_READ : PROT_READ | PROT_WRITE;
	uint8_t *area;
	int ret = perf_may_map(fd);

	if (ret)
		return ret;
	page = mmap(window_at(w), size, prot, MAP_SHARED | MAP_FIXED, fd, 0);
	/* MAP_FIXED has removed the old mapping, even if mmap() failed. */
	windows[w].what = page == MAP_FAILED ? MAPPED_NOTHING : MAPPED_EVENT;
	windows[w].size = size;
	if (page == MAP_FAILED)
		return -errno;
	if (!aux)
		return 0;
	if (!faults(c)) {
		page->aux_offset = size;
		page->aux_size = size - PAGE;
	}
	c->may_fault = false;
	area = mmap((uint8_t *)window_at(w) + size, size - PAGE, prot,
		    MAP_SHARED | MAP_FIXED, fd, size);
	if (area == MAP_FAILED)
		return -errno;
	windows[w].size = size + size - PAGE;
	return 0;
}

/*
 * Hit the breakpoints and uprobes. In QEMU, a task that is single-stepped must not hit a data
 * breakpoint (softpt.rst).
 */
static int op_watched(struct caller *c)
{
	if (!has_pt())
		*(volatile uint64_t *)&watched[below(c, 2)] = draw(c);
	probed();
	return 0;
}

/* Make rawgen take samples in the context of this task. Usually only root can write the file. */
static int op_rawgen(struct caller *c)
{
	int ret = file_write("/sys/bus/event_source/devices/rawgen/task",
			     one_in(c, 2) ? "1" : "3");

	return ret;
}

const struct op ops_event[] = {
	{ .name = "perf_event_open", .fn = op_open, .weight = 60, .works = 20,
	  .needs_auxgen = true },
	{ .name = "perf_simple", .fn = op_simple, .weight = 200 },
	{ .name = "perf_set_output", .fn = op_set_output, .weight = 60 },
	{ .name = "perf_argument", .fn = op_with_argument, .weight = 20 },
	{ .name = "perf_modify", .fn = op_modify, .weight = 15 },
	{ .name = "perf_mmap", .fn = op_map_event, .weight = 25 },
	{ .name = "watched", .fn = op_watched, .weight = 50 },
	{ .name = "rawgen", .fn = op_rawgen, .weight = 8 },
	{ .name = NULL },
};
