/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NEXT_CPU_H
#define NEXT_CPU_H

#include <linux/cpumask.h>

/*
 * The CPU after @cpu that is online, or @cpu if no other is. From any context, so CPUs
 * may come and go meanwhile: cpu_online() reads a bit as something that others change
 * (test_bit()), cpumask_next() reads words as if nobody did (find_next_bit()).
 */
static inline unsigned int next_online_cpu(unsigned int cpu)
{
	unsigned int next = cpu;

	do {
		next = next + 1 < nr_cpu_ids ? next + 1 : 0;
	} while (next != cpu && !cpu_online(next));
	return next;
}
#endif
