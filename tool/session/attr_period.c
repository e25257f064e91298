// SPDX-License-Identifier: GPL-2.0-only
#include "session/attr_period.h"

bool attr_is_counted_singly(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return true;
	case PERF_TYPE_SOFTWARE:
		/* What programs of BPF write is not counted: each time is a sample. */
		return attr->config != PERF_COUNT_SW_CPU_CLOCK &&
		       attr->config != PERF_COUNT_SW_TASK_CLOCK &&
		       attr->config != PERF_COUNT_SW_BPF_OUTPUT;
	default:
		return false;
	}
}

/*
 * With a fixed period that samples are to tell of, perf_swevent_event()
 * (kernel/events/core.c) takes a sample each time, which tells how much happened then,
 * whatever the period is. That is right where it is 1. Of any other all samples have the
 * same one: readers take it from the event, as with perf record -c.
 */
void attr_drop_period(struct perf_event_attr *attr)
{
	if (attr_is_counted_singly(attr) && !attr->freq && attr->sample_period > 1)
		attr->sample_type &= ~(__u64)PERF_SAMPLE_PERIOD;
}
