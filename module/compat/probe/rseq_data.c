// SPDX-License-Identifier: GPL-2.0-only
/* Probe: task->rseq is a struct with usrptr (6.19). */
#include <linux/sched.h>

struct rseq __user *probe(struct task_struct *task);
struct rseq __user *probe(struct task_struct *task)
{
	return task->rseq.usrptr;
}
