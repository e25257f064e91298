/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many segments the raw ring has, and of which size.
 */
#ifndef AUXREC_RAW_SIZE_H
#define AUXREC_RAW_SIZE_H

#include "session/options.h"

/* @payloads, @aux: does the ring take frames, AUX data? @nr_cpus: how many CPUs may write to it. */
void raw_size(const struct options *opt, bool payloads, bool aux, unsigned int nr_cpus,
	      __u32 *size, __u32 *nr);
/* The default for AUX data alone of @nr_tasks; what they start is not known. */
void raw_size_tasks(size_t nr_tasks, unsigned int nr_cpus, __u32 *size, __u32 *nr);

#endif /* AUXREC_RAW_SIZE_H */
