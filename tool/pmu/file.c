// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the files of a PMU in sysfs.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu/file.h"
#include "pmu/pmu.h"

int pmu_read_file(const struct pmu *pmu, const char *name,
		  char *buf, size_t size)
{
	char path[PATH_MAX];
	int len;

	buf[0] = '\0';
	len = snprintf(path, sizeof(path), "%s/%s", pmu->dir, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return read_line_file(path, buf, size);
}

unsigned long long pmu_read_number(const struct pmu *pmu, const char *name,
				   int base, unsigned long long otherwise)
{
	unsigned long long value;
	char buf[64];
	char *end;

	if (pmu_read_file(pmu, name, buf, sizeof(buf)))
		return otherwise;
	errno = 0;
	value = strtoull(buf, &end, base);
	if (end == buf || errno)
		return otherwise;
	return value;
}
