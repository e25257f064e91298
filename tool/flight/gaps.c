// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gaps of the raw ring, for as long as a snapshot may have data of their time.
 */
#include "flight/flight.h"
#include "flight/survive.h"

void flight_gaps(struct session *s)
{
	struct raw_item item;
	__u32 i = 0;

	/* If there is no memory for a gap, it stays in the raw ring. */
	while (rawring_next_gap(&s->raw, &i, &item) &&
	       !gaps_add(&s->flight->gaps, item.gap)) {
		survive_gap(s, item.gap);
		rawring_release(&s->raw, &item);
	}
}

/*
 * A gap is needed for as long as the raw ring has data of the gap's time, even if the samples
 * of that time are gone: a reader of the data must be told what is missing. The history of the
 * previous look counts as well, because a segment that a writer is about to reuse is not seen
 * for a moment.
 */
void flight_forget_gaps(struct flight *f, __u64 history)
{
	if (history != ~0ULL && f->raw_history != ~0ULL)
		gaps_trim(&f->gaps, history < f->raw_history ? history : f->raw_history);
	f->raw_history = history;
}
