/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_ATTACH_TABLE_H
#define PERFAUX_ATTACH_TABLE_H

#include "ring/attach.h"

struct pa_buckets;

/* Attached events by their struct perf_event. All zero: empty. */
struct pa_table {
	struct pa_buckets __rcu *now;	/* NULL: empty */
	unsigned long settled;		/* state of RCU when @now was published */
	unsigned int nr;
};

/* Any context up to NMI, as an RCU reader. Calls no function that can be traced. */
struct pa_attached *pa_table_find(const struct pa_table *table,
				  const struct perf_event *event);

/*
 * Process context. The caller makes all changes of a table one after the other.
 * pa_table_add() returns 0 or -ENOMEM. A removed entry can be freed after an RCU grace
 * period. pa_table_removed() must follow one or more calls of pa_table_remove().
 */
int pa_table_add(struct pa_table *table, struct pa_attached *attached);
void pa_table_remove(struct pa_table *table, struct pa_attached *attached);
void pa_table_removed(struct pa_table *table);

#endif /* PERFAUX_ATTACH_TABLE_H */
