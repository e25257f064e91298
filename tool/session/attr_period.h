/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the kernel counts an event, and the PERIOD of its samples.
 */
#ifndef AUXREC_ATTR_PERIOD_H
#define AUXREC_ATTR_PERIOD_H

#include <linux/perf_event.h>
#include <stdbool.h>

/*
 * Does the kernel count the event each time it happens? That is not so for counters of a PMU
 * and for clocks, which are timers.
 */
bool attr_is_counted_singly(const struct perf_event_attr *attr);

/* Drop PERIOD from the samples if the kernel would take too many samples with it. */
void attr_drop_period(struct perf_event_attr *attr);

#endif /* AUXREC_ATTR_PERIOD_H */
