// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that records are not too late for readers, which sort them by time. At a
 * FINISHED_ROUND, readers flush all records up to the largest time that they had
 * seen at the previous FINISHED_ROUND. An older record that comes later is out of
 * order.
 */
#include "check/check.h"

void check_round(struct check *c)
{
	c->time_flushed = c->time_next;
	c->time_next = c->time_max;
}

void check_time(struct check *c, const struct read_record *rec,
		const struct read_sample *s)
{
	bool chunk = rec->type == PERF_RECORD_SAMPLE && check_is_chunk(s->event);

	/* Readers process a record without a time immediately, and do not sort it. */
	if (!(s->has & PERF_SAMPLE_TIME) || !s->time || s->time == ~0ULL)
		return;
	if (s->time < c->time_flushed)
		check_fail(c, rec, chunk ? RULE_AUX_LATE : RULE_TIME_ORDER,
			   check_expect(c, "a time not before %llu, which was flushed",
					c->time_flushed),
			   "%llu", s->time);
	if (s->time > c->time_max)
		c->time_max = s->time;
}
