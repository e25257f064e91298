// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ptrace.h>

void probe(struct pt_regs *regs);
void probe(struct pt_regs *regs)
{
	regs->fred_ss.swevent = 0;
}
