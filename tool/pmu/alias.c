// SPDX-License-Identifier: GPL-2.0-only
/*
 * Named events of a PMU, which are the files of events/. The kernel documents
 * them in Documentation/ABI/testing/sysfs-bus-event_source-devices-events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/pmu.h"
#include "base/util.h"

/* Does a file of this name have details (unit, scale ...) of an event? */
static bool is_info_file(const char *name)
{
	static const char *const suffixes[] = {
		".unit", ".scale", ".snapshot", ".per-pkg",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(name + len - n, suffixes[i]))
			return true;
	}
	return false;
}

int pmu_alias_names(const struct pmu *pmu, struct names *names)
{
	struct names all = { 0 };
	char *path;
	int ret;

	if (asprintf(&path, "%s/events", pmu->dir) < 0)
		return -ENOMEM;
	ret = names_read_dir(&all, path, false);
	free(path);
	if (ret != -ENOMEM)
		ret = 0;
	for (size_t i = 0; !ret && i < all.nr; i++) {
		if (!is_info_file(all.list[i]))
			ret = names_add(names, all.list[i]);
	}
	names_free(&all);
	return ret;
}

/* Find how sysfs spells @name. Return 0, -ENOENT or -ENOMEM. */
static int find_spelling(const struct pmu *pmu, const char *name,
			 char *spelling, size_t size)
{
	struct names names = { 0 };
	char path[PATH_MAX];
	int ret, len;

	if (!*name || strchr(name, '/') || *name == '.' || is_info_file(name) ||
	    strlen(name) >= size)
		return -ENOENT;
	len = snprintf(path, sizeof(path), "%s/events/%s", pmu->dir, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENOENT;
	if (!access(path, F_OK)) {
		memcpy(spelling, name, strlen(name) + 1);
		return 0;
	}
	ret = pmu_alias_names(pmu, &names);
	if (!ret)
		ret = -ENOENT;
	for (size_t i = 0; ret == -ENOENT && i < names.nr; i++) {
		if (strcasecmp(names.list[i], name))
			continue;
		memcpy(spelling, names.list[i], strlen(names.list[i]) + 1);
		ret = 0;
	}
	names_free(&names);
	return ret;
}

bool pmu_has_alias(const struct pmu *pmu, const char *name)
{
	char spelling[NAME_MAX + 1];

	return !find_spelling(pmu, name, spelling, sizeof(spelling));
}

static int read_info(const struct pmu *pmu, const char *name,
		     const char *suffix, char *buf, size_t size)
{
	char file[NAME_MAX + 32];

	snprintf(file, sizeof(file), "events/%s%s", name, suffix);
	return pmu_read_file(pmu, file, buf, size);
}

/* The kernel writes "2.3283064365386962890625e-10" in all locales. */
static double parse_scale(const char *text)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double scale = 1.0;
	char *end;

	if (!c)
		return scale;
	scale = strtod_l(text, &end, c);
	freelocale(c);
	return end == text || !isfinite(scale) ? 1.0 : scale;
}

int pmu_alias_read(const struct pmu *pmu, const char *name,
		   struct pmu_alias *alias)
{
	char spelling[NAME_MAX + 1];
	char buf[4096];
	int ret;

	memset(alias, 0, sizeof(*alias));
	alias->scale = 1.0;
	ret = find_spelling(pmu, name, spelling, sizeof(spelling));
	if (ret)
		return ret;
	ret = read_info(pmu, spelling, "", buf, sizeof(buf));
	if (ret)
		return ret;
	alias->name = strdup(spelling);
	alias->terms = strdup(buf);
	if (!alias->name || !alias->terms)
		goto no_memory;
	if (!read_info(pmu, spelling, ".unit", buf, sizeof(buf)) && buf[0]) {
		alias->unit = strdup(buf);
		if (!alias->unit)
			goto no_memory;
	}
	if (!read_info(pmu, spelling, ".scale", buf, sizeof(buf)))
		alias->scale = parse_scale(buf);
	alias->snapshot = !read_info(pmu, spelling, ".snapshot",
				     buf, sizeof(buf)) && buf[0] == '1';
	alias->per_pkg = !read_info(pmu, spelling, ".per-pkg",
				    buf, sizeof(buf)) && buf[0] == '1';
	return 0;

no_memory:
	pmu_alias_free(alias);
	return -ENOMEM;
}

void pmu_alias_free(struct pmu_alias *alias)
{
	free(alias->name);
	free(alias->terms);
	free(alias->unit);
	memset(alias, 0, sizeof(*alias));
}
