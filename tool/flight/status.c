// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a flight recorder tells about itself on its control socket: `auxrec ctl PATH status`, the
 * same as JSON, and as metrics for Prometheus.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "flight/flight.h"
#include "perfaux.h"
#include "service/facts.h"
#include "stream/cause.h"

/* The help of the metric auxrec_lost_total */
static const char lost_help[] =
	"Losses, by their reason: records, or times that the raw ring lost data";

static __u64 nr_wishes(const struct flight_wish *w)
{
	__u64 n = 0;

	for (; w; w = w->next)
		n++;
	return n;
}

static void tell_identity(struct facts *to, const struct session *s)
{
	static const struct fact version = {
		.key = "version", .name = "version_info", .label = "version",
		.help = "The version of auxrec",
	}, recording = {
		.key = "recording", .name = "recording_info", .label = "recording",
		.help = "The number of the recording, which is also in its snapshots",
	};
	char text[32];

	facts_identity(to, &version, auxrec_version);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)s->recording);
	facts_identity(to, &recording, text);
}

static void tell_history(struct facts *to, const struct session *s,
			 const struct recent_stats *stats)
{
	static const struct fact since = {
		.key = "recording since", .name = "recording_seconds", .unit = FACT_NS_ROUNDED,
		.help = "Time since the recording began",
	}, history = {
		.key = "history", .name = "history_seconds", .unit = FACT_NS,
		.help = "How far back the records in memory reach",
	}, window = {
		.name = "window_seconds", .unit = FACT_NS,
		.help = "How far back the records should reach (--flight=TIME)",
	}, is_short = {
		.name = "history_short",
		.help = "1 if the history is shorter than the window, 0 otherwise",
	}, wanted = {
		.name = "memory_wanted_bytes", .unit = FACT_BYTES,
		.help = "The -M that would be enough for the window, 0 if the history is not short",
	};
	const struct flight_short *lacking = &s->flight->lacking;
	char text[160];

	facts_put(to, &since, now_ns() - s->started);
	facts_put(to, &history, flight_history(s, stats));
	if (!s->opt->flight.window)
		return;
	flight_short_print(s, text, sizeof(text));
	facts_text(to, "short", text);
	facts_put(to, &window, s->opt->flight.window);
	facts_put(to, &is_short, lacking->part != SNAPSHOT_SHORT_NOT);
	facts_put(to, &wanted, lacking->memory);
}

/* The text has the memory of all records in one number. The other forms have a number per part. */
static void tell_memory(struct facts *to, const struct session *s,
			const struct recent_stats *stats)
{
	static const struct fact limit = {
		.key = "memory limit", .name = "memory_limit_bytes", .unit = FACT_BYTES,
		.help = "The limit of all memory (-M)",
	}, records = {
		.key = "memory of records", .unit = FACT_BYTES,
	}, bytes = {
		.name = "memory_bytes", .unit = FACT_BYTES,
		.help = "Memory by its part",
	};
	static const struct fact_table parts = {
		.name = "memory", .label = "part", .columns = &bytes, .nr_columns = 1,
	};
	const struct flight_memory *m = &s->flight->memory;
	const __u64 known = stats->of_samples + stats->of_sideband + stats->of_state;
	const __u64 raw = s->have_raw ? s->raw.ring_size + s->raw.marks_size : 0;
	const struct fact_row rows[] = {
		{ "samples", { stats->of_samples } },
		{ "sideband", { stats->of_sideband } },
		{ "state", { stats->of_state } },
		{ "other records", { stats->bytes > known ? stats->bytes - known : 0 } },
		{ "main rings", { flight_main_memory(m->main, s->cpus.nr) } },
		{ "raw ring", { raw } },
		{ "the tool itself", { m->own } },
	};

	facts_put(to, &limit, m->limit);
	facts_put(to, &records, stats->bytes);
	facts_table(to, &parts, rows, ARRAY_LEN(rows));
}

