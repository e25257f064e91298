// SPDX-License-Identifier: GPL-2.0-only
/* Probe: a task has one context of perf events (6.2). */
#include <linux/rcupdate.h>
#include <linux/sched.h>

struct perf_event_context *probe(struct task_struct *task);
struct perf_event_context *probe(struct task_struct *task)
{
	return rcu_dereference(task->perf_event_ctxp);
}
