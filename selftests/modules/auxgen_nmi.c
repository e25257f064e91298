// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs for auxgen. The timer of one CPU sends an NMI to the next CPU, so NMIs
 * arrive at any instruction, also in the middle of a begin or an end.
 */
#include <linux/percpu.h>
#include <linux/smp.h>

#include "auxgen_pmu.h"
#include "next_cpu.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>

/*
 * Returns how many NMIs it has served. If it serves two PMUs, the NMI of the second
 * one may still come, and then belongs to nobody.
 */
static int auxgen_nmi(unsigned int type, struct pt_regs *regs)
{
	int i, handled = 0;

	for (i = 0; i < AUXGEN_PMUS_MAX && auxgen_pmus[i].cpus; i++) {
		if (!this_cpu_xchg(auxgen_pmus[i].cpus->nmi_pending, 0))
			continue;
		auxgen_write_nmi(&auxgen_pmus[i]);
		handled++;
	}
	return handled;
}

/* Interrupts are off. */
void auxgen_nmi_send_next(struct auxgen_pmu *pmu)
{
	unsigned int cpu = next_online_cpu(smp_processor_id());

	/* At this moment that CPU may handle an NMI of another sender. */
	WRITE_ONCE(per_cpu_ptr(pmu->cpus, cpu)->nmi_pending, 1);
	auxgen_send_nmi(cpu);
}

int auxgen_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, auxgen_nmi, 0, "auxgen");
}

void auxgen_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "auxgen");
}

bool auxgen_nmi_works(void)
{
	return true;
}

#else

void auxgen_nmi_send_next(struct auxgen_pmu *pmu)
{
}

int auxgen_nmi_init(void)
{
	return 0;
}

void auxgen_nmi_exit(void)
{
}

bool auxgen_nmi_works(void)
{
	return false;
}
#endif
