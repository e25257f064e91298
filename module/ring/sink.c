// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sinks: where PMUs write when no segment is free. Each CPU has one page whose
 * data is thrown away. The PMU sees this page as an AUX area of many pages.
 *
 * If begin refused the PMU instead, the PMU would fail to start. For Intel PT
 * that is an error of pt_event_add(): the event is not active any more, so
 * nothing can start it again when there is room. (A task's context is tried at
 * its next time slice, a CPU's context in 6.1 never, and a pinned event stays
 * in error state.) Nor would anybody know how much was lost. A PMU that writes
 * to the sink stays ready. Its loss is counted to the byte and ends with the
 * span.
 *
 * A sink serves one event of a CPU at a time. PMUs with an AUX output allow
 * only one event on a CPU (PERF_PMU_CAP_EXCLUSIVE). If a second event comes,
 * also in an NMI in the middle of a begin, it is refused.
 */
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/slab.h>

#include "ring/process.h"
#include "ring/writer.h"

/* The largest size that the PMU sees: when it is full, the PMU looks for a segment again. */
#define PA_SINK_PAGES	64U

/* Return the sink of this CPU, or NULL if the sink is in use or was not set up. */
struct pa_segment *pa_sink_get(struct pa_ring *ring, struct perf_event *event,
			       enum perfaux_cause cause)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);

	if (!cpu->sink.priv || xchg(&cpu->sink_busy, 1))
		return NULL;
	cpu->sink_cause = cause;
	WRITE_ONCE(cpu->sink_event, event);
	return &cpu->sink;
}

/* Add the gap for a span that went to the sink. @size: bytes that the PMU wrote. */
void pa_sink_gap(struct pa_segment *sink, u64 size, u64 now)
{
	const struct pa_cpu *cpu = container_of(sink, struct pa_cpu, sink);
	const struct pa_gap gap = {
		.cause = cpu->sink_cause,
		.pid = sink->pid,
		.tid = sink->tid,
		.cookie = sink->cookie,
		.t_begin = sink->t_begin,
		.t_end = max(now, sink->t_begin),
		.bytes = size,
	};

	pa_count(&sink->ring->ctl->lost_bytes[gap.cause], size);
	pa_gap_add(sink->ring, &gap);
}

void pa_sink_put(struct pa_segment *sink)
{
	struct pa_cpu *cpu = container_of(sink, struct pa_cpu, sink);

	WRITE_ONCE(cpu->sink_event, NULL);
	/* Pairs with the xchg in pa_sink_get(), in an NMI. */
	smp_store_release(&cpu->sink_busy, 0);
}

/* Called on the CPU of the event, with interrupts off. */
bool pa_sink_is_used_by(struct pa_ring *ring, struct perf_event *event)
{
	return READ_ONCE(this_cpu_ptr(ring->cpu)->sink_event) == event;
}

static int pa_sink_alloc(struct pa_ring *ring, int i, struct perf_event *event,
			 struct pmu *pmu)
{
	unsigned int nr = min(ring->ctl->segment_size >> PAGE_SHIFT,
			      PA_SINK_PAGES), k;
	struct pa_segment *sink = &per_cpu_ptr(ring->cpu, i)->sink;
	struct page *page;

	page = alloc_pages_node(cpu_to_node(i),
				GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);
	if (!page)
		return -ENOMEM;
	sink->pages = kcalloc(nr, sizeof(*sink->pages), GFP_KERNEL_ACCOUNT);
	if (!sink->pages) {
		__free_page(page);
		return -ENOMEM;
	}
	for (k = 0; k < nr; k++)
		sink->pages[k] = page_address(page);
	sink->ring = ring;
	pa_segment_set_size(sink, nr << PAGE_SHIFT);
	sink->priv = pmu->setup_aux(event, sink->pages, nr, false);
	return sink->priv ? 0 : -ENOMEM;
}

/* Set up the sinks, as pa_pmu_setup() does for the segments. */
int pa_sinks_alloc(struct pa_ring *ring, struct perf_event *event,
		   struct pmu *pmu)
{
	int i;

	for_each_possible_cpu(i) {
		int ret = pa_sink_alloc(ring, i, event, pmu);

		if (ret)
			return ret;
	}
	return 0;
}

/* Free all sinks, also if only some were made. No writer is left. */
void pa_sinks_free(struct pa_ring *ring)
{
	int i;

	for_each_possible_cpu(i) {
		struct pa_segment *sink = &per_cpu_ptr(ring->cpu, i)->sink;

		if (sink->priv)
			ring->free_aux(sink->priv);
		if (sink->pages)
			free_page((unsigned long)sink->pages[0]);
		kfree(sink->pages);
		memset(sink, 0, sizeof(*sink));
	}
}
