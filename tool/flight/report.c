// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of a flight recorder about itself, to its control socket and at the
 * end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "flight/flight.h"

#define ULL(v)	((unsigned long long)(v))

static __u64 nr_wishes(const struct flight_wish *w)
{
	__u64 n = 0;

	for (; w; w = w->next)
		n++;
	return n;
}

double flight_history(const struct session *s, const struct recent_stats *stats)
{
	const __u64 now = perf_clock_about(s->clock);
	const __u64 begin = stats->begin ? stats->begin : now - (now_ns() - s->started);

	return now > begin ? (now - begin) / 1e9 : 0;
}

/*
 * Return by how much the memory of records exceeds its limit. It can exceed the limit, because
 * tasks and the kernel's symbols are never given up.
 */
static __u64 over_limit(const struct flight *f)
{
	struct recent_stats stats = f->last;

	if (f->recent)
		recent_stats(f->recent, &stats);
	return stats.bytes > f->memory.records ? stats.bytes - f->memory.records : 0;
}

static void trigger_status(const struct trigger *t, FILE *to)
{
	fprintf(to, "trigger %s: %llu taken, %llu suppressed\n", t->name, ULL(t->taken),
		ULL(t->suppressed));
}

void flight_status(void *session, FILE *to)
{
	const struct session *s = session;
	const struct flight *f = s->flight;
	struct recent_stats stats;
	char lacking[160];
	size_t i;

	recent_stats(f->recent, &stats);
	flight_short_print(s, lacking, sizeof(lacking));
	fprintf(to, "recording since: %.0f s\n", (now_ns() - s->started) / 1e9);
	fprintf(to, "history: %.3f s\n", flight_history(s, &stats));
	if (s->opt->flight.window)
		fprintf(to, "short: %s\n", lacking);
	fprintf(to, "memory limit: %llu KiB\n", ULL(f->memory.limit >> 10));
	fprintf(to, "memory of records: %llu KiB\n", ULL(stats.bytes >> 10));
	fprintf(to, "samples: %llu\n", ULL(stats.samples));
	fprintf(to, "sideband records: %llu\n", ULL(stats.sideband));
	if (s->opt->cgroups)
		fprintf(to, "cgroups: %zu\n", stats.cgroups);
	if (s->have_raw)
		fprintf(to, "raw ring: %llu KiB\n",
			ULL((s->raw.ring_size + s->raw.marks_size) >> 10));
	fprintf(to, "snapshots: %llu\n", ULL(f->stats.snapshots));
	fprintf(to, "failed: %llu\n", ULL(f->stats.failed));
	fprintf(to, "waiting: %llu\n", ULL(nr_wishes(f->first) + nr_wishes(f->writing)));
	fprintf(to, "suppressed: %llu\n", ULL(f->suppressed));
	fprintf(to, "removed: %llu\n", ULL(f->stats.removed));
	fprintf(to, "lost records: %llu\n", ULL(main_losses(&s->main)));
	fprintf(to, "not kept: %llu\n", ULL(f->stats.not_kept));
	fprintf(to, "forgotten maps: %llu\n", ULL(f->stats.forgotten_maps));
	fprintf(to, "over the limit: %llu KiB\n", ULL(over_limit(f) >> 10));
	if (f->files.nr)
		fprintf(to, "last: %s\n", f->files.paths[f->files.nr - 1]);
	for (i = 0; i < s->opt->flight.nr_triggers; i++)
		trigger_status(&s->opt->flight.triggers[i], to);
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
	if (over_limit(f) > 1 << 20)
		say("tasks and maps need %llu MiB more than -M allows for them",
		    ULL(over_limit(f) >> 20));
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
		     flight_history(s, &stats), (stats.bytes + f->memory.raw) / 1048576.0,
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
	json_u64(j, "forgotten_maps", f->stats.forgotten_maps);
	json_u64(j, "not_kept", f->stats.not_kept);
	json_end_object(j);
}
