// SPDX-License-Identifier: GPL-2.0-only
/*
 * What belongs to a task and not to one of its events: a task may have one event
 * for each CPU, of which the one is active on whose CPU the task runs.
 *
 * Nothing can be allocated when a task is scheduled in, and which task that will
 * be is not known when the event is made: until it is first active perf may give
 * it to another one that has inherited the same (perf_event_context_sched_out()).
 * So each event brings one along, which is used if the task has none.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

#include "softpt.h"

static DEFINE_RAW_SPINLOCK(spt_tasks_lock);
static DEFINE_HASHTABLE(spt_tasks, 6);

static void spt_task_hold_locked(struct spt_task *t)
{
	t->bound++;
	refcount_inc(&t->ref);
}

static void spt_task_hold(struct spt_task *t)
{
	raw_spin_lock(&spt_tasks_lock);
	spt_task_hold_locked(t);
	raw_spin_unlock(&spt_tasks_lock);
}

void spt_task_unbind(struct spt_task *t)
{
	raw_spin_lock(&spt_tasks_lock);
	if (!--t->bound)
		hash_del(&t->node);
	raw_spin_unlock(&spt_tasks_lock);
	spt_task_put(t);
}

/*
 * At the return to user space; also from io_uring in the middle of a system
 * call, and from do_exit().
 */
static void spt_task_work(struct callback_head *work)
{
	struct spt_task *t = container_of(work, struct spt_task, work);
	struct spt_cpu *c;
	bool active = false;

	WRITE_ONCE(t->queued, false);
	if (!(current->flags & (PF_EXITING | PF_KTHREAD)) && current->mm) {
		/* What it finds is not asked for before the step has been told. */
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
		/* Without steps they would never be due. */
		if (!active || !t->stepping || spt_signals_are_due(t))
			spt_signals_end(t);
	}
	if (!active) {
		/* What it has led to will not be seen. */
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

/* Interrupts are off; the runqueue may be locked, so memory cannot be had. */
void spt_task_queue(struct spt_task *t)
{
	if (t->queued)
		return;
	t->queued = true;
	spt_task_hold(t);
	/* Not in a task that is about to be gone. */
	if (pa_task_work_add(current, &t->work)) {
		t->queued = false;
		spt_task_unbind(t);
	}
}

struct spt_task *spt_task_alloc(void)
{
	struct spt_task *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	refcount_set(&t->ref, 1);
	init_task_work(&t->work, spt_task_work);
	/* A work may run long after the event is gone. */
	__module_get(THIS_MODULE);
	return t;
}

void spt_task_put(struct spt_task *t)
{
	if (!refcount_dec_and_test(&t->ref))
		return;
	kfree(t);
	module_put(THIS_MODULE);
}

static struct spt_task *spt_task_find(const struct task_struct *task)
{
	struct spt_task *t;

	hash_for_each_possible(spt_tasks, t, node, (unsigned long)task) {
		if (t->task == task)
			return t;
	}
	return NULL;
}

/* What a task had on its mind is nothing to another one. */
static void spt_task_reset(struct spt_task *t)
{
	memset_startat(t, 0, stepping);
	t->task = current;
}

struct spt_task *spt_task_bind(struct spt_task *spare)
{
	struct spt_task *t;

	raw_spin_lock(&spt_tasks_lock);
	t = spt_task_find(current);
	if (!t && !spare->bound) {
		t = spare;
		if (t->task != current)
			spt_task_reset(t);
		hash_add(spt_tasks, &t->node, (unsigned long)current);
	}
	if (t)
		spt_task_hold_locked(t);
	raw_spin_unlock(&spt_tasks_lock);
	return t;
}
