// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding PMUs in sysfs, and matching their names.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../module/event/aux_pmus.h"
#include "pmu/pmu.h"
#include "pmu/format.h"
#include "base/util.h"

enum pmu_aux pmu_aux(const struct pmu *pmu)
{
	const struct pa_aux_pmu *known = pa_aux_pmu_find(pmu->name);

	if (known)
		return known->refused ? PMU_AUX_OTHER : PMU_AUX_RING;
	return pmu_read_number(pmu, PA_AUX_PMU_CAPS "/" PA_AUX_PMU_CAP, 0, 0) ?
		       PMU_AUX_RING : PMU_AUX_NONE;
}

/* Like perf, recognize a core PMU by these names, or by its file "cpus". */
static bool is_core(const struct pmu *pmu)
{
	char path[PATH_MAX];

	if (!strcmp(pmu->name, "cpu") || !strcmp(pmu->name, "cpum_cf"))
		return true;
	if (snprintf(path, sizeof(path), "%s/cpus", pmu->dir) >=
	    (int)sizeof(path))
		return false;
	return !access(path, F_OK);
}

static int compare_pmus(const void *a, const void *b)
{
	const struct pmu *left = a, *right = b;

	if (left->core != right->core)
		return left->core ? -1 : 1;
	return strverscmp(left->name, right->name);
}

int pmu_set_read(struct pmu_set *set, const char *sysfs)
{
	struct names names = { 0 };
	char *path = NULL;
	int ret;

	memset(set, 0, sizeof(*set));
	if (asprintf(&path, "%s/bus/event_source/devices", sysfs) < 0)
		return -ENOMEM;
	ret = names_read_dir(&names, path, true);
	if (ret || !names.nr)
		goto out;
	set->list = calloc(names.nr, sizeof(*set->list));
	if (!set->list) {
		ret = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < names.nr; i++) {
		struct pmu *pmu = &set->list[i];

		set->nr = i + 1;
		pmu->name = names.list[i];
		names.list[i] = NULL;
		if (asprintf(&pmu->dir, "%s/%s", path, pmu->name) < 0) {
			pmu->dir = NULL;
			ret = -ENOMEM;
			goto out;
		}
		pmu->core = is_core(pmu);
	}
	qsort(set->list, set->nr, sizeof(*set->list), compare_pmus);
out:
	if (ret)
		pmu_set_free(set);
	names_free(&names);
	free(path);
	return ret;
}

void pmu_set_free(struct pmu_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		struct pmu *pmu = &set->list[i];

		pmu_formats_free(pmu);
		free(pmu->name);
		free(pmu->dir);
		free(pmu->alias_name);
		free(pmu->cpus);
	}
	free(set->list);
	memset(set, 0, sizeof(*set));
}

/* Read a file as a string. @string stays NULL if the file is missing or empty. */
static int read_string(const struct pmu *pmu, const char *name, char **string)
{
	char buf[4096];

	if (pmu_read_file(pmu, name, buf, sizeof(buf)) || !buf[0])
		return 0;
	*string = strdup(buf);
	return *string ? 0 : -ENOMEM;
}

int pmu_load(struct pmu *pmu)
{
	char buf[64];
	char *end;
	unsigned long type;
	int ret;

	if (pmu->loaded)
		return 0;
	ret = pmu_read_file(pmu, "type", buf, sizeof(buf));
	if (ret)
		return ret;
	errno = 0;
	type = strtoul(buf, &end, 10);
	if (!isdigit((unsigned char)buf[0]) || *end || errno || type > UINT_MAX)
		return -EINVAL;
	pmu->type = type;
	if (!pmu->cpus)
		ret = read_string(pmu, "cpumask", &pmu->cpus);
	if (!ret && !pmu->cpus)
		ret = read_string(pmu, "cpus", &pmu->cpus);
	if (!ret && !pmu->alias_name)
		ret = read_string(pmu, "alias", &pmu->alias_name);
	if (!ret)
		ret = pmu_formats_read(pmu);
	pmu->loaded = !ret;
	return ret;
}

struct pmu *pmu_find(struct pmu_set *set, const char *name)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (!strcmp(set->list[i].name, name))
			return &set->list[i];
	}
	for (size_t i = 0; i < set->nr; i++) {
		struct pmu *pmu = &set->list[i];

		if (!pmu_load(pmu) && pmu->alias_name &&
		    !strcmp(pmu->alias_name, name))
			return pmu;
	}
	return NULL;
}

static const char *without_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) ? name : name + 7;
}

/*
 * Is @suffix, which follows the pattern in a PMU's name, the number of an instance? It can be
 * empty, a number, or more than two hexadecimal digits (an address, but not the "cf" of cpum_cf),
 * with or without "_" before it.
 */
static bool is_instance(const char *suffix)
{
	bool hex = false;
	size_t len;

	if (!*suffix)
		return true;
	if (*suffix == '_')
		suffix++;
	for (len = 0; suffix[len]; len++) {
		if (!isxdigit((unsigned char)suffix[len]))
			return false;
		if (!isdigit((unsigned char)suffix[len]))
			hex = true;
	}
	return len > (hex ? 2 : 0);
}

static bool match_name(const char *name, const char *pattern)
{
	size_t len;

	name = without_uncore(name);
	pattern = without_uncore(pattern);
	len = strlen(pattern);
	if (!len)
		return false;
	if (!strncmp(name, pattern, len) && is_instance(name + len))
		return true;
	return strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0);
}

bool pmu_match(struct pmu *pmu, const char *pattern)
{
	if (match_name(pmu->name, pattern))
		return true;
	return !pmu_load(pmu) && pmu->alias_name &&
	       match_name(pmu->alias_name, pattern);
}
