/* SPDX-License-Identifier: GPL-2.0-only */
/* The next online CPU. */
#ifndef NEXT_CPU_H
#define NEXT_CPU_H

#include <linux/cpumask.h>

/*
 * Return the next online CPU after @cpu, or @cpu if no other CPU is online. Works
 * in any context, while CPUs go on- and offline: cpu_online() reads a bit with
 * test_bit(), which allows concurrent changes; cpumask_next() reads words as if
 * nobody changed them (find_next_bit()).
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
