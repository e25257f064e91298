// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the report as JSON. Times and durations are in ns, sizes in bytes.
 */
#include <stdlib.h>

#include "info/info.h"
#include "base/bytes.h"
#include "base/text.h"

static void key_string(FILE *f, const char *key, const char *value)
{
	fprintf(f, "\"%s\": ", key);
	if (value)
		read_print_json(f, value);
	else
		fputs("null", f);
}

static void print_machine(const struct info *info)
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
	FILE *f = info->out;
	size_t i;

	fputs("  \"machine\": {", f);
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		key_string(f, features[i].key, info->feature[features[i].id]);
		fputs(", ", f);
	}
	fprintf(f, "\"cpus_online\": %u, \"cpus_avail\": %u, \"memory_kib\": %llu, \"bpf_programs\": %llu, \"bpf_btfs\": %llu},\n",
		info->cpus_online, info->cpus_avail, info->memory,
		info->bpf_progs, info->bpf_btfs);
}

static void print_events(const struct info *info)
{
	FILE *f = info->out;
	size_t i;

	fputs("  \"events\": [", f);
	for (i = 0; i < info->attrs.nr; i++) {
		const struct read_event *ev = info->attrs.list[i];
		const struct info_event *n = &info->events[i];

		fprintf(f, "%s\n    {", i ? "," : "");
		key_string(f, "name", ev->name);
		fputs(", ", f);
		key_string(f, "unit", ev->unit);
		fprintf(f, ", \"type\": %u, \"config\": %llu, \"sample_type\": %llu, ",
			ev->attr.type, ev->attr.config, ev->attr.sample_type);
		fprintf(f, "\"%s\": %llu, \"ids\": %u, ",
			ev->attr.freq ? "freq" : "period",
			ev->attr.sample_period, ev->nr_ids);
		fprintf(f, "\"samples\": %llu, \"lost\": %llu, \"aux_bytes\": %llu, ",
			n->samples, n->lost, n->aux_bytes);
		fprintf(f, "\"payloads\": %llu, \"payload_bytes\": %llu}",
			n->payloads, n->payload_bytes);
	}
	fputs("],\n", f);
}

static void print_types(const struct info *info)
{
	const char *sep = "";
	int i;

	fputs("  \"records\": {", info->out);
	for (i = 0; i < REC_NR_TYPES; i++) {
		if (!info->types[i])
			continue;
		fprintf(info->out, "%s\"%s\": %llu", sep, read_type_name(i),
			info->types[i]);
		sep = ", ";
	}
	if (info->other_types)
		fprintf(info->out, "%s\"unknown\": %llu", sep, info->other_types);
	fputs("},\n", info->out);
}

static void print_threads(const struct info *info)
{
	FILE *f = info->out;
	size_t i;

	fputs("  \"threads\": [", f);
	for (i = 0; i < info->nr_threads; i++) {
		const struct info_thread *t = &info->threads[i];
		char comm[sizeof(t->comm) + 1] = "";

		memcpy(comm, t->comm, sizeof(t->comm));
		fprintf(f, "%s\n    {\"pid\": %d, \"tid\": %d, \"ppid\": %d, ",
			i ? "," : "", (int)t->pid, (int)t->tid, (int)t->ppid);
		key_string(f, "comm", t->comm[0] ? comm : NULL);
		fprintf(f, ", \"exited\": %s, \"samples\": %llu, ",
			t->exited ? "true" : "false", t->samples);
		fprintf(f, "\"aux_bytes\": %llu, \"gaps\": %llu}", t->aux_bytes,
			t->gaps);
	}
	fputs("],\n  \"queues\": [", f);
	for (i = 0; i < info->nr_queues; i++) {
		const struct info_queue *q = &info->queues[i];

		fprintf(f, "%s\n    {\"tid\": %d, \"cpu\": %d, \"kind\": \"%s\", ",
			i ? "," : "", (int)q->tid, (int)q->cpu,
			q->chunks ? "chunks" : "auxtrace");
		fprintf(f, "\"bytes\": %llu, \"records\": %llu}", q->bytes,
			q->records);
	}
	fputs("],\n", f);
}

