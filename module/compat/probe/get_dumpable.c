// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/coredump.h>
#include <linux/sched.h>

int probe(void);
int probe(void)
{
	return get_dumpable(current->mm);
}
