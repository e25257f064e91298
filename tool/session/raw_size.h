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

/* A kept ring, see "Kept rings" in perfaux.h */
struct raw_kept {
	__u32 seg_size, nr_segs;
	size_t user_size;
};

/*
 * Divide the region of a kept ring. @data: does anything go to the ring's segments? Return 0, or
 * -EINVAL with a message.
 */
int raw_size_kept(const struct options *opt, __u64 region, bool data, struct raw_kept *kept,
		  struct diag *d);

#endif /* AUXREC_RAW_SIZE_H */
