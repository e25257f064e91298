// SPDX-License-Identifier: GPL-2.0-only
/* Probe: TWAF_NO_ALLOC exists (6.12, removed later). */
#include <linux/task_work.h>

int probe(struct task_struct *task, struct callback_head *work);
int probe(struct task_struct *task, struct callback_head *work)
{
	return task_work_add(task, work, TWA_RESUME | TWAF_NO_ALLOC);
}
