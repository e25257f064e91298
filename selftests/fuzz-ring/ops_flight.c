// SPDX-License-Identifier: GPL-2.0-only
/* Calls in the order in which they are made: what single ones come to too rarely. */
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

#include "../ring/raw_bpf.h"
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

/* Page faults of this task: any user has them, as many as are wanted, and at once. */
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

/* A ring that a trigger freezes, which is what THAW is for. */
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
	/* The ring keeps it: each fault that comes would freeze it again. */
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	close(event);
	return ret;
}

/*
 * A task that is traced for a moment. It can have one such event only, so most are closed again;
 * this task, because each of its branches takes time.
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
	/* Closed alone it would stay with the ring. */
	if (!ret)
		checked(c, KIND_RING, PERFAUX_IOC_DETACH,
			ioctl(ready.fd, PERFAUX_IOC_DETACH, &detach));
	close(event);
	return ret;
}

/* By root: a program at the tracepoint that it is put to, and a map of events for it. */
void bpf_prepare(void)
{
	has_bpf = !raw_bpf_load(&bpf, 64);
	if (!has_bpf)
		return;
	slot_put(KIND_OTHER, 8, bpf.prog);
	slot_put(KIND_OTHER, 9, bpf.events);
}

/* Whether it is one that may be in the map, the kernel says. */
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
