/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event that writes to a ring.
 */
#ifndef PERFAUX_RING_ATTACH_H
#define PERFAUX_RING_ATTACH_H

#include <linux/perf_event.h>
#include <linux/uidgid.h>

struct pa_ring;

/* One attached event; its inherited children are found through ->parent. */
struct pa_attached {
	struct hlist_node node[2];	/* in a table, see event/table.c */
	struct list_head list;		/* in ring->attached */
	struct perf_event *event;
	struct file *file;		/* keeps the event */
	struct pa_ring *ring;
	kuid_t payer;			/* see pa_charge_event() */
	u64 cookie;
	u32 flags;			/* PERFAUX_ATTACH_* */
	u32 post;
	bool sampled;			/* see pa_is_sampled() */
};

#endif /* PERFAUX_RING_ATTACH_H */
