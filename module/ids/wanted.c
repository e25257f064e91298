// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell whether any perf event takes the record, with its build-id, of a mapping that
 * current makes. perf_event_mmap_event() calls its parser before it knows that, for every
 * mapping of every task while one event anywhere has attr.build_id.
 *
 * The answer comes from the lists that perf_iterate_sb() goes through: the events of the
 * task, which are in its contexts, and the events of the CPU, which are in pmu_sb_events.
 * That variable is static, and kprobes do not find per-CPU variables as they find other
 * data (see pa_data()). So the module puts an event of its own on the list of a CPU for a
 * moment, and finds the head of the list from there.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "ids/ids.h"

/* The offset of pmu_sb_events from per_cpu_offset(); 0: not known */
static unsigned long pa_cpu_list;

/*
 * An event that is off may be on a moment later, so all events count except those that
 * have failed (PERF_EVENT_STATE_ERROR) or are over. For the same reason the CPU of a task's
 * event does not matter. The task may continue on another CPU before the record is written.
 * If only that CPU is recorded, the record has the id only if the file is in memory or its
 * id is known.
 */
static bool pa_event_wants(const struct perf_event *event, bool exec)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->build_id && attr->mmap2 && (exec || attr->mmap_data) &&
	       READ_ONCE(event->state) >= PERF_EVENT_STATE_OFF;
}

/* RCU reader, preemption off. */
static bool pa_cpu_wants(bool exec)
{
	const struct perf_event *event;
	const struct list_head *head;

	if (!pa_cpu_list)
		return exec;
	head = (void *)(pa_cpu_list + per_cpu_offset(smp_processor_id()));
	list_for_each_entry_rcu(event, head, sb_list)
		if (pa_event_wants(event, exec))
			return true;
	return false;
}

/* RCU reader. */
static bool pa_task_wants(bool exec)
{
	const struct perf_event_context *ctx;
	const struct perf_event *event;
	int i;

	for (i = 0; i < PA_NR_TASK_CONTEXTS; i++) {
		ctx = pa_task_context(current, i);
		if (!ctx)
			continue;
		list_for_each_entry_rcu(event, &ctx->event_list, event_entry)
			if (pa_event_wants(event, exec))
				return true;
	}
	return false;
}

bool pa_ids_record_is_wanted(bool exec)
{
	bool wanted;

	rcu_read_lock();
	preempt_disable();
	wanted = pa_cpu_wants(exec) || pa_task_wants(exec);
	preempt_enable();
	rcu_read_unlock();
	return wanted;
}

/* All entries except the head are in events, which are objects of a slab cache. */
static bool pa_is_list_head(const struct list_head *at)
{
	return !virt_addr_valid(at) || !PageSlab(virt_to_head_page(at));
}

static unsigned long pa_find_cpu_list(const struct perf_event *event)
{
	const struct list_head *at;
	unsigned long found = 0;

	rcu_read_lock();
	for (at = rcu_dereference(list_next_rcu(&event->sb_list));
	     at && at != &event->sb_list && !found;
	     at = rcu_dereference(list_next_rcu(at)))
		if (pa_is_list_head(at))
			found = (unsigned long)at - per_cpu_offset(event->cpu);
	rcu_read_unlock();
	return found;
}

/* If this fails, every mapping that can be executed counts as wanted. */
void pa_ids_wanted_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.mmap2 = 1,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(),
						 NULL, NULL, NULL);
	if (IS_ERR(event))
		return;
	pa_cpu_list = pa_find_cpu_list(event);
	perf_event_release_kernel(event);
}
