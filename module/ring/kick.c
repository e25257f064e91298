// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stopping and starting the PMU of an event where it runs, without disabling
 * the event: to end a span that is being written, and to let an event look
 * again that found no segment. This is what the core does when it unthrottles an event
 * (perf_adjust_freq_unthr_context()), by interrupt on the event's CPU.
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
	/* hw.interrupts: MAX_INTERRUPTS of kernel/events/core.c is throttled */
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
	 * An event that moves to another CPU right now was scheduled out and
	 * in for that, which is all that is asked for. A CPU that goes
	 * offline takes its events along: the error means the same.
	 */
	if (cpu >= 0)
		smp_call_function_single(cpu, pa_kick_here, &kick, 1);
}

/*
 * The event and its inherited children; these stay while child_mutex is held,
 * see perf_event_exit_event().
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
