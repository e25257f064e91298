/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choose the number and size of the raw ring's segments.
 */
#ifndef AUXREC_RAW_SIZE_H
#define AUXREC_RAW_SIZE_H

#include "session/options.h"

/*
 * Choose the raw ring's segments. @payloads, @aux: does the ring take frames, AUX data? @nr_cpus:
 * how many CPUs can write to it.
 */
void raw_size(const struct options *opt, bool payloads, bool aux, unsigned int nr_cpus,
	      __u32 *size, __u32 *nr);
/* The default for only AUX data of @nr_tasks. How many tasks these start is not known. */
void raw_size_tasks(size_t nr_tasks, unsigned int nr_cpus, __u32 *size, __u32 *nr);

#endif /* AUXREC_RAW_SIZE_H */