static void tell_records(struct facts *to, const struct session *s,
			 const struct recent_stats *stats)
{
	static const struct fact samples = {
		.key = "samples", .name = "kept_samples",
		.help = "Samples in memory",
	}, sideband = {
		.key = "sideband records", .name = "kept_sideband_records",
		.help = "Records of tasks, maps and symbols in memory, without the state",
	}, cgroups = {
		.key = "cgroups", .name = "cgroups",
		.help = "Known cgroups, without those in the sideband",
	}, raw_ring = {
		.key = "raw ring", .unit = FACT_BYTES,
	}, bytes = {
		.name = "recorded_bytes", .unit = FACT_BYTES, .counter = true,
		.help = "Bytes that were recorded, by the ring that they came from",
	};
	static const struct fact_table recorded = {
		.key = "recorded by the", .name = "recorded", .label = "ring", .columns = &bytes,
		.nr_columns = 1,
	};
	const struct perfaux_control *ctl = s->have_raw ? s->raw.ctl : NULL;
	const struct fact_row rows[] = {
		{ "main rings", { s->main.bytes } },
		{ "raw ring", { ctl ? ctl->bytes + ctl->frame_bytes : 0 } },
	};

	facts_put(to, &samples, stats->samples);
	facts_put(to, &sideband, stats->sideband);
	if (s->opt->cgroups)
		facts_put(to, &cgroups, stats->cgroups);
	if (ctl)
		facts_put(to, &raw_ring, s->raw.ring_size + s->raw.marks_size);
	facts_table(to, &recorded, rows, ctl ? 2 : 1);
}

static void tell_snapshots(struct facts *to, const struct session *s)
{
	static const char help[] = "Snapshots, by their result";
	static const struct fact written = {
		.key = "snapshots", .name = "snapshots", .counter = true, .help = help,
		.label = "result", .value = "written",
	}, failed = {
		.key = "failed", .name = "snapshots", .counter = true, .help = help,
		.label = "result", .value = "failed",
	}, waiting = {
		.key = "waiting", .name = "waiting_triggers",
		.help = "Triggers whose snapshot is being written or has not begun",
	}, suppressed = {
		.key = "suppressed", .name = "suppressed_triggers", .counter = true,
		.help = "Triggers without a snapshot, because of count= or rate=",
	}, untimed = {
		.key = "untimed calls", .name = "untimed_calls", .counter = true,
		.help = "Calls of functions of latency= that may have been triggers: their start was forgotten",
	}, removed = {
		.key = "removed", .name = "removed_snapshots", .counter = true,
		.help = "Old snapshots that were removed (--keep)",
	}, bytes = {
		.name = "snapshot_bytes", .counter = true, .unit = FACT_BYTES,
		.help = "Bytes of all snapshots that were written",
	}, slowest = {
		.name = "slowest_snapshot_seconds", .unit = FACT_NS,
		.help = "The longest time from a trigger to its snapshot on disk",
	}, last = {
		.name = "last_snapshot_time_seconds", .unit = FACT_NS,
		.help = "Time of the newest snapshot's first trigger since 1970, 0 without one",
	};

	const struct flight *f = s->flight;

	facts_put(to, &written, f->stats.snapshots);
	facts_put(to, &failed, f->stats.failed);
	facts_put(to, &waiting, nr_wishes(f->first) + nr_wishes(f->writing));
	facts_put(to, &suppressed, f->suppressed);
	facts_put(to, &untimed, flight_untimed(s));
	facts_put(to, &removed, f->stats.removed);
	facts_put(to, &bytes, f->stats.bytes);
	facts_put(to, &slowest, f->stats.longest_ns);
	facts_put(to, &last, f->stats.last);
}

/*
 * Causes that are not a loss of their own: an overwrite ring overwrites its history all the time,
 * and a gap that found no place in the gap table also counts under its own cause.
 */
static bool is_loss(enum perfaux_cause cause)
{
	return cause != PERFAUX_CAUSE_OVERWRITTEN && cause != PERFAUX_CAUSE_NO_GAP;
}

static void tell_ring_losses(struct facts *to, const struct rawring *raw)
{
	static const struct fact columns[] = {
		{ .key = "times", .name = "lost", .counter = true,
		  .help = lost_help },
		{ .key = "bytes", .name = "lost_bytes", .counter = true,
		  .help = "Bytes that the raw ring lost, where they are known, by the reason" },
	};
	static const struct fact_table causes = {
		.key = "lost", .name = "lost", .label = "reason", .quiet = true,
		.columns = columns, .nr_columns = ARRAY_LEN(columns),
	};
	struct fact_row rows[PERFAUX_NR_CAUSES];
	size_t nr = 0;
	unsigned int i;

	for (i = 0; i < PERFAUX_NR_CAUSES; i++) {
		if (!is_loss(i))
			continue;
		rows[nr++] = (struct fact_row){
			gap_cause_name(i),
			{ raw ? rawring_lost(raw, i) : 0, raw ? raw->ctl->lost_bytes[i] : 0 },
		};
	}
	facts_table(to, &causes, rows, nr);
}

