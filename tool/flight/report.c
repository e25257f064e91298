// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of a flight recorder about itself: its status line, and its summary at the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "flight/flight.h"

#define ULL(v)	((unsigned long long)(v))

__u64 flight_history(const struct session *s, const struct recent_stats *stats)
{
	const __u64 now = perf_clock_about(s->clock);
	const __u64 begin = stats->begin ? stats->begin : now - (now_ns() - s->started);

	return now > begin ? now - begin : 0;
}

__u64 flight_over_limit(const struct flight *f)
{
	struct recent_stats stats = f->last;

	if (f->recent)
		recent_stats(f->recent, &stats);
	return stats.bytes > f->memory.records ? stats.bytes - f->memory.records : 0;
}

void flight_summary(const struct session *s)
{
	const struct flight *f = s->flight;

	if (f->stats.snapshots)
		say("%llu snapshots, %.1f MiB, of %llu triggers; the slowest was on disk %.3f s after its trigger",
		    ULL(f->stats.snapshots), f->stats.bytes / 1048576.0,
		    ULL(f->stats.wishes), f->stats.longest_ns / 1e9);
	else if (!f->stats.wishes)
		say("no snapshot: no trigger came");
	if (f->suppressed)
		say("%llu triggers have no snapshot because of count= or rate=",
		    ULL(f->suppressed));
	if (f->stats.failed)
		say("%llu snapshots FAILED, see above", ULL(f->stats.failed));
	if (f->stats.removed)
		say("%llu old snapshots removed (--keep)", ULL(f->stats.removed));
	if (f->stats.forgotten_maps)
		say("%llu maps of tasks were forgotten, because -M is too small for all of them: symbols are missing",
		    ULL(f->stats.forgotten_maps));
	if (flight_over_limit(f) > 1 << 20)
		say("tasks and maps need %llu MiB more than -M allows for them",
		    ULL(flight_over_limit(f) >> 20));
	if (f->stats.not_kept)
		say("LOST %llu records: more came while a snapshot was written than -M allows to keep",
		    ULL(f->stats.not_kept));
}

void flight_line(const struct session *s, char *buf, size_t size)
{
	const struct flight *f = s->flight;
	struct recent_stats stats;
	int n;

	recent_stats(f->recent, &stats);
	n = snprintf(buf, size, "history %.1f s, %.1f of %.0f MiB",
		     flight_history(s, &stats) / 1e9, (stats.bytes + f->memory.raw) / 1048576.0,
		     f->memory.limit / 1048576.0);
	n += status_stepped(s, buf + n, size - n);
	snprintf(buf + n, size - n, "  snapshots %llu%s  losses %llu",
		 ULL(f->stats.snapshots), f->child ? " (one is being written)" : "",
		 ULL(session_losses(s)));
}

void flight_json(struct json *j, const struct session *s)
{
	const struct flight *f = s->flight;

	json_object(j, "flight", JSON_TIGHT);
	json_u64(j, "snapshots", f->stats.snapshots);
	json_u64(j, "failed", f->stats.failed);
	json_u64(j, "bytes", f->stats.bytes);
	json_u64(j, "triggers", f->stats.wishes);
	json_u64(j, "suppressed", f->suppressed);
	json_u64(j, "longest_ns", f->stats.longest_ns);
	json_u64(j, "removed", f->stats.removed);
	json_u64(j, "untimed_calls", flight_untimed(s));
	json_u64(j, "forgotten_maps", f->stats.forgotten_maps);
	json_u64(j, "not_kept", f->stats.not_kept);
	json_end_object(j);
}
