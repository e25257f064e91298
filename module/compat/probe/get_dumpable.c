// SPDX-License-Identifier: GPL-2.0-only
/* Probe: get_dumpable() takes an mm. Newer kernels keep the flag in the task. */
#include <linux/sched/coredump.h>
#include <linux/sched.h>

int probe(void);
int probe(void)
{
	return get_dumpable(current->mm);
}
