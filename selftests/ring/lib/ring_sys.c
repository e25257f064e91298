// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for the machine: files, CPUs, modules. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_lib.h"

int file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, at = 0;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + at, size - 1 - at)) > 0)
		at += n;
	text[at] = 0;
	close(fd);
	return n < 0 ? -EIO : 0;
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Parse a list such as 0-3,5. */
static int parse_cpus(const char *at, int *cpus, int max)
{
	int n = 0, first, last, len;

	while (sscanf(at, "%d%n", &first, &len) == 1) {
		at += len;
		last = first;
		if (sscanf(at, "-%d%n", &last, &len) == 1)
			at += len;
		for (; first <= last && n < max; first++)
			cpus[n++] = first;
		if (*at++ != ',')
			break;
	}
	return n;
}

static int read_cpus(const char *path, int *cpus, int max)
{
	char text[256];

	return file_read(path, text, sizeof(text)) ? 0 : parse_cpus(text, cpus, max);
}

#define CPUS_MAX	1024

int online_cpus(int *cpus, int max)
{
	int online[CPUS_MAX], wanted[CPUS_MAX], nr, nr_wanted, n = 0, i, k;
	const char *list = getenv("TEST_CPUS");

	if (!list || !*list)
		return read_cpus("/sys/devices/system/cpu/online", cpus, max);
	nr = read_cpus("/sys/devices/system/cpu/online", online, CPUS_MAX);
	nr_wanted = parse_cpus(list, wanted, CPUS_MAX);
	for (i = 0; i < nr; i++)
		for (k = 0; k < nr_wanted && n < max; k++)
			if (online[i] == wanted[k])
				cpus[n++] = online[i];
	return n;
}

int possible_cpus(void)
{
	int cpus[CPUS_MAX];

	return read_cpus("/sys/devices/system/cpu/possible", cpus, CPUS_MAX);
}

int pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int module_insert(const char *name, const char *params)
{
	const char *dir = getenv("PERFAUX_MODULES");
	const char *kernel = getenv("PERFAUX_KERNEL");
	char path[512];
	int fd, ret = 0;

	if (dir)
		snprintf(path, sizeof(path), "%s/%s.ko", dir, name);
	else
		snprintf(path, sizeof(path), "/perfaux/build/modules/%s/%s.ko",
			 kernel ? kernel : "", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		ret = -errno;
	close(fd);
	return ret;
}

int module_remove(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

int module_remove_wait(const char *name)
{
	/* On a busy machine, writers, grace periods and works can need more than ten seconds. */
	uint64_t end = now_ns() + SECONDS / 2 * 1000000000ULL;
	int ret;

	do {
		ret = module_remove(name);
		if (ret == -EAGAIN)
			sched_yield();
	} while (ret == -EAGAIN && now_ns() < end);
	return ret;
}
