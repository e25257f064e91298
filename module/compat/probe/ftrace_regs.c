// SPDX-License-Identifier: GPL-2.0-only
/* Probe: an ftrace callback can access arguments without full registers (6.2). */
#include <linux/ftrace.h>

unsigned long probe(struct ftrace_regs *fregs);
unsigned long probe(struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, 0);
	return ftrace_regs_get_argument(fregs, 1);
}
