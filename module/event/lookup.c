// SPDX-License-Identifier: GPL-2.0-only
/*
 * Look up whether an event is attached, and to which ring.
 *
 * Every begin of every AUX PMU looks an event up, and so does every sample while the
 * hooks of raw_hook.c are in place, in any context, as RCU readers. Changes are made
 * under pa_attach_lock, inside ring->lock.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "event/event.h"
#include "event/table.h"
#include "ring/process.h"

static struct pa_table pa_table;
static struct pa_table pa_raw_table;
static struct pa_table pa_trigger_table;
static DEFINE_MUTEX(pa_attach_lock);

notrace struct pa_attached *pa_attached_find(struct perf_event *event)
{
	return pa_table_find(&pa_table, event->parent ?: event);
}

notrace struct pa_attached *pa_attached_find_raw(struct perf_event *event)
{
	return pa_table_find(&pa_raw_table, event->parent ?: event);
}

notrace struct pa_attached *pa_attached_find_trigger(struct perf_event *event)
{
	return pa_table_find(&pa_trigger_table, event->parent ?: event);
}

bool pa_is_attached(struct perf_event *event)
{
	bool found;

	rcu_read_lock();
	found = pa_attached_find(event) || pa_attached_find_raw(event) ||
		pa_attached_find_trigger(event);
	rcu_read_unlock();
	return found;
}

static struct pa_table *pa_table_of(const struct pa_attached *attached)
{
	if (attached->flags & PERFAUX_ATTACH_RAW)
		return &pa_raw_table;
	if (attached->flags & PERFAUX_ATTACH_TRIGGER)
		return &pa_trigger_table;
	return &pa_table;
}

int pa_lookup_add(struct pa_attached *attached)
{
	struct perf_event *event = attached->event;
	int ret = -EBUSY;

	mutex_lock(&pa_attach_lock);
	if (!pa_is_attached(event)) {
		/* A writer needs the clock, so set it before a lookup can find the event. */
		pa_clock_take(attached->ring, event);
		ret = pa_table_add(pa_table_of(attached), attached);
	}
	mutex_unlock(&pa_attach_lock);
	return ret;
}

void pa_lookup_remove(const struct list_head *list)
{
	struct pa_attached *attached;

	mutex_lock(&pa_attach_lock);
	list_for_each_entry(attached, list, list)
		pa_table_remove(pa_table_of(attached), attached);
	pa_table_removed(&pa_table);
	pa_table_removed(&pa_raw_table);
	pa_table_removed(&pa_trigger_table);
	mutex_unlock(&pa_attach_lock);
}
