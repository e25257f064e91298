// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the marks of a flight recording's snapshots (stream/snapshot_mark.h).
 */
#include "check/check.h"
#include "stream/read_snapshot.h"

void check_snapshot_first(struct check *c, const struct read_record *rec,
			  const struct read_sample *s)
{
	if (!c->snapshots)
		return;
	if (c->init_seen && !c->first_seen) {
		c->first_seen = true;
		if (!s || rec->type != PERF_RECORD_SAMPLE ||
		    !is_snapshot_event(&s->event->attr))
			check_fail(c, rec, RULE_SNAPSHOT_FIRST,
				   "the snapshot's sample after FINISHED_INIT", "%s",
				   read_type_name(rec->type));
	}
	if (!c->init_seen && s && s->time > c->state_time)
		c->state_time = s->time;
}

void check_snapshot(struct check *c, const struct read_record *rec,
		    const struct read_sample *s)
{
	struct read_snapshot snapshot;
	const char *bad = read_snapshot(s, &snapshot);

	if (bad) {
		check_fail(c, rec, RULE_SNAPSHOT, "a snapshot's header, name and data",
			   "%s", bad);
		c->snapshot_seen = true;
		return;
	}
	if (snapshot.h.t_trigger != s->time)
		check_fail(c, rec, RULE_SNAPSHOT,
			   check_expect(c, "the sample's time, %llu, as t_trigger", s->time),
			   "%llu", snapshot.h.t_trigger);
	if (!c->snapshot_seen && snapshot.h.t_begin &&
	    c->state_time >= snapshot.h.t_begin)
		check_fail(c, rec, RULE_SNAPSHOT_FIRST,
			   check_expect(c, "a state that is older than t_begin, %llu",
					snapshot.h.t_begin),
			   "%llu", c->state_time);
	c->snapshot_seen = true;
}
