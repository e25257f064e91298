/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Twins: software events that are the same event, with another period or other terms.
 *
 * perf_swevent_event() (kernel/events/core.c) has one perf_sample_data for all events that are due
 * at the same time. Since Linux 6.3 perf_prepare_sample() fills each field of it only once, for the
 * first event, and the id is one of these fields. So a sample of one twin can have the id of the
 * other, and readers take it for a sample of the other twin. Twins must have the same fields, or
 * readers misread all fields from the first difference on.
 */
#ifndef AUXREC_ATTR_TWINS_H
#define AUXREC_ATTR_TWINS_H

#include <linux/perf_event.h>
#include <stdbool.h>

bool attr_are_twins(const struct perf_event_attr *a, const struct perf_event_attr *b);

/*
 * Give both events all fields that one of the two has. But if one of them must not have PERIOD, see
 * attr_drop_period(), remove PERIOD from both. Return false if that is not possible, because the
 * other event has a frequency and its samples must tell their period.
 */
bool attr_unite(struct perf_event_attr *a, struct perf_event_attr *b);

#endif /* AUXREC_ATTR_TWINS_H */
