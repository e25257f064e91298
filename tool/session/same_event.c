// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find twins, which are software events that are the same event, and give them the same fields.
 */
#include "session/attr_period.h"
#include "session/same_event.h"

/* Can the two events never happen in the same context? See perf_exclude_event(). */
static bool are_apart(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return (a->exclude_user && b->exclude_kernel) || (a->exclude_kernel && b->exclude_user);
}

bool attr_are_twins(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	/*
	 * An event that is not counted singly has a perf_sample_data of its own. An event
	 * without a period has no samples.
	 */
	return a->type == PERF_TYPE_SOFTWARE && b->type == PERF_TYPE_SOFTWARE &&
	       a->config == b->config && attr_is_counted_singly(a) &&
	       a->config != PERF_COUNT_SW_DUMMY && !are_apart(a, b) &&
	       a->sample_period && b->sample_period;
}

static void add(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	to->sample_type |= from->sample_type;
	to->branch_sample_type |= from->branch_sample_type;
	to->sample_regs_user |= from->sample_regs_user;
	to->sample_regs_intr |= from->sample_regs_intr;
	if (to->sample_stack_user < from->sample_stack_user)
		to->sample_stack_user = from->sample_stack_user;
	/* Readers make the user part of the call chain from the stack. */
	if (from->exclude_callchain_user)
		to->exclude_callchain_user = 1;
}

bool attr_unite(struct perf_event_attr *a, struct perf_event_attr *b)
{
	const bool period = a->sample_type & b->sample_type & PERF_SAMPLE_PERIOD;

	if (!period && (a->freq || b->freq))
		return false;
	add(a, b);
	add(b, a);
	if (!period) {
		a->sample_type &= ~(__u64)PERF_SAMPLE_PERIOD;
		b->sample_type &= ~(__u64)PERF_SAMPLE_PERIOD;
	}
	return true;
}
