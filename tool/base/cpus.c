// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of CPUs as sysfs and people write them: "0-3,8".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/util.h"

#define MAX_CPU		65535	/* the largest number that a CPU_MAP record can hold */

static int add_cpu(struct cpus *cpus, int cpu)
{
	size_t i = cpus->nr;
	int err;

	while (i && cpus->list[i - 1] > cpu)
		i--;
	if (i && cpus->list[i - 1] == cpu)
		return 0;

	err = grow((void **)&cpus->list, cpus->nr, sizeof(*cpus->list));
	if (err)
		return err;
	memmove(&cpus->list[i + 1], &cpus->list[i],
		(cpus->nr - i) * sizeof(*cpus->list));
	cpus->list[i] = cpu;
	cpus->nr++;
	return 0;
}

static int parse_cpu(const char **p)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	errno = 0;
	v = strtoul(*p, &end, 10);
	if (errno || v > MAX_CPU)
		return -EINVAL;
	*p = end;
	return v;
}

int cpus_parse(struct cpus *cpus, const char *text)
{
	const char *p = text;
	int err = -EINVAL;

	memset(cpus, 0, sizeof(*cpus));
	for (;;) {
		int first, last;

		first = parse_cpu(&p);
		last = first;
		if (first >= 0 && *p == '-') {
			p++;
			last = parse_cpu(&p);
		}
		if (first < 0 || last < first)
			break;
		for (; first <= last; first++) {
			err = add_cpu(cpus, first);
			if (err)
				goto fail;
		}
		err = -EINVAL;
		if (*p == '\0' || *p == '\n')
			return 0;
		if (*p++ != ',')
			break;
	}
fail:
	cpus_free(cpus);
	return err;
}

int cpus_online(struct cpus *cpus)
{
	char line[4096];
	int err;

	err = slurp_line("/sys/devices/system/cpu/online", line, sizeof(line));
	if (err)
		return err;
	return cpus_parse(cpus, line);
}

bool cpus_has(const struct cpus *cpus, int cpu)
{
	size_t i;

	for (i = 0; i < cpus->nr; i++)
		if (cpus->list[i] == cpu)
			return true;
	return false;
}

void cpus_free(struct cpus *cpus)
{
	free(cpus->list);
	memset(cpus, 0, sizeof(*cpus));
}
