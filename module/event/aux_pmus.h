/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_AUX_PMUS_H
#define PERFAUX_AUX_PMUS_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include "base/kernel_shim.h"
#endif

/* A PMU driver of the kernel that has an AUX area. */
struct pa_aux_pmu {
	const char *name;	/* of the PMU, without the suffix of an instance */
	const char *refused;	/* why a raw ring refuses it; NULL: it is allowed */
	bool intel_pt;		/* the data consists of Intel PT's packets */
};

/* Look a PMU up by its name in sysfs. Returns NULL if it is not one of the kernel's. */
const struct pa_aux_pmu *pa_aux_pmu_find(const char *name);

/*
 * A driver that is not one of the kernel's declares that it keeps the contract of
 * aux_pmus.c: it has a file of this name in the group "caps" of its attributes.
 */
#define PA_AUX_PMU_CAPS		"caps"
#define PA_AUX_PMU_CAP		"raw_ring"

#endif /* PERFAUX_AUX_PMUS_H */
