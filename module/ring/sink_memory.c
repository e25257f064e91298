// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of sinks. It does not depend on the number of possible CPUs: a ring has as many sinks
 * as CPUs are online (at most PA_SINKS) or as events are attached, whichever is more. When few are
 * free, a work makes more. Until then a CPU may find none. Its event is then refused, and tries
 * again when it is scheduled in.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ring/attach.h"
#include "ring/bits.h"
#include "ring/process.h"

/* The largest size that the PMU sees: when it is full, the PMU looks for a segment again. */
#define PA_SINK_PAGES	64U

/* With its first event, a ring gets a sink for each CPU that is online, but at most this number. */
#define PA_SINKS	64U

static void pa_sink_free(struct pa_ring *ring, struct pa_sink *sink)
{
	if (sink->seg.priv)
		ring->free_aux(sink->seg.priv);
	if (sink->seg.pages)
		free_page((unsigned long)sink->seg.pages[0]);
	kfree(sink->seg.pages);
	kfree(sink);
}

static struct pa_sink *pa_sink_alloc(struct pa_ring *ring, struct perf_event *event)
{
	unsigned int nr = min(ring->ctl->segment_size >> PAGE_SHIFT,
			      PA_SINK_PAGES), k;
	struct pa_sink *sink = kzalloc(sizeof(*sink), GFP_KERNEL_ACCOUNT);

	if (!sink)
		return NULL;
	sink->seg.ring = ring;
	pa_segment_set_size(&sink->seg, nr << PAGE_SHIFT);
	sink->seg.pages = kcalloc(nr, sizeof(void *), GFP_KERNEL_ACCOUNT);
	if (!sink->seg.pages)
		goto err;
	sink->seg.pages[0] = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!sink->seg.pages[0])
		goto err;
	for (k = 1; k < nr; k++)
		sink->seg.pages[k] = sink->seg.pages[0];
	sink->seg.priv = ring->setup_aux(event, sink->seg.pages, nr, false);
	if (sink->seg.priv)
		return sink;
err:
	pa_sink_free(ring, sink);
	return NULL;
}

unsigned int pa_sinks_at_first(void)
{
	return min(num_online_cpus(), PA_SINKS);
}

/*
 * Let the ring have @nr sinks, up to one for each possible CPU. @event is attached, or about to
 * be. Process context, ring->lock held. Returns 0 or -ENOMEM.
 */
static int pa_sinks_add(struct pa_ring *ring, struct perf_event *event, unsigned int nr)
{
	struct pa_sink *sink;

	nr = min(nr, num_possible_cpus());
	while (ring->nr_sinks < nr) {
		sink = pa_sink_alloc(ring, event);
		if (!sink)
			break;
		ring->sinks[ring->nr_sinks] = sink;
		set_bit(ring->nr_sinks, ring->free_sinks);
		/* Pairs with pa_sink_take(). */
		smp_store_release(&ring->nr_sinks, ring->nr_sinks + 1);
		cond_resched();
	}
	pa_charge_sinks(ring, ring->nr_sinks);
	return ring->nr_sinks < nr ? -ENOMEM : 0;
}

int pa_sinks_for_event(struct pa_ring *ring, struct perf_event *event)
{
	return pa_sinks_add(ring, event, max(pa_sinks_at_first(), ring->nr_attached + 1));
}

bool pa_sinks_are_few(struct pa_ring *ring)
{
	const unsigned int nr = READ_ONCE(ring->nr_sinks);
	unsigned int few = DIV_ROUND_UP(nr, 4), i;

	if (!nr || nr >= num_possible_cpus())
		return false;
	for (i = pa_next_bit(ring->free_sinks, nr, 0); i < nr && few;
	     i = pa_next_bit(ring->free_sinks, nr, i + 1))
		few--;
	return few;
}

void pa_sinks_refill(struct pa_ring *ring)
{
	struct pa_attached *attached;

	if (!pa_sinks_are_few(ring))
		return;
	list_for_each_entry(attached, &ring->attached, list)
		/* If there is no memory, the next writer that starves asks again. */
		if (!attached->flags) {
			pa_sinks_add(ring, attached->event, 2 * ring->nr_sinks);
			return;
		}
}

void pa_sinks_free(struct pa_ring *ring)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(ring->cpu, cpu)->sink = NULL;
	for (i = 0; i < ring->nr_sinks; i++) {
		pa_sink_free(ring, ring->sinks[i]);
		clear_bit(i, ring->free_sinks);
	}
	/* An interrupt may ask whether the sinks are few. */
	WRITE_ONCE(ring->nr_sinks, 0);
}
