// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's fault injection, see inject.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/ring_lib.h"
#include "inject.h"

#define FAULTS	"/sys/kernel/debug/"

static int fail_nth = -1, make_it_fail = -1;

struct setting {
	const char *path;
	const char *value;
};

static int write_settings(const struct setting *list, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = file_write(list[i].path, list[i].value);
		if (ret)
			return ret == -ENOENT ? -EINVAL : ret;
	}
	return 0;
}

/*
 * By default, allocations that may wait and allocations of single pages do not fail
 * (should_failslab(), should_fail_alloc_page()), and the kernel prints much about
 * each fault.
 */
int fault_init(void)
{
	static const struct setting settings[] = {
		{ FAULTS "failslab/ignore-gfp-wait", "N" },
		{ FAULTS "failslab/verbose", "0" },
		{ FAULTS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ FAULTS "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ FAULTS "fail_page_alloc/min-order", "0" },
		{ FAULTS "fail_page_alloc/verbose", "0" },
	};
	int ret;

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		return -errno;
	ret = write_settings(settings, ARRAY_SIZE(settings));
	if (ret)
		return ret;
	/* Exists only with CONFIG_FAULT_INJECTION_USERCOPY */
	file_write(FAULTS "fail_usercopy/verbose", "0");
	return 0;
}

void fault_arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_nth, text, len, 0) != len)
		abort();
}

unsigned int fault_disarm(void)
{
	char text[16] = "";

	/* This read() may itself be the copy to user memory that fails. */
	while (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0)
		;
	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	return strtoul(text, NULL, 10);
}

/* In the order in which should_fail_ex() checks them */
int fault_lasting_init(void)
{
	static const struct setting settings[] = {
		{ FAULTS "failslab/task-filter", "Y" },
		{ FAULTS "failslab/interval", "1" },
		{ FAULTS "failslab/times", "-1" },
		{ FAULTS "failslab/probability", "100" },
		{ FAULTS "fail_page_alloc/min-order", "1" },
		{ FAULTS "fail_page_alloc/task-filter", "Y" },
		{ FAULTS "fail_page_alloc/interval", "1" },
		{ FAULTS "fail_page_alloc/space", "0" },
		{ FAULTS "fail_page_alloc/times", "-1" },
		{ FAULTS "fail_page_alloc/probability", "100" },
	};
	int ret = fault_init();

	if (ret)
		return ret;
	make_it_fail = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	if (make_it_fail < 0)
		return -errno;
	return write_settings(settings, ARRAY_SIZE(settings));
}

void fault_begin(unsigned int bytes)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", bytes);
	if (file_write(FAULTS "failslab/space", text) || pwrite(make_it_fail, "1", 1, 0) != 1)
		abort();
}

void fault_end(void)
{
	while (pwrite(make_it_fail, "0", 1, 0) != 1)
		;
}

static int count_lines(const char *path, const char *with)
{
	char line[512];
	FILE *f = fopen(path, "r");
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, with);
	if (f)
		fclose(f);
	return n;
}

int fault_vmalloced(void)
{
	return count_lines("/proc/vmallocinfo", "[perfaux]");
}

int fault_use_count(void)
{
	char line[512];
	FILE *f = fopen("/proc/modules", "r");
	int count = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "perfaux %*u %d", &count) == 1)
			break;
	if (f)
		fclose(f);
	return count;
}

int fault_files(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

#define CGROUPS	"/sys/fs/cgroup/"
#define GROUP	CGROUPS "faults"

int fault_group_enter(void)
{
	int ret = file_write(CGROUPS "cgroup.subtree_control", "+memory");

	if (!ret && mkdir(GROUP, 0700) && errno != EEXIST)
		ret = -errno;
	return ret ?: file_write(GROUP "/cgroup.procs", "0");
}

/* Every kind of memory with a line of its own in memory.stat is a part of "kernel". */
long fault_group_pages(void)
{
	static const char * const others[] = {
		"kernel_stack", "pagetables", "sec_pagetables", "percpu", "vmalloc", "slab",
	};
	FILE *f = fopen(GROUP "/memory.stat", "r");
	long bytes = 0, value;
	bool known = false;
	char name[64];
	unsigned int i;

	if (!f)
		return -errno;
	while (fscanf(f, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "kernel")) {
			bytes += value;
			known = true;
		}
		for (i = 0; i < ARRAY_SIZE(others); i++)
			if (!strcmp(name, others[i]))
				bytes -= value;
	}
	fclose(f);
	return known ? bytes / getpagesize() : -ENODATA;
}
