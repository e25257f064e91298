// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap_id N FILE: measure the time of an executable mapping, in ns. The program calls
 * mmap() of FILE's first page and munmap() N times, with
 *   none	no perf event
 *   kernel	an event with build-ids, which the kernel's own parser finds
 *   perfaux	the same, while a descriptor of PERFAUX_IOC_IDS is open
 * It does this five times in turn, so that other load of the machine affects all of them.
 * The event is on another CPU, so the kernel does not write the record itself.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perfaux.h"

#define ROUNDS	5

enum { NONE, KERNEL, PERFAUX, NR };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double measure(int fd, unsigned int n)
{
	double begin = now();
	unsigned int i;

	for (i = 0; i < n; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			       fd, 0);

		if (p == MAP_FAILED || munmap(p, 4096))
			exit(1);
	}
	return (now() - begin) / n;
}

static int open_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static int open_ids(void)
{
	struct perfaux_ids arg = { .size = sizeof(arg) };
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	int fd = dev < 0 ? -1 : ioctl(dev, PERFAUX_IOC_IDS, &arg);

	close(dev);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 3 ? atoi(argv[1]) : 0;
	double best[NR] = { 1e18, 1e18, 1e18 };
	cpu_set_t set;
	int fd, i, k;

	fd = n ? open(argv[2], O_RDONLY) : -1;
	if (fd < 0) {
		fprintf(stderr, "usage: mmap_id N FILE\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		fprintf(stderr, "mmap_id: needs a second CPU\n");
		return 2;
	}
	for (i = 0; i < ROUNDS; i++) {
		for (k = NONE; k < NR; k++) {
			int event = k == NONE ? -1 : open_event();
			int ids = k == PERFAUX ? open_ids() : -1;
			double ns;

			if ((k != NONE && event < 0) ||
			    (k == PERFAUX && ids < 0)) {
				perror("mmap_id: event or ids");
				return 1;
			}
			measure(fd, n / 10 + 1);
			ns = measure(fd, n);
			if (ns < best[k])
				best[k] = ns;
			close(event);
			close(ids);
		}
	}
	printf("mmap and munmap of an executable page, ns: no event %.0f, kernel's parser %.0f, perfaux %.0f; parse: kernel %.0f, perfaux %.0f, ratio %.2f\n",
	       best[NONE], best[KERNEL], best[PERFAUX],
	       best[KERNEL] - best[NONE], best[PERFAUX] - best[NONE],
	       (best[PERFAUX] - best[NONE]) / (best[KERNEL] - best[NONE]));
	return 0;
}
