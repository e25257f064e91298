// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>

struct rseq __user *probe(struct task_struct *task);
struct rseq __user *probe(struct task_struct *task)
{
	return task->rseq.usrptr;
}
