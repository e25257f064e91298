// SPDX-License-Identifier: GPL-2.0-only
/*
 * The numbers of the current task in a pid namespace. Any context.
 */
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "event/event.h"

u32 pa_current_pid(struct pid_namespace *ns, enum pid_type type)
{
	u32 nr;

	/*
	 * The task_struct itself has the numbers in the initial namespace. When a task is
	 * released, it loses its struct pid but not these numbers, and it has no events any
	 * more (do_exit() calls perf_event_exit_task() before exit_notify()).
	 */
	if (ns == &init_pid_ns)
		return type == PIDTYPE_TGID ? task_tgid_nr(current) : task_pid_nr(current);
	nr = __task_pid_nr_ns(current, type, ns);
	/*
	 * A released task has no number: return -1 for it. 0 is the idle task, or a task that
	 * is not in the namespace.
	 */
	return nr || pid_alive(current) ? nr : -1;
}

u32 pa_event_pid(struct perf_event *event, enum pid_type type)
{
	if (event->parent)
		event = event->parent;
	return pa_current_pid(event->ns, type);
}
