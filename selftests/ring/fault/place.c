// SPDX-License-Identifier: GPL-2.0-only
/* The environment of the tests with faults, see place.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/abi.h"
#include "../lib/raw_lib.h"
#include "inject.h"
#include "place.h"

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void close_ring(struct fault_place *p)
{
	close_fd(&p->ring);
}

int create_as(struct fault_place *p, uint32_t segment_size, uint32_t nr)
{
	struct perfaux_create arg;
	int fd;

	ring_params(&arg, segment_size, nr);
	arg.flags = PERFAUX_RING_OVERWRITE;
	fd = call(p->dev, PERFAUX_IOC_CREATE, &arg);
	if (fd < 0)
		return fd;
	p->ring = fd;
	p->create = arg;
	return 0;
}

void close_ids(struct fault_place *p)
{
	close_fd(&p->ids);
}

void unmap(struct fault_place *p)
{
	if (p->mapped)
		munmap(p->mapped, p->mapped_size);
	p->mapped = NULL;
}

void unmap_and_close(struct fault_place *p)
{
	unmap(p);
	close_ring(p);
}

/* Workers free rings, so wait a while for the value @wanted. */
static int soon(int (*get)(void), int wanted)
{
	uint64_t end = now_ns() + WAIT_NS;
	int is;

	while ((is = get()) != wanted && now_ns() < end)
		sched_yield();
	return is;
}

static int open_raw(void)
{
	struct perf_event_attr attr = raw_rename_attr();
	struct raw_event ev;
	int ret = raw_open(&ev, &attr, 0, -1, 0);

	if (ret)
		return ret;
	event_enable(ev.fd);
	return ev.fd;
}

int fault_place_open(struct fault_place *p)
{
	struct auxgen_config config = { AUXGEN_F_CTX, 0 };

	memset(p, 0, sizeof(*p));
	p->count = fault_use_count();
	p->vmalloced = fault_vmalloced();
	p->ring = -1;
	p->ids = -1;
	p->info = -1;
	p->fuse_file = -1;
	p->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (p->dev < 0)
		return -errno;
	p->aux = auxgen_open(&config, 0, -1, EV_ENABLED);
	if (p->aux < 0)
		return p->aux;
	p->raw = open_raw();
	if (p->raw < 0)
		return p->raw;
	p->trigger = open_raw();
	if (p->trigger < 0)
		return p->trigger;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p->epoll < 0 || p->log < 0)
		return -errno;
	lseek(p->log, 0, SEEK_END);
	p->files = fault_files();
	return 0;
}

/*
 * Return whether the kernel has complained about memory that we asked for. Any user
 * can ask for it, so there must be no complaint: warn_alloc() begins with the
 * task's name. Missing memory must not make the module tell people to look at
 * ftrace, either.
 */
static bool is_loud(struct fault_place *p)
{
	char text[1024];
	bool loud = false;
	ssize_t n;

	while ((n = read(p->log, text, sizeof(text) - 1)) > 0 || errno == EPIPE) {
		if (n <= 0)
			continue;
		text[n] = 0;
		loud |= (!p->inserts && strstr(text, ";faults: ")) ||
			strstr(text, "is ftrace off");
	}
	return loud;
}

/* A user who may lock the memory of one ring can do so, if no other memory is charged. */
static bool ring_fits(struct fault_place *p)
{
	uint64_t end = now_ns() + WAIT_NS;
	struct rlimit limit;
	int ret;

	if (create_as(p, 4096, 16))
		return false;
	limit.rlim_cur = ring_fdinfo(p->ring, "locked_pages") * PAGE;
	limit.rlim_max = limit.rlim_cur;
	close_ring(p);
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresuid(1000, 1000, 1000))
		return false;
	do {
		ret = create_as(p, 4096, 16);
		if (ret)
			sched_yield();
	} while (ret == -EPERM && now_ns() < end);
	close_ring(p);
	return !ret;
}

/* Close everything. Return the kind of things that the calls have left behind, or "". */
const char *fault_place_close(struct fault_place *p)
{
	if (p->files != fault_files())
		return "descriptors";
	if (is_loud(p))
		return "messages in the kernel's log";
	unmap_and_close(p);
	close_ids(p);
	close_fd(&p->aux);
	close_fd(&p->raw);
	close_fd(&p->trigger);
	close_fd(&p->epoll);
	close_fd(&p->log);
	close_fd(&p->dev);
	if (soon(fault_use_count, p->count) != p->count)
		return "rings: the module is in use";
	if (soon(fault_vmalloced, p->vmalloced) != p->vmalloced)
		return "memory: /proc/vmallocinfo";
	p->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (!ring_fits(p))
		return "locked memory";
	close_fd(&p->dev);
	/* The next test must count without that ring. */
	soon(fault_use_count, p->count);
	return "";
}
