// SPDX-License-Identifier: GPL-2.0-only
/*
 * A check of perf's own account of locked memory, which is wrong in 7.2: perf_mmap_rb() adds
 * for each mapping of an event's ring, but perf_mmap_close() subtracts for the last mapping
 * only. On such a kernel, each event is mapped at most once. Otherwise the test could not tell
 * whether perfaux or perf left memory in the account.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "fuzz.h"

#define PROBE_NS	5000000000ULL

/* Is the account the same before and after an event was mapped twice? */
static bool comes_out_even(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	const size_t size = 17 * PAGE;
	void *at[2];
	int i;

	if (fd < 0)
		return true;
	for (i = 0; i < 2; i++)
		at[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (i = 0; i < 2; i++)
		if (at[i] != MAP_FAILED)
			munmap(at[i], size);
	close(fd);
	return ring_fits(now_ns() + PROBE_NS);
}

void perf_locked_init(void)
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (!pid) {
		become_user(USER_PROBES);
		_exit(!comes_out_even());
	}
	waitpid(pid, &status, 0);
	shared->map_once = status;
	if (status)
		printf("# perf_mmap() of this kernel miscounts the memory of events that are mapped twice: each is mapped once\n");
}

int perf_may_map(int fd)
{
	const size_t bits = sizeof(shared->mapped[0]) * 8;
	uint64_t id, bit;

	if (!shared->map_once || ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return 0;
	id %= MAPPED_IDS;
	bit = 1ULL << id % bits;
	return atomic_fetch_or(&shared->mapped[id / bits], bit) & bit ? -EBUSY : 0;
}
