// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gaps of the raw ring, for as long as a snapshot may have data of their time.
 */
#include "flight/flight.h"

void flight_gaps(struct session *s)
{
	struct raw_item item;
	__u32 i = 0;

	/* What there is no memory for stays where it is. */
	while (rawring_next_gap(&s->raw, &i, &item) &&
	       !gaps_add(&s->flight->gaps, item.gap))
		rawring_release(&s->raw, &item);
}

/*
 * A gap is needed for as long as the raw ring has data of its time, however long the samples of
 * that stay: who reads the data must not find it missing without a word. By the last look, too:
 * a segment that is about to be written to again is not seen for a moment.
 */
void flight_forget_gaps(struct flight *f, __u64 history)
{
	if (history != ~0ULL && f->raw_history != ~0ULL)
		gaps_trim(&f->gaps, history < f->raw_history ? history : f->raw_history);
	f->raw_history = history;
}
