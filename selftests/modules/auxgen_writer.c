// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who writes to an AUX area of the kernel. It has one writer: with a second one
 * perf_aux_output_begin() warns, as rb->aux_nest is not 0. Drivers have
 * PERF_PMU_CAP_EXCLUSIVE, with which the core refuses a second event; here there may be
 * many, with their output to one ring (PERF_EVENT_IOC_SET_OUTPUT), and of an event that is
 * inherited one on each CPU. So whoever is not the first does not begin.
 *
 * Of what perfaux redirects the handle has another ring, which may have many writers; but of
 * events that have one main ring an NMI does not begin while another one of them does.
 */
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "auxgen_pmu.h"

/* All events that run. Interrupts are off where it is read, or it is an NMI: that is RCU. */
static LIST_HEAD(auxgen_writers);
static DEFINE_RAW_SPINLOCK(auxgen_writers_lock);

/* When the event starts and when it has stopped, with interrupts off, not in NMI. */
void auxgen_writer_add(struct auxgen_writer *w)
{
	raw_spin_lock(&auxgen_writers_lock);
	list_add_rcu(&w->list, &auxgen_writers);
	raw_spin_unlock(&auxgen_writers_lock);
}

void auxgen_writer_del(struct auxgen_writer *w)
{
	raw_spin_lock(&auxgen_writers_lock);
	list_del_rcu(&w->list);
	raw_spin_unlock(&auxgen_writers_lock);
}

/* Before begin. Of two that ask at the same time none may be the first. */
bool auxgen_writer_claim(struct auxgen_writer *w, const struct perf_event *event)
{
	struct perf_buffer *rb = READ_ONCE((event->parent ?: event)->rb);
	const struct auxgen_writer *other;

	/* It is what an NMI looks at from here on, and another CPU. */
	WRITE_ONCE(w->rb, rb);
	/* Pairs with itself. */
	smp_mb();
	if (!rb)
		return true;
	list_for_each_entry_rcu(other, &auxgen_writers, list, 1) {
		if (other == w || READ_ONCE(other->rb) != rb)
			continue;
		WRITE_ONCE(w->rb, NULL);
		return false;
	}
	/* Pairs with auxgen_writer_has(): what the last one wrote to the ring is seen. */
	smp_rmb();
	return true;
}

/* After begin, and after end: with the handle's ring, or NULL if it has none. */
void auxgen_writer_has(struct auxgen_writer *w, struct perf_buffer *rb)
{
	/* Pairs with auxgen_writer_claim(): what was written to the ring is. */
	smp_store_release(&w->rb, rb);
}
