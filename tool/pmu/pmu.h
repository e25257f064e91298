/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUs as sysfs describes them, in /sys/bus/event_source/devices. The functions are in pmu.c,
 * unless a comment names another file.
 */
#ifndef AUXREC_PMU_H
#define AUXREC_PMU_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/names.h"
#include "pmu/file.h"

/* config, config1 ... config4 of perf_event_attr */
#define PMU_NR_CONFIGS	5

/* A file of format/, which tells the config and the bits that hold a term's value. */
struct pmu_format {
	char *name;
	int config;		/* 0 to 4; -1: not understood */
	__u64 bits;
	char *text;		/* "config:0-7,32-35" */
};

/* A file of events/, with the files of its details (.unit, .scale ...). */
struct pmu_alias {
	char *name;		/* as sysfs spells it */
	char *terms;		/* "event=0x3c,umask=?" */
	char *unit;		/* or NULL */
	double scale;
	bool snapshot;
	bool per_pkg;
};

struct pmu {
	char *name;
	char *dir;
	bool core;		/* counts for the CPU: cycles and so on */
	bool loaded;		/* the fields below are valid */
	__u32 type;
	char *alias_name;	/* a second name, from file "alias", or NULL */
	char *cpus;		/* from file "cpumask" or "cpus", or NULL */
	struct pmu_format *formats;
	size_t nr_formats;
};

struct pmu_set {
	struct pmu *list;	/* core PMUs first, then by name */
	size_t nr;
};

/* Read only names, because big machines have hundreds of PMUs. Return 0 or -errno. */
int pmu_set_read(struct pmu_set *set, const char *sysfs);
void pmu_set_free(struct pmu_set *set);

/*
 * Does a PMU have an AUX area, and can a raw ring take its data? The kernel's own drivers are
 * listed in module/event/aux_pmus.c; other drivers tell it in sysfs.
 */
enum pmu_aux {
	PMU_AUX_NONE,
	PMU_AUX_RING,
	PMU_AUX_OTHER,		/* perf can record its AUX data, but a raw ring cannot take it */
};

enum pmu_aux pmu_aux(const struct pmu *pmu);

/* Read the rest of @pmu. Return 0 or -errno (-EINVAL: file "type" has no number). */
int pmu_load(struct pmu *pmu);

/* Find a PMU by its name or its second name. */
struct pmu *pmu_find(struct pmu_set *set, const char *name);

/*
 * Match as perf does: "imc" and "uncore_imc" match uncore_imc, uncore_imc_0,
 * uncore_imc_1 ...; a pattern (*, ?, [) must match all of the name.
 */
bool pmu_match(struct pmu *pmu, const char *pattern);

/* format.c */
const struct pmu_format *pmu_format(const struct pmu *pmu, const char *name);
__u64 pmu_format_max(const struct pmu_format *format);
/* Replace the bits of @format in @config by those of @value. */
void pmu_format_set(const struct pmu_format *format, __u64 *config,
		    __u64 value);
__u64 pmu_format_get(const struct pmu_format *format, __u64 config);

/*
 * alias.c: read the event @name. If no event is spelled like this, upper and lower
 * case do not matter. Return 0 or -errno (-ENOENT: the PMU has no such event).
 */
int pmu_alias_read(const struct pmu *pmu, const char *name,
		   struct pmu_alias *alias);
void pmu_alias_free(struct pmu_alias *alias);
bool pmu_has_alias(const struct pmu *pmu, const char *name);
/* Append all event names of the PMU, sorted. Return 0 or -ENOMEM. */
int pmu_alias_names(const struct pmu *pmu, struct names *names);

#endif /* AUXREC_PMU_H */
