// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sinks: where PMUs write when no segment is free. A sink is one page whose data is
 * thrown away. The PMU sees this page as an AUX area of many pages.
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
 *
 * A CPU takes a sink when it needs one for the first time, and keeps it for as long as the ring has
 * a PMU. How many there are: sink_memory.c.
 */
#include <linux/bitops.h>
#include <linux/smp.h>

#include "ring/bits.h"
#include "ring/writer.h"

static struct pa_sink *pa_sink_of(struct pa_segment *seg)
{
	return container_of(seg, struct pa_sink, seg);
}

/* Take one of the free sinks for this CPU. */
static struct pa_sink *pa_sink_take(struct pa_ring *ring, struct pa_cpu *cpu)
{
	/* Pairs with pa_sinks_add(): sinks with a lower index are complete. */
	unsigned int nr = smp_load_acquire(&ring->nr_sinks), i;
	struct pa_sink *mine;

	for (i = pa_next_bit(ring->free_sinks, nr, 0); i < nr;
	     i = pa_next_bit(ring->free_sinks, nr, i + 1)) {
		if (!test_and_clear_bit(i, ring->free_sinks))
			continue;
		mine = cmpxchg(&cpu->sink, NULL, ring->sinks[i]);
		if (!mine)
			return ring->sinks[i];
		/* An NMI was faster. */
		set_bit(i, ring->free_sinks);
		return mine;
	}
	return NULL;
}

/* Return a sink for this CPU, or NULL if the CPU's sink is in use or no sink is left. */
struct pa_segment *pa_sink_get(struct pa_ring *ring, struct perf_event *event,
			       enum perfaux_cause cause)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	struct pa_sink *sink = READ_ONCE(cpu->sink) ?: pa_sink_take(ring, cpu);

	if (!sink || xchg(&sink->busy, 1))
		return NULL;
	sink->cause = cause;
	WRITE_ONCE(sink->event, event);
	return &sink->seg;
}

/* Add the gap for a span that went to the sink. @size: bytes that the PMU wrote. */
void pa_sink_gap(struct pa_segment *sink, u64 size, u64 now)
{
	const struct pa_gap gap = {
		.cause = pa_sink_of(sink)->cause,
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

void pa_sink_put(struct pa_segment *seg)
{
	struct pa_sink *sink = pa_sink_of(seg);

	WRITE_ONCE(sink->event, NULL);
	/* Pairs with the xchg in pa_sink_get(), in an NMI. */
	smp_store_release(&sink->busy, 0);
}

/* Called on the CPU of the event, with interrupts off. */
bool pa_sink_is_used_by(struct pa_ring *ring, struct perf_event *event)
{
	const struct pa_sink *sink = READ_ONCE(this_cpu_ptr(ring->cpu)->sink);

	return sink && READ_ONCE(sink->event) == event;
}
