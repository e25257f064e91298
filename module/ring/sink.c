// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where PMUs write when no segment is free: for each CPU one page that is
 * thrown away, which the PMU sees as an AUX area of many.
 *
 * Refusing the PMU instead would have it fail to start. For Intel PT that is an
 * error of pt_event_add(): the event is not active any more, so nothing can
 * start it again when there is room (task contexts are tried at their next
 * time slice, a CPU's context in 6.1 never, a pinned event is put in error
 * state for good), and how much was lost remains unknown. A PMU that writes to
 * the sink stays ready, its loss is counted to the byte and ends with the span.
 *
 * A sink serves one event of a CPU at a time. PMUs with an AUX output allow
 * only one (PERF_PMU_CAP_EXCLUSIVE); if another one comes, also in an NMI in
 * the middle of a begin, it is refused.
 */
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/slab.h>

#include "ring/process.h"
#include "ring/writer.h"

/* Size that the PMU sees, at most: it is asked to look for room this often. */
#define PA_SINK_PAGES	64U

/* Returns the sink of this CPU, or NULL if it is in use. */
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

/* @size: bytes that the PMU wrote. */
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

/* On the CPU of the event, interrupts are off. */
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

/* What pa_pmu_setup() does for the segments. */
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

/* Nobody writes. Also of sinks that were made in part. */
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
