// SPDX-License-Identifier: GPL-2.0-only
/* ptmodel.ko, see pt_lib.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pt_lib.h"

#define PARAMETERS	"/sys/module/ptmodel/parameters/"
#define PAGE		4096

uint64_t pt_tail(uint64_t segment_size)
{
	uint64_t tail = segment_size / 8;

	if (segment_size <= PAGE)
		return 0;
	if (tail < PAGE)
		return PAGE;
	return tail < 65536 ? tail : 65536;
}

int pt_open(unsigned int stream, pid_t pid, int cpu, unsigned int flags)
{
	/* The terms pt, branch and mtc_period, see the PMU's format/ */
	const struct auxgen_config config = {
		.config = 1 | 1 << 13 | (uint64_t)stream << 14,
	};

	return pmu_open("intel_pt", &config, pid, cpu, flags);
}

bool pt_in_error(int event)
{
	uint64_t count;

	return read(event, &count, sizeof(count)) == 0;
}

int64_t pt_counter(const char *name)
{
	char text[4096], *at;
	size_t len = strlen(name);
	int64_t value;

	if (file_read(PARAMETERS "counters", text, sizeof(text)))
		return -1;
	for (at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
		if (!strncmp(at, name, len) && at[len] == ' ' &&
		    sscanf(at + len, "%" SCNd64, &value) == 1)
			return value;
	return -1;
}

int pt_set(const char *param, unsigned int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), PARAMETERS "%s", param);
	snprintf(text, sizeof(text), "%u", value);
	return file_write(path, text);
}

int pt_insert(const char *params)
{
	check_source(PARAMETERS "stats");
	return module_insert("ptmodel", params);
}

int pt_remove(void)
{
	return module_remove_wait("ptmodel");
}