static void tell_losses(struct facts *to, const struct session *s)
{
	static const struct fact main_ring = {
		.key = "lost records", .name = "lost", .counter = true, .help = lost_help,
		.label = "reason", .value = "main ring full",
	}, not_kept = {
		.key = "not kept", .name = "lost", .counter = true, .help = lost_help,
		.label = "reason", .value = "not kept",
	}, overwritten = {
		.name = "overwritten_bytes", .counter = true, .unit = FACT_BYTES,
		.help = "Bytes that the raw ring has overwritten with newer data, which is no loss",
	}, merged = {
		.name = "merged_gaps", .counter = true,
		.help = "Gaps of the raw ring whose exact times are not known; they count as losses, too",
	}, maps = {
		.key = "forgotten maps", .name = "forgotten_maps", .counter = true,
		.help = "Maps of tasks that were forgotten, because the state was too large",
	}, over = {
		.key = "over the limit", .name = "over_limit_bytes", .unit = FACT_BYTES,
		.help = "Bytes by which tasks and symbols of the kernel exceed the limit",
	};
	const struct flight *f = s->flight;

	facts_put(to, &main_ring, main_losses(&s->main));
	facts_put(to, &not_kept, f->stats.not_kept);
	tell_ring_losses(to, s->have_raw ? &s->raw : NULL);
	if (s->have_raw) {
		facts_put(to, &overwritten, s->raw.ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN]);
		facts_put(to, &merged, rawring_lost(&s->raw, PERFAUX_CAUSE_NO_GAP));
	}
	facts_put(to, &maps, f->stats.forgotten_maps);
	facts_put(to, &over, flight_over_limit(f));
}

/*
 * Return the row of @name. Add it if there is none. Triggers that have the same name share a row:
 * Prometheus refuses a page with two values of the same labels.
 */
static struct fact_row *row_of(struct fact_row *rows, size_t *nr, const char *name)
{
	size_t i;

	for (i = 0; i < *nr; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	rows[i].name = name;
	(*nr)++;
	return &rows[i];
}

static void tell_triggers(struct facts *to, const struct flight_options *opt)
{
	static const struct fact columns[] = {
		{ .key = "taken", .name = "triggers_taken", .counter = true,
		  .help = "How often a trigger was taken, by its name" },
		{ .key = "suppressed", .name = "triggers_suppressed", .counter = true,
		  .help = "How often a trigger was suppressed (count=, rate=), by its name" },
	};
	static const struct fact_table triggers = {
		.key = "trigger", .name = "triggers", .label = "trigger", .columns = columns,
		.nr_columns = ARRAY_LEN(columns),
	};
	struct fact_row *rows = calloc(opt->nr_triggers + 1, sizeof(*rows));
	size_t i, nr = 0;

	for (i = 0; rows && i < opt->nr_triggers; i++) {
		const struct trigger *t = &opt->triggers[i];
		struct fact_row *row = row_of(rows, &nr, t->name);

		row->values[0] += t->taken;
		row->values[1] += t->suppressed;
	}
	if (rows)
		facts_table(to, &triggers, rows, nr);
	free(rows);
}

void flight_status(void *session, enum facts_form form, FILE *out)
{
	const struct session *s = session;
	const struct flight *f = s->flight;
	struct recent_stats stats;
	struct facts to;

	recent_stats(f->recent, &stats);
	facts_begin(&to, form, out);
	tell_identity(&to, s);
	tell_history(&to, s, &stats);
	tell_memory(&to, s, &stats);
	tell_records(&to, s, &stats);
	tell_snapshots(&to, s);
	tell_losses(&to, s);
	if (f->files.nr)
		facts_text(&to, "last", f->files.paths[f->files.nr - 1]);
	tell_triggers(&to, &s->opt->flight);
	facts_end(&to);
}
