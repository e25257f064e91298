/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel makes of an event's period, where that depends on its kind.
 */
#ifndef AUXREC_ATTR_PERIOD_H
#define AUXREC_ATTR_PERIOD_H

#include <linux/perf_event.h>
#include <stdbool.h>

/*
 * Does the kernel count it one by one, as it happens? Not so counters of a PMU, and
 * clocks, which are timers.
 */
bool attr_is_counted_singly(const struct perf_event_attr *attr);

/* Has samples not tell their period where they would be too many for it. */
void attr_drop_period(struct perf_event_attr *attr);

#endif /* AUXREC_ATTR_PERIOD_H */
