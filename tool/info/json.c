// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the report as JSON. Times and durations are in ns, sizes in bytes (memory_kib in KiB).
 */
#include <stdlib.h>

#include "info/info.h"
#include "base/bytes.h"
#include "origin/clock_name.h"
#include "base/json.h"

static void print_machine(const struct info *info, struct json *j)
{
	static const struct {
		int id;
		const char *key;
	} features[] = {
		{ REC_FEAT_HOSTNAME, "hostname" },
		{ REC_FEAT_OSRELEASE, "osrelease" },
		{ REC_FEAT_VERSION, "version" },
		{ REC_FEAT_ARCH, "arch" },
		{ REC_FEAT_CPUDESC, "cpudesc" },
		{ REC_FEAT_CPUID, "cpuid" },
		{ REC_FEAT_CMDLINE, "cmdline" },
	};
	size_t i;

	json_object(j, "machine", JSON_SPACED);
	for (i = 0; i < ARRAY_SIZE(features); i++)
		json_string(j, features[i].key, info->feature[features[i].id]);
	json_u64(j, "cpus_online", info->cpus_online);
	json_u64(j, "cpus_avail", info->cpus_avail);
	json_u64(j, "memory_kib", info->memory);
	json_u64(j, "bpf_programs", info->bpf_progs);
	json_u64(j, "bpf_btfs", info->bpf_btfs);
	info_json_identity(info, j);
	json_end_object(j);
}

/* The times of the stream are those of this clock; time of day = time - "time" + "wall". */
static void print_clock(const struct info *info, struct json *j)
{
	const struct rec_clock_data *c = &info->clock;

	json_object(j, "clock", JSON_SPACED);
	json_string(j, "name", c->version ? clock_name(c->clockid) : "perf");
	if (c->version) {
		json_u64(j, "time", c->time);
		json_u64(j, "wall", c->wall);
	}
	json_end_object(j);
}

static void print_event(struct json *j, const struct read_event *ev, const struct info_event *n)
{
	json_object(j, NULL, JSON_SPACED);
	json_string(j, "name", ev->name);
	json_string(j, "unit", ev->unit);
	json_u64(j, "type", ev->attr.type);
	json_u64(j, "config", ev->attr.config);
	json_u64(j, "sample_type", ev->attr.sample_type);
	json_u64(j, ev->attr.freq ? "freq" : "period", ev->attr.sample_period);
	json_u64(j, "ids", ev->nr_ids);
	json_u64(j, "samples", n->samples);
	json_u64(j, "lost", n->lost);
	json_u64(j, "aux_bytes", n->aux_bytes);
	json_u64(j, "payloads", n->payloads);
	json_u64(j, "payload_bytes", n->payload_bytes);
	json_end_object(j);
}

static void print_events(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "events", JSON_LINES);
	for (i = 0; i < info->attrs.nr; i++)
		print_event(j, info->attrs.list[i], &info->events[i]);
	json_end_array(j);
}

static void print_types(const struct info *info, struct json *j)
{
	int i;

	json_object(j, "records", JSON_SPACED);
	for (i = 0; i < REC_NR_TYPES; i++)
		if (info->types[i])
			json_u64(j, read_type_name(i), info->types[i]);
	if (info->other_types)
		json_u64(j, "unknown", info->other_types);
	json_end_object(j);
}

