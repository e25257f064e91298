/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are attached, and their PMUs.
 */
#ifndef PERFAUX_EVENT_H
#define PERFAUX_EVENT_H

#include <linux/perf_event.h>
#include <linux/pid.h>

#include "ring/attach.h"
#include "ring/ring.h"

/* lookup.c */
/*
 * Look up @event or the event from which it was inherited, attached with its
 * AUX data, or with its raw samples. Returns NULL if neither is attached. Any
 * context up to NMI, under rcu_read_lock() or with preemption off.
 */
struct pa_attached *pa_attached_find(struct perf_event *event);
struct pa_attached *pa_attached_find_raw(struct perf_event *event);
/* Likewise, attached as a trigger. */
struct pa_attached *pa_attached_find_trigger(struct perf_event *event);
bool pa_is_attached(struct perf_event *event);
/*
 * Process context, ring->lock held. pa_lookup_add() returns 0, -EBUSY (the event is attached) or
 * -ENOMEM. After pa_lookup_remove() lookups that have begun may still find the events on @list
 * until an RCU grace period is over.
 */
int pa_lookup_add(struct pa_attached *attached);
void pa_lookup_remove(const struct list_head *list);

/* pid.c */
/*
 * Return the number of current, of the kind @type, in the pid namespace @ns, or in that of
 * @event, as perf_event_pid_type() in kernel/events/core.c does. Any context.
 */
u32 pa_current_pid(struct pid_namespace *ns, enum pid_type type);
u32 pa_event_pid(struct perf_event *event, enum pid_type type);

/* pmu.c: returns whether the driver keeps the contract of aux_pmus.c */
bool pa_pmu_fits(const struct pmu *pmu);
/* pmu.c: process context, ring->lock held */
int pa_pmu_setup(struct pa_ring *ring, struct perf_event *event,
		 struct pmu *pmu);
void pa_pmu_release(struct pa_ring *ring);

/* event_fd.c: returns a reference to the file of a perf event, or ERR_PTR() */
struct file *pa_event_file(int fd);

/* pin.c: the first two process context, the others writers */
void pa_pin_init(struct pa_ring *ring);
void pa_pin_sync(struct pa_ring *ring);
void pa_pin_begin(struct pa_ring *ring, struct perf_event *event);
void pa_pin_end(struct pa_ring *ring, struct perf_event *event);

#endif /* PERFAUX_EVENT_H */
