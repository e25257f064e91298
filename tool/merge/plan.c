// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decide from which snapshot merge takes the records of each time.
 *
 * The decision depends on what a snapshot had when it was written, even if a merged stream has
 * only a part of it. The rest is in other snapshots of the same stream, which precede or cover
 * this snapshot. So the result does not depend on what was merged before.
 */
#include "merge/parts.h"

/*
 * If snapshot B comes after A but begins before A, because A's trigger asked for less, B has all
 * records of A: B covers A. If both begin at the same time, A is better, because raw data of the
 * samples may have been overwritten since.
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
		/* Take everything from the first section, whatever its times are. */
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
