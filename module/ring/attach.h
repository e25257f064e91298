/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_ATTACH_H
#define PERFAUX_ATTACH_H

#include <linux/perf_event.h>
#include <linux/uidgid.h>

struct pa_ring;
struct perfaux_attach;

/* One attached event; its inherited children are found through ->parent. */
struct pa_attached {
	struct hlist_node node[2];	/* in a table, see attach_table.c */
	struct list_head list;		/* in ring->attached */
	struct perf_event *event;
	struct file *file;		/* keeps the event */
	struct pa_ring *ring;
	kuid_t payer;			/* see pa_charge_event() */
	u64 cookie;
	u32 flags;			/* PERFAUX_ATTACH_* */
	u32 post;
};

/* attach.c */
int pa_attach(struct pa_ring *ring, const struct perfaux_attach *arg);
int pa_detach(struct pa_ring *ring, int fd);
void pa_detach_all(struct pa_ring *ring);

/*
 * Any context up to NMI, under rcu_read_lock() or with preemption off.
 * Returns NULL if neither @event nor the event it was inherited from is
 * attached: with its AUX data, or with its raw samples.
 */
struct pa_attached *pa_attached_find(struct perf_event *event);
struct pa_attached *pa_attached_find_raw(struct perf_event *event);
/* Likewise, as a trigger. */
struct pa_attached *pa_attached_find_trigger(struct perf_event *event);

/* freeze.c */
void pa_trigger(const struct pa_attached *attached, struct perf_event *event);

/* raw_hook.c: process context */
int pa_raw_hook_get(void);
void pa_raw_hook_put(void);

/* pmu.c: does the driver keep the contract of aux_pmus.c? */
bool pa_pmu_fits(const struct pmu *pmu);

/* pmu.c: process context, ring->lock held */
int pa_pmu_setup(struct pa_ring *ring, struct perf_event *event,
		 struct pmu *pmu);
void pa_pmu_release(struct pa_ring *ring);

/* event_fd.c: a reference to the file of a perf event, or ERR_PTR() */
struct file *pa_event_file(int fd);

/* kick.c: process context */
#define PA_KICK_STOP	BIT(0)	/* end the span that is being written */
#define PA_KICK_START	BIT(1)	/* start what is stopped or writes to a sink */
void pa_kick_event(struct pa_ring *ring, struct perf_event *event,
		   unsigned int what);

#endif /* PERFAUX_ATTACH_H */
