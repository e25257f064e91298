// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work that a stepped task does before it continues in user space.
 */
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>

#include "softpt.h"

/*
 * Runs at the return to user space. io_uring can also run it in the middle of a
 * system call, and do_exit() runs it, too.
 */
void spt_work(struct callback_head *work)
{
	struct spt_task *t = container_of(work, struct spt_task, work);
	struct spt_cpu *c;
	bool active = false;

	WRITE_ONCE(t->queued, false);
	if (!(current->flags & (PF_EXITING | PF_KTHREAD)) && current->mm) {
		/*
		 * Nobody uses what spt_code_refresh() finds before the step that
		 * was put off is encoded.
		 */
		if (t->put_off)
			spt_code_fetch(t);
		else
			spt_code_refresh(t);
		local_irq_disable();
		c = spt_current();
		active = c && c->task == t;
		if (active)
			spt_trace_resume(c, current_pt_regs());
		local_irq_enable();
		if (active && t->stepping)
			spt_signals_entered(t);
		/* Without steps the grace would never end. */
		if (!active || !t->stepping || spt_signals_are_due(t))
			spt_signals_end(t);
	}
	if (!active) {
		/* softpt will not see where the held instruction led to. */
		t->held = false;
		t->silent = false;
		t->pair = SPT_PAIR_NONE;
		t->put_off = false;
		spt_code_forget(t);
	}
	local_irq_disable();
	spt_task_unbind(t);
	local_irq_enable();
}
