// SPDX-License-Identifier: GPL-2.0-only
/* Sequences of calls that random single calls would rarely make in the right order. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../ring/lib/raw_bpf.h"
#include "fuzz.h"

static struct raw_bpf bpf;
static bool has_bpf;

static int create(struct caller *c)
{
	struct perfaux_create arg = {
		.size = sizeof(arg),
		.flags = PERFAUX_RING_OVERWRITE,
		.segment_size = PAGE << below(c, 3),
		.nr_segments = 2 + below(c, 8),
	};
	unsigned int to = slot_of(c, KIND_RING);
	enum kind is;
	int fd = some_fd(c, KIND_DEVICE, &is);
	int ret = checked(c, is, PERFAUX_IOC_CREATE, ioctl(fd, PERFAUX_IOC_CREATE, &arg));

	if (ret < 0)
		return ret;
	slots[KIND_RING][to].marks_size = arg.marks_size;
	slots[KIND_RING][to].ring_size = arg.ring_size;
	slots[KIND_RING][to].nr_segments = arg.nr_segments;
	slot_put(KIND_RING, to, ret);
	return ret;
}

/*
 * Open an event for a trigger: page faults of this task. Any user can open this event, and the
 * task can cause a page fault at any time.
 */
static int trigger(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void fault(void)
{
	static uint8_t page[PAGE] __attribute__((aligned(PAGE)));

	madvise(page, PAGE, MADV_DONTNEED);
	*(volatile uint8_t *)page = 1;
}

/* Make a ring and have a trigger freeze it. THAW has an effect only on such a ring. */
static int op_freeze(struct caller *c)
{
	int ring = create(c), event, ret;
	struct perfaux_attach arg = {
		.size = sizeof(arg), .flags = PERFAUX_ATTACH_TRIGGER,
		.cookie = below(c, 4), .post = one_in(c, 4) ? 1 : 0,
	};

	if (ring < 0)
		return ring;
	event = trigger();
	if (event < 0)
		return event;
	arg.fd = event;
	ret = checked(c, KIND_RING, PERFAUX_IOC_ATTACH,
		      ioctl(ring, PERFAUX_IOC_ATTACH, &arg));
	fault();
	if (one_in(c, 4)) {
		slot_put(KIND_EVENT, slot_of(c, KIND_EVENT), event);
		return ret;
	}
	/* The ring keeps the event, and each later page fault would freeze the ring again. */
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	close(event);
	return ret;
}

/*
 * Trace a task for a moment. A task can have only one event of Intel PT, so most of these events
 * are closed again. An event of this task is always closed, because each traced branch takes time.
 */
static int op_pt(struct caller *c)
{
	pid_t pid = one_in(c, 2) ? 0 : other_task(c);
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = one_in(c, 4) };
	struct perfaux_attach arg = { .size = sizeof(arg), .cookie = below(c, 4) };
	struct perfaux_detach detach = { .size = sizeof(detach) };
	struct pollfd ready = { .events = POLLIN };
	int event, ret;

	attr_pt(&attr);
	event = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	detach.fd = event;
	arg.fd = event;
	ready.fd = create(c);
	ret = ready.fd < 0 ? ready.fd :
	      checked(c, KIND_RING, PERFAUX_IOC_ATTACH,
		      ioctl(ready.fd, PERFAUX_IOC_ATTACH, &arg));
	if (!ret && one_in(c, 2))
		poll(&ready, 1, 10);
	if (pid && one_in(c, 8)) {
		event_keep(c, &attr, event);
		return ret;
	}
	/* Detach first: close() alone would leave the event with the ring. */
	if (!ret)
		checked(c, KIND_RING, PERFAUX_IOC_DETACH,
			ioctl(ready.fd, PERFAUX_IOC_DETACH, &detach));
	close(event);
	return ret;
}

/* As root, load a BPF program at its tracepoint, and a map of events for the program. */
void bpf_prepare(void)
{
	has_bpf = !raw_bpf_load(&bpf, 64);
	if (!has_bpf)
		return;
	slot_put(KIND_OTHER, 8, bpf.prog);
	slot_put(KIND_OTHER, 9, bpf.events);
}

/* Put an event in the map. The kernel decides whether the map can have this event. */
static int op_bpf(struct caller *c)
{
	if (!has_bpf)
		return -EOPNOTSUPP;
	return raw_bpf_event(&bpf, below(c, 4), some_fd(c, KIND_EVENT, NULL));
}

const struct op ops_flight[] = {
	{ .name = "freeze", .fn = op_freeze, .weight = 20, .works = 20 },
	{ .name = "pt", .fn = op_pt, .weight = 30, .works = 20, .needs_pt = true },
	{ .name = "bpf", .fn = op_bpf, .weight = 30 },
	{ .name = NULL },
};
