// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a stepped task (struct spt_task), which belongs to the task and not
 * to one of its events. A task may have one event for each CPU. The event of the
 * CPU on which the task runs is active.
 *
 * The state cannot be allocated when a task is scheduled in. When an event is made, its
 * task is not known yet: until the event is first active, perf may give it to another
 * task that has inherited the same events (perf_event_context_sched_out()). So each
 * event brings a spare state, which is used if the task has none.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched.h>
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

/* Interrupts are off. The runqueue may be locked, so memory cannot be allocated. */
void spt_task_queue(struct spt_task *t)
{
	if (t->queued)
		return;
	t->queued = true;
	spt_task_hold(t);
	/* This fails if the task is exiting. */
	if (pa_task_work_add(current, &t->work)) {
		t->queued = false;
		spt_task_unbind(t);
	}
}

struct spt_task *spt_task_alloc(task_work_func_t work)
{
	struct spt_task *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	refcount_set(&t->ref, 1);
	init_task_work(&t->work, work);
	/* The work may run long after the event is gone. */
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

/* The state of one task means nothing to another task. */
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
