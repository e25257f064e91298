// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stop and start the PMU of an event on the CPU where the event runs, without
 * disabling the event. This ends a span that is being written, and lets an event
 * that found no segment look again. The core does the same when it unthrottles an
 * event (perf_adjust_freq_unthr_context()). An interrupt does it on the event's CPU.
 */
#include <linux/smp.h>

#include "ring/process.h"
#include "ring/writer.h"

struct pa_kick {
	struct pa_ring *ring;
	struct perf_event *event;
	unsigned int what;
};

/* Interrupts are off: the event cannot be scheduled in or out meanwhile. */
static void pa_kick_here(void *arg)
{
	struct pa_kick *kick = arg;
	struct perf_event *event = kick->event;
	unsigned int what = kick->what;

	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
	    pa_cpu_of(event) != smp_processor_id())
		return;
	if (what & PA_KICK_START && pa_sink_is_used_by(kick->ring, event))
		what |= PA_KICK_STOP;
	if (what & PA_KICK_STOP)
		event->pmu->stop(event, PERF_EF_UPDATE);
	/* hw.interrupts is MAX_INTERRUPTS (kernel/events/core.c) if the event is throttled. */
	if (what & PA_KICK_START &&
	    event->hw.state & PERF_HES_STOPPED &&
	    event->hw.interrupts != ~0ULL)
		event->pmu->start(event, 0);
}

static void pa_kick_one(struct pa_ring *ring, struct perf_event *event,
			unsigned int what)
{
	struct pa_kick kick = { .ring = ring, .event = event, .what = what };
	int cpu = pa_cpu_of(event);

	/*
	 * An event that moves to another CPU at this moment is scheduled out
	 * and in for that, which has the same effect. If the CPU goes offline,
	 * its events go with it, so the error can be ignored as well.
	 */
	if (cpu >= 0)
		smp_call_function_single(cpu, pa_kick_here, &kick, 1);
}

/*
 * Kick the event and its inherited children. The children stay while child_mutex
 * is held, see perf_event_exit_event().
 */
void pa_kick_event(struct pa_ring *ring, struct perf_event *event,
		   unsigned int what)
{
	struct perf_event *child;

	mutex_lock(&event->child_mutex);
	pa_kick_one(ring, event, what);
	list_for_each_entry(child, &event->child_list, child_list)
		pa_kick_one(ring, child, what);
	mutex_unlock(&event->child_mutex);
}
