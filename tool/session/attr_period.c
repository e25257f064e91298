// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the kernel counts an event, and the PERIOD of its samples.
 */
#include "session/attr_period.h"

bool attr_is_counted_singly(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return true;
	case PERF_TYPE_SOFTWARE:
		/* bpf-output is not counted: each write of a BPF program is a sample. */
		return attr->config != PERF_COUNT_SW_CPU_CLOCK &&
		       attr->config != PERF_COUNT_SW_TASK_CLOCK &&
		       attr->config != PERF_COUNT_SW_BPF_OUTPUT;
	default:
		return false;
	}
}

/*
 * If an event has a fixed period and its samples have the field PERIOD, perf_swevent_event()
 * (kernel/events/core.c) takes a sample each time the event happens, whatever the period is,
 * and PERIOD tells how much happened then. That is right only for period 1. With any other
 * fixed period all samples have the same period, which readers take from the event, as with
 * perf record -c.
 */
void attr_drop_period(struct perf_event_attr *attr)
{
	if (attr_is_counted_singly(attr) && !attr->freq && attr->sample_period > 1)
		attr->sample_type &= ~(__u64)PERF_SAMPLE_PERIOD;
}
