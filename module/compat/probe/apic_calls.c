// SPDX-License-Identifier: GPL-2.0-only
/* Probe: __apic_send_IPI_mask() exists, because callbacks of struct apic are static calls (6.6). */
#include <linux/cpumask.h>
#include <asm/apic.h>

void probe(int cpu);
void probe(int cpu)
{
	__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}
