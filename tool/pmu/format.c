// SPDX-License-Identifier: GPL-2.0-only
/*
 * Terms of a PMU, which are the files of format/ ("config1:0-7,32-35"). The kernel
 * documents them in Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/pmu.h"
#include "pmu/format.h"

static bool parse_bit(const char **p, unsigned int *bit)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	value = strtoul(*p, &end, 10);
	if (value > 63)
		return false;
	*p = end;
	*bit = value;
	return true;
}

/* Parse "0-7,32-35". @bits is not 0 if this returns true. */
static bool parse_bits(const char *p, __u64 *bits)
{
	unsigned int first, last;

	*bits = 0;
	for (;;) {
		if (!parse_bit(&p, &first))
			return false;
		last = first;
		if (*p == '-') {
			p++;
			if (!parse_bit(&p, &last) || last < first)
				return false;
		}
		*bits |= (~0ULL >> (63 - (last - first))) << first;
		if (*p != ',')
			return !*p;
		p++;
	}
}

/* A format that auxrec does not understand is kept, so that using it gives a clear error. */
static void parse_format(struct pmu_format *format)
{
	const char *p = format->text;
	int config = 0;

	format->config = -1;
	if (strncmp(p, "config", 6))
		return;
	p += 6;
	if (isdigit((unsigned char)*p))
		config = *p++ - '0';
	if (*p != ':' || config >= PMU_NR_CONFIGS)
		return;
	if (parse_bits(p + 1, &format->bits))
		format->config = config;
}

static int read_format(const struct pmu *pmu, const char *name,
		       struct pmu_format *format)
{
	char file[NAME_MAX + 16];
	char text[256];

	snprintf(file, sizeof(file), "format/%s", name);
	if (pmu_read_file(pmu, file, text, sizeof(text)))
		text[0] = '\0';
	format->name = strdup(name);
	format->text = strdup(text);
	if (!format->name || !format->text)
		return -ENOMEM;
	parse_format(format);
	return 0;
}

int pmu_formats_read(struct pmu *pmu)
{
	struct names names = { 0 };
	char *path;
	int ret;

	pmu_formats_free(pmu);
	if (asprintf(&path, "%s/format", pmu->dir) < 0)
		return -ENOMEM;
	ret = names_read_dir(&names, path, false);
	free(path);
	if (ret || !names.nr) {
		names_free(&names);
		return ret == -ENOMEM ? ret : 0;
	}
	pmu->formats = calloc(names.nr, sizeof(*pmu->formats));
	if (!pmu->formats)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < names.nr; i++) {
		pmu->nr_formats = i + 1;
		ret = read_format(pmu, names.list[i], &pmu->formats[i]);
	}
	names_free(&names);
	return ret;
}

void pmu_formats_free(struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		free(pmu->formats[i].name);
		free(pmu->formats[i].text);
	}
	free(pmu->formats);
	pmu->formats = NULL;
	pmu->nr_formats = 0;
}

const struct pmu_format *pmu_format(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		if (!strcmp(pmu->formats[i].name, name))
			return &pmu->formats[i];
	}
	return NULL;
}

__u64 pmu_format_max(const struct pmu_format *format)
{
	int width = __builtin_popcountll(format->bits);

	if (!width)
		return 0;
	return ~0ULL >> (64 - width);
}

void pmu_format_set(const struct pmu_format *format, __u64 *config, __u64 value)
{
	unsigned int from = 0;

	*config &= ~format->bits;
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(format->bits >> bit & 1))
			continue;
		*config |= (value >> from & 1) << bit;
		from++;
	}
}

__u64 pmu_format_get(const struct pmu_format *format, __u64 config)
{
	unsigned int to = 0;
	__u64 value = 0;

	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(format->bits >> bit & 1))
			continue;
		value |= (config >> bit & 1) << to;
		to++;
	}
	return value;
}
