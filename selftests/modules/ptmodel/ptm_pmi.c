// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMI: an NMI that the CPU sends to itself, so it can come after any
 * instruction. Its handler does what handle_pmi_common() in
 * arch/x86/events/intel/core.c does when TraceToPAPMI is set in
 * IA32_PERF_GLOBAL_STATUS.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "ptm.h"

/* Called with interrupts off, or in an NMI. An NMI that is sent in an NMI comes after it. */
void ptm_pmi_send(struct ptm_cpu *p)
{
	auxgen_send_nmi(smp_processor_id());
}

static int ptm_nmi(unsigned int type, struct pt_regs *regs)
{
	struct ptm_cpu *p = this_cpu_ptr(&ptm_cpu);

	if (!READ_ONCE(p->pmi))
		return NMI_DONE;
	if (READ_ONCE(p->busy)) {
		p->resend = true;
		p->again++;
		return NMI_HANDLED;
	}
	WRITE_ONCE(p->pmi, false);
	/* If another PMI is due, this NMI serves it, too. */
	p->skid = -1;
	p->pmis++;
	ptm_interrupt();
	return NMI_HANDLED;
}

int ptm_pmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, ptm_nmi, 0, "ptmodel");
}

void ptm_pmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ptmodel");
}
