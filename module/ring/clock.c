// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of a ring: that of the events that write to it.
 */
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

#include "ring/process.h"

/* The clock that perf_event_alloc() gives an event without attr.use_clockid. */
static u64 pa_default_clock(void)
{
	return local_clock();
}

/* Do not compare with local_clock(): it is inline in 6.1 and has no address of its own. */
bool pa_clock_fits(const struct pa_ring *ring, const struct perf_event *event)
{
	if (ring->clock == pa_default_clock)
		return !event->attr.use_clockid;
	return !ring->clock || ring->clock == event->clock;
}

/*
 * Return whether @event's clock can be read in any context. perf_event_set_clock() allows
 * other clocks for events that have no samples in an NMI. Such a clock waits for a CPU that
 * is setting it.
 */
bool pa_clock_is_safe(const struct perf_event *event)
{
	return !event->attr.use_clockid ||
	       event->attr.clockid == CLOCK_MONOTONIC ||
	       event->attr.clockid == CLOCK_MONOTONIC_RAW;
}

void pa_clock_default(struct pa_ring *ring)
{
	if (!ring->clock)
		WRITE_ONCE(ring->clock, pa_default_clock);
}

void pa_clock_take(struct pa_ring *ring, const struct perf_event *event)
{
	WRITE_ONCE(ring->clock, event->clock);
	ring->clock_is_slow = !pa_clock_is_safe(event);
}
