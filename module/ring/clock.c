// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of a ring: that of the events that write to it.
 */
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

#include "ring/process.h"

/* What perf_event_alloc() gives an event without attr.use_clockid. */
static u64 pa_default_clock(void)
{
	return local_clock();
}

/* local_clock() has no address of its own in 6.1, where it is inline. */
bool pa_clock_fits(const struct pa_ring *ring, const struct perf_event *event)
{
	if (ring->clock == pa_default_clock)
		return !event->attr.use_clockid;
	return !ring->clock || ring->clock == event->clock;
}

/*
 * In any context? perf_event_set_clock() lets events that have no samples in an NMI have
 * others, which wait for who is setting the clock.
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