static void print_losses(const struct info *info)
{
	FILE *f = info->out;
	const char *sep = "";
	size_t i;

	fprintf(f, "  \"losses\": {\"records\": %llu, \"samples\": %llu, ",
		info->lost, info->lost_samples);
	fprintf(f, "\"aux_truncated\": %llu,\n", info->aux_truncated);
	fprintf(f, "    \"payloads_without_sample\": %llu,\n    \"payloads\": [",
		info->without_sample);
	for (i = 0; i < INFO_NR_CAUSES; i++) {
		const struct info_payload_loss *loss = &info->payload_losses[i];

		if (!loss->count)
			continue;
		fprintf(f, "%s\n      {\"cause\": %zu, ", sep, i);
		key_string(f, "name", info_cause_name(i));
		fprintf(f, ", \"count\": %llu, \"bytes\": %llu}", loss->count,
			loss->bytes);
		sep = ",";
	}
	fputs("],\n", f);
	sep = "";
	fputs("    \"causes\": [", f);
	for (i = 0; i < INFO_NR_CAUSES; i++) {
		const struct info_cause *cause = &info->causes[i];

		if (!cause->gaps)
			continue;
		fprintf(f, "%s\n      {\"cause\": %zu, ", sep, i);
		key_string(f, "name", info_cause_name(i));
		fprintf(f, ", \"gaps\": %llu, \"attempts\": %llu, \"bytes\": %llu, \"duration\": %llu, ",
			cause->gaps, cause->attempts, cause->bytes,
			cause->duration);
		fprintf(f, "\"longest\": %llu, \"first\": %llu, \"last\": %llu}",
			cause->longest, cause->first, cause->last);
		sep = ",";
	}
	fputs("],\n    \"gaps\": [", f);
	for (i = 0; i < info->nr_gaps; i++) {
		const struct read_gap *g = &info->gaps[i];

		fprintf(f, "%s\n      {\"begin\": %llu, \"end\": %llu, \"cause\": %u, ",
			i ? "," : "", g->begin, g->end, g->cause);
		fprintf(f, "\"tid\": %d, \"cpu\": %d, \"count\": %llu, \"bytes\": %llu}",
			(int)g->tid, (int)g->cpu, g->count, g->bytes);
	}
	fputs("]},\n", f);
}

static void print_files(const struct info *info)
{
	size_t i;

	fputs("  \"files\": [", info->out);
	for (i = 0; i < info->nr_files; i++) {
		const struct info_file *file = &info->files[i];

		fprintf(info->out, "%s\n    {", i ? "," : "");
		key_string(info->out, "name", file->name);
		fprintf(info->out, ", \"maps_with_id\": %llu, ", file->with);
		fprintf(info->out, "\"maps_without\": %llu, ", file->without);
		fprintf(info->out, "\"build_id_record\": %s}",
			file->id ? "true" : "false");
	}
	fputs("],\n", info->out);
}

static void print_columns(const struct info *info, int nr)
{
	struct timeline_bucket *columns = calloc(nr, sizeof(*columns));
	const struct timeline *t = &info->line;
	FILE *f = info->out;
	size_t r;
	int i;

	fprintf(f, "  \"timeline\": {\"begin\": %llu, \"end\": %llu, \"columns\": %d, ",
		t->first, t->last, nr);
	fprintf(f, "\"by\": \"%s\", \"rows\": [", info->by_cpu ? "cpu" : "thread");
	for (r = 0; r < t->nr && columns; r++) {
		const struct timeline_row *row = t->rows[r];

		timeline_columns(t, row, columns, nr);
		fprintf(f, "%s\n    {", r ? "," : "");
		if (row->key == TIMELINE_OTHERS)
			fputs("\"others\": true", f);
		else if (row->key & INFO_ROW_CPU)
			fprintf(f, "\"cpu\": %d", (int)(__u32)row->key);
		else
			fprintf(f, "\"tid\": %d", (int)row->key);
		fputs(", \"bytes\": [", f);
		for (i = 0; i < nr; i++)
			fprintf(f, "%s%.0f", i ? "," : "", columns[i].bytes);
		fputs("], \"samples\": [", f);
		for (i = 0; i < nr; i++)
			fprintf(f, "%s%u", i ? "," : "", columns[i].samples);
		fputs("], \"gaps\": [", f);
		for (i = 0; i < nr; i++)
			fprintf(f, "%s%u", i ? "," : "", columns[i].gaps);
		fputs("]}", f);
	}
	fputs("]}\n", f);
	free(columns);
}

void info_json(const struct info *info, const char *file, const char *result,
	       int columns)
{
	FILE *f = info->out;

	fputs("{\n  ", f);
	key_string(f, "file", file);
	fputs(",\n  ", f);
	key_string(f, "result", result);
	fprintf(f, ",\n  \"bytes\": %llu,\n  \"nr_records\": %llu,\n",
		info->bytes, info->nr_records);
	fprintf(f, "  \"setup_complete\": %s,\n",
		info->complete ? "true" : "false");
	fprintf(f, "  \"first\": %llu,\n  \"last\": %llu,\n", info->first,
		info->last);
	print_machine(info);
	info_json_snapshots(info);
	print_events(info);
	print_types(info);
	print_threads(info);
	print_losses(info);
	print_files(info);
	print_columns(info, columns);
	fputs("}\n", f);
}
