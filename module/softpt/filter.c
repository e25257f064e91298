// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address filters, as perf's --filter sets them and pt.c applies them. If there are
 * "filter" ranges, nothing else is traced. A "stop" range ends the trace.
 */
#include "softpt.h"

int spt_filters_validate(struct list_head *filters)
{
	struct perf_addr_filter *filter;
	unsigned int n = 0;

	list_for_each_entry(filter, filters, entry) {
		if (!filter->size ||
		    filter->action == PERF_ADDR_FILTER_ACTION_START)
			return -EOPNOTSUPP;
		if (++n > SPT_RANGES_MAX)
			return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * perf_event_addr_filters_sync() calls this with the list's lock held. The ranges
 * of a file that is not mapped (start 0, see perf_event_addr_filters_apply())
 * become empty.
 */
void spt_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter_range *at = event->addr_filter_ranges;
	struct spt_event *e = event->pmu_private;
	struct perf_addr_filter *filter;
	unsigned int n = 0;

	list_for_each_entry(filter, &head->list, entry) {
		struct spt_range *range = &e->flow.ranges[n];

		range->stop = filter->action == PERF_ADDR_FILTER_ACTION_STOP;
		if (filter->path.dentry && !at[n].start) {
			range->first = 1;
			range->last = 0;
		} else {
			u64 room = U64_MAX - at[n].start;

			range->first = at[n].start;
			range->last = at[n].start +
				      min_t(u64, at[n].size - 1, room);
		}
		n++;
	}
	e->flow.nr_ranges = n;
}
