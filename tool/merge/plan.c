// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which snapshot has which time.
 *
 * It is decided by what a snapshot had, also where a merged stream has but a part of it:
 * what it lacks is in another one, which is there, too, and comes before it or has all of
 * it. So what is merged does not depend on what was merged before.
 */
#include "merge/parts.h"

/*
 * What a later one has from an earlier time on is not taken from this one, which wanted
 * less. If both begin at the same time the earlier one is better: raw data of its samples
 * may have been overwritten since.
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
		/* Of the first one everything, whatever it says. */
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
