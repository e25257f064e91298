/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the files of a PMU in sysfs.
 */
#ifndef AUXREC_PMU_FILE_H
#define AUXREC_PMU_FILE_H

#include <stddef.h>

struct pmu;

/* Read the first line of file @name of the PMU. Return 0 or -errno. */
int pmu_read_file(const struct pmu *pmu, const char *name,
		  char *buf, size_t size);
/* Return the number in file @name, in @base (0: as in C), or @otherwise. */
unsigned long long pmu_read_number(const struct pmu *pmu, const char *name,
				   int base, unsigned long long otherwise);

#endif /* AUXREC_PMU_FILE_H */