static void print_threads(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "threads", JSON_LINES);
	for (i = 0; i < info->nr_threads; i++) {
		const struct info_thread *t = &info->threads[i];
		char comm[sizeof(t->comm) + 1] = "";

		memcpy(comm, t->comm, sizeof(t->comm));
		json_object(j, NULL, JSON_SPACED);
		json_s64(j, "pid", (int)t->pid);
		json_s64(j, "tid", (int)t->tid);
		json_s64(j, "ppid", (int)t->ppid);
		json_string(j, "comm", t->comm[0] ? comm : NULL);
		json_bool(j, "exited", t->exited);
		json_u64(j, "samples", t->samples);
		json_u64(j, "aux_bytes", t->aux_bytes);
		json_u64(j, "gaps", t->gaps);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_queues(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "queues", JSON_LINES);
	for (i = 0; i < info->nr_queues; i++) {
		const struct info_queue *q = &info->queues[i];

		json_object(j, NULL, JSON_SPACED);
		json_s64(j, "tid", (int)q->tid);
		json_s64(j, "cpu", (int)q->cpu);
		json_string(j, "kind", q->chunks ? "chunks" : "auxtrace");
		json_u64(j, "bytes", q->bytes);
		json_u64(j, "records", q->records);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_payload_losses(const struct info *info, struct json *j)
{
	int i;

	json_array(j, "payloads", JSON_LINES);
	for (i = 0; i < INFO_NR_CAUSES; i++) {
		const struct info_payload_loss *loss = &info->payload_losses[i];

		if (!loss->count)
			continue;
		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "cause", i);
		json_string(j, "name", info_cause_name(i));
		json_u64(j, "count", loss->count);
		json_u64(j, "bytes", loss->bytes);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_causes(const struct info *info, struct json *j)
{
	int i;

	json_array(j, "causes", JSON_LINES);
	for (i = 0; i < INFO_NR_CAUSES; i++) {
		const struct info_cause *cause = &info->causes[i];

		if (!cause->gaps)
			continue;
		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "cause", i);
		json_string(j, "name", info_cause_name(i));
		json_u64(j, "gaps", cause->gaps);
		json_u64(j, "attempts", cause->attempts);
		json_u64(j, "bytes", cause->bytes);
		json_u64(j, "duration", cause->duration);
		json_u64(j, "longest", cause->longest);
		json_u64(j, "first", cause->first);
		json_u64(j, "last", cause->last);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_gaps(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "gaps", JSON_LINES);
	for (i = 0; i < info->nr_gaps; i++) {
		const struct read_gap *g = &info->gaps[i];

		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "begin", g->begin);
		json_u64(j, "end", g->end);
		json_u64(j, "cause", g->cause);
		json_s64(j, "tid", (int)g->tid);
		json_s64(j, "cpu", (int)g->cpu);
		json_u64(j, "count", g->count);
		json_u64(j, "bytes", g->bytes);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_losses(const struct info *info, struct json *j)
{
	json_object(j, "losses", JSON_SPACED);
	json_u64(j, "records", info->lost);
	json_u64(j, "samples", info->lost_samples);
	json_u64(j, "aux_truncated", info->aux_truncated);
	json_break(j);
	json_u64(j, "payloads_without_sample", info->without_sample);
	json_break(j);
	print_payload_losses(info, j);
	json_break(j);
	print_causes(info, j);
	json_break(j);
	print_gaps(info, j);
	json_end_object(j);
}

static void print_files(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "files", JSON_LINES);
	for (i = 0; i < info->nr_files; i++) {
		const struct info_file *file = &info->files[i];

		json_object(j, NULL, JSON_SPACED);
		json_string(j, "name", file->name);
		json_u64(j, "maps_with_id", file->with);
		json_u64(j, "maps_without", file->without);
		json_bool(j, "build_id_record", file->id);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_row(struct json *j, __u64 key, const struct timeline_bucket *columns, int nr)
{
	int i;

	json_object(j, NULL, JSON_SPACED);
	if (key == TIMELINE_OTHERS)
		json_bool(j, "others", true);
	else if (key & INFO_ROW_CPU)
		json_s64(j, "cpu", (int)(__u32)key);
	else
		json_s64(j, "tid", (int)key);
	json_array(j, "bytes", JSON_TIGHT);
	for (i = 0; i < nr; i++)
		json_rounded(j, NULL, columns[i].bytes);
	json_end_array(j);
	json_array(j, "samples", JSON_TIGHT);
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, columns[i].samples);
	json_end_array(j);
	json_array(j, "gaps", JSON_TIGHT);
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, columns[i].gaps);
	json_end_array(j);
	json_end_object(j);
}

static void print_columns(const struct info *info, struct json *j, int nr)
{
	struct timeline_bucket *columns = calloc(nr, sizeof(*columns));
	const struct timeline *t = &info->line;
	size_t r;

	json_object(j, "timeline", JSON_SPACED);
	json_u64(j, "begin", t->first);
	json_u64(j, "end", t->last);
	json_s64(j, "columns", nr);
	json_string(j, "by", info->by_cpu ? "cpu" : "thread");
	json_array(j, "rows", JSON_LINES);
	for (r = 0; r < t->nr && columns; r++) {
		timeline_columns(t, t->rows[r], columns, nr);
		print_row(j, t->rows[r]->key, columns, nr);
	}
	json_end_array(j);
	json_end_object(j);
	free(columns);
}

void info_json(const struct info *info, const char *file, const char *result,
	       int columns)
{
	struct json j = { .f = info->out };

	json_object(&j, NULL, JSON_BLOCK);
	json_string(&j, "file", file);
	json_string(&j, "result", result);
	if (info->damage[0])
		json_string(&j, "damage", info->damage);
	json_u64(&j, "bytes", info->bytes);
	json_u64(&j, "nr_records", info->nr_records);
	json_bool(&j, "setup_complete", info->complete);
	json_u64(&j, "first", info->first);
	json_u64(&j, "last", info->last);
	print_machine(info, &j);
	print_clock(info, &j);
	info_json_snapshots(info, &j);
	print_events(info, &j);
	print_types(info, &j);
	print_threads(info, &j);
	print_queues(info, &j);
	print_losses(info, &j);
	print_files(info, &j);
	print_columns(info, &j, columns);
	json_end_object(&j);
}
