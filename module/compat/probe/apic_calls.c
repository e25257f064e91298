// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <asm/apic.h>

void probe(int cpu);
void probe(int cpu)
{
	__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}
