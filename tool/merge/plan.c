// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decide from which snapshot to take which time.
 *
 * The decision depends on what a snapshot had, even if a merged stream has only a part of
 * it. The missing part is in another snapshot of the same stream, which comes before it
 * or has all of it. So the result does not depend on what was merged before.
 */
#include "merge/parts.h"

/*
 * A later snapshot that begins earlier has all records of an earlier one, which wanted
 * less: it covers the earlier one. If both begin at the same time, the earlier one is
 * better: raw data of its samples may have been overwritten since.
 */
static void find_covered(struct merge_section **list, size_t nr)
{
	size_t i, last = nr;

	for (i = nr; i--;) {
		list[i]->covered = last < nr && list[i]->mark.t_begin >
						list[last]->mark.t_begin;
		if (!list[i]->covered)
			last = i;
	}
}

void merge_plan(struct merge_section **list, size_t nr)
{
	struct merge_section *last = NULL;
	size_t i;

	find_covered(list, nr);
	for (i = 0; i < nr; i++) {
		struct merge_section *s = list[i];
		const __u64 begin = s->mark.t_begin;

		s->state = false;
		s->from = 0;
		s->to = 0;
		if (s->covered)
			continue;
		s->to = MERGE_NEVER;
		/* Take everything from the first one, whatever its times are. */
		if (!last) {
			s->state = true;
		} else if (begin && begin - 1 > last->mark.t_settled) {
			s->state = true;
			s->from = begin;
			last->to = begin;
		} else {
			s->from = last->mark.t_settled + 1;
			last->to = s->from;
		}
		last = s;
	}
}
