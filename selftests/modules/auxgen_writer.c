// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writers of the kernel's AUX areas.
 *
 * An AUX area can have one writer: with a second one perf_aux_output_begin() warns,
 * because rb->aux_nest is not 0. Drivers have PERF_PMU_CAP_EXCLUSIVE, with which
 * the core refuses a second event. auxgen can have many events with output to one
 * ring (PERF_EVENT_IOC_SET_OUTPUT), and an inherited event has one on each CPU. So
 * an event does not begin unless it is the first writer.
 *
 * The handle of a redirected event has another ring, which can have many writers.
 * But an NMI does not begin while another event with the same main ring does.
 */
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "auxgen_pmu.h"

/* All running events. Readers are RCU readers: they have interrupts off or are in an NMI. */
static LIST_HEAD(auxgen_writers);
static DEFINE_RAW_SPINLOCK(auxgen_writers_lock);

/*
 * Called when the event starts and when it has stopped, with interrupts off, not in
 * NMI.
 */
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

/*
 * Called before begin. If two events ask at the same time, possibly neither is the
 * first.
 */
bool auxgen_writer_claim(struct auxgen_writer *w, const struct perf_event *event)
{
	struct perf_buffer *rb = READ_ONCE((event->parent ?: event)->rb);
	const struct auxgen_writer *other;

	/* From here on an NMI and other CPUs see this writer. */
	WRITE_ONCE(w->rb, rb);
	/* Pairs with the same barrier in another context. */
	smp_mb();
	if (!rb)
		return true;
	list_for_each_entry_rcu(other, &auxgen_writers, list, 1) {
		if (other == w || READ_ONCE(other->rb) != rb)
			continue;
		WRITE_ONCE(w->rb, NULL);
		return false;
	}
	/*
	 * Pairs with auxgen_writer_has(): the last writer's data in the ring is
	 * visible.
	 */
	smp_rmb();
	return true;
}

/* Called after begin with the handle's ring (NULL if it has none), and after end. */
void auxgen_writer_has(struct auxgen_writer *w, struct perf_buffer *rb)
{
	/* Pairs with auxgen_writer_claim(): the data in the ring is visible before. */
	smp_store_release(&w->rb, rb);
}
