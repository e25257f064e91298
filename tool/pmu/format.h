/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format/ directory of a PMU.
 */
#ifndef AUXREC_PMU_FORMAT_H
#define AUXREC_PMU_FORMAT_H

struct pmu;

/* Return 0 (also for a PMU without formats) or -ENOMEM. */
int pmu_formats_read(struct pmu *pmu);
void pmu_formats_free(struct pmu *pmu);

#endif /* AUXREC_PMU_FORMAT_H */
