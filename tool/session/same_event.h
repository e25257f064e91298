/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Software events that are the same one, with another period or other terms.
 *
 * perf_swevent_event() (kernel/events/core.c) has one perf_sample_data for all that are due at
 * once, and since Linux 6.3 perf_prepare_sample() fills each of its fields once, the id of the
 * first one too: so a sample of one may have the id of the other, and readers take it for one of
 * that. They must have the same fields, or nothing behind the first one that differs is right.
 */
#ifndef AUXREC_ATTR_TWINS_H
#define AUXREC_ATTR_TWINS_H

#include <linux/perf_event.h>
#include <stdbool.h>

bool attr_are_twins(const struct perf_event_attr *a, const struct perf_event_attr *b);

/*
 * Gives both the fields that any of the two has, but for the period if one must not have it,
 * see attr_drop_period(). Returns whether that can be: where the other has a frequency its
 * samples must tell their period.
 */
bool attr_unite(struct perf_event_attr *a, struct perf_event_attr *b);

#endif /* AUXREC_ATTR_TWINS_H */
