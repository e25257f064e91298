// SPDX-License-Identifier: GPL-2.0-only
/* Probe: struct pt_regs has fred_ss (6.9). */
#include <linux/ptrace.h>

void probe(struct pt_regs *regs);
void probe(struct pt_regs *regs)
{
	regs->fred_ss.swevent = 0;
}
