// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read and print the snapshots of a flight recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
#include "base/json.h"
#include "base/text.h"
#include "stream/read_snapshot.h"
#include "stream/trigger_kind.h"

#define MAX_LISTED	40
#define MAX_BYTES	32	/* bytes of data that are shown */

static void *copy(const void *from, size_t len)
{
	void *to = malloc(len + 1);

	return to ? memcpy(to, from, len) : NULL;
}

int info_snapshot(struct info *info, const struct read_sample *s)
{
	struct info_snapshot *to;
	struct read_snapshot from;

	/* Ignore a broken sample: auxrec check tells what is wrong with it. */
	if (read_snapshot(s, &from))
		return 0;
	if (!(info->nr_snapshots & (info->nr_snapshots - 1))) {
		size_t room = info->nr_snapshots ? info->nr_snapshots * 2 : 1;

		to = realloc(info->snapshots, room * sizeof(*to));
		if (!to)
			return -ENOMEM;
		info->snapshots = to;
	}
	to = &info->snapshots[info->nr_snapshots++];
	*to = (struct info_snapshot) {
		.h = from.h,
		.name = copy(from.name, from.h.name_size),
		.data = copy(from.data, from.h.data_size),
	};
	return to->name && to->data ? 0 : -ENOMEM;
}

void info_free_snapshots(struct info *info)
{
	size_t i;

	for (i = 0; i < info->nr_snapshots; i++) {
		free(info->snapshots[i].name);
		free(info->snapshots[i].data);
	}
	free(info->snapshots);
}

static void print_data(const struct info *info, const struct info_snapshot *s)
{
	struct read_bytes b = read_bytes_init(s->data, s->h.data_size);
	struct read_snapshot_data data;
	__u64 nr = 0;
	__u32 i;

	for (; read_snapshot_data(&b, &data); nr++) {
		if (s->h.kind == TRIGGER_MACHINE) {
			/* auxrec recover wrote the text, and the message in it is the kernel's. */
			fputs("    ", info->out);
			read_print_text(info->out, (const char *)data.bytes, data.h.size);
			fputc('\n', info->out);
			continue;
		}
		fprintf(info->out, "    with %u bytes:", data.h.full_size);
		for (i = 0; i < data.h.size && i < MAX_BYTES; i++)
			fprintf(info->out, " %02x", data.bytes[i]);
		fputs(data.h.size > MAX_BYTES ? " ..." : "", info->out);
		if (data.h.size < data.h.full_size)
			fprintf(info->out, ", cut to %u", data.h.size);
		fputc('\n', info->out);
	}
	/* Triggers other than bpf= may have no data. */
	if ((nr || s->h.kind == TRIGGER_BPF) && nr < s->h.triggers)
		fprintf(info->out, "    no room for the bytes of %llu more\n", s->h.triggers - nr);
}

static void print_range(const struct info *info, const char *what, __u64 begin, __u64 end)
{
	char a[32], b[32];

	fprintf(info->out, "%s from %s to %s", what,
		begin ? read_print_time(a, sizeof(a), begin) : "the start",
		read_print_time(b, sizeof(b), end));
}

/* Print what limits the complete time: the times of the records, of the raw ring and of losses. */
static void print_parts(const struct info *info, const struct auxrec_snapshot *h,
			const struct complete_time *c)
{
	const bool raw = h->raw_end > h->raw_begin;

	if (!raw && !c->lost_end)
		return;
	print_range(info, "\n    records", h->t_begin, h->t_settled);
	if (raw)
		print_range(info, "; the raw ring", h->raw_begin, h->raw_end);
	if (c->lost_end)
		print_range(info, "; with losses", c->lost_begin, c->lost_end);
}

static void print_complete(const struct info *info, const struct auxrec_snapshot *h)
{
	const struct complete_time c = complete_time(&info->breaks, h);
	char a[32];

	/* No time is settled when a recording has just begun. */
	if (!h->t_settled)
		fputs("\n    just begun", info->out);
	else if (c.any)
		print_range(info, "\n    complete", c.begin, c.end);
	else
		fputs("\n    no time is complete", info->out);
	if (h->t_end > c.end)
		fprintf(info->out, ", in part to %s",
			read_print_time(a, sizeof(a), h->t_end));
	if (h->t_settled)
		print_parts(info, h, &c);
}

static void print_short(const struct info *info, const struct auxrec_snapshot *h)
{
	const enum snapshot_short part = snapshot_short(h->flags);

	if (part)
		fprintf(info->out,
			"    shorter than --flight asked for: the memory was full of %s; -M %uM would do\n",
			read_snapshot_short(part), h->flags >> AUXREC_SNAPSHOT_MIB_SHIFT);
}

static void print_one(const struct info *info, const struct info_snapshot *s)
{
	const struct auxrec_snapshot *h = &s->h;
	char a[32], b[32];

	fprintf(info->out, "  %llu: ", h->number);
	read_print_text(info->out, s->name, h->name_size);
	fprintf(info->out, " (%s) at %s", read_snapshot_kind(h->kind),
		read_print_time(a, sizeof(a), h->t_trigger));
	if (h->triggers > 1)
		fprintf(info->out, ", for %llu triggers", h->triggers);
	if (h->flags & AUXREC_SNAPSHOT_LOST)
		fputs(", a sample of it was lost", info->out);
	if (h->suppressed)
		fprintf(info->out, ", %llu suppressed so far", h->suppressed);
	print_complete(info, h);
	if (h->flags & AUXREC_SNAPSHOT_FROZEN || h->after_bytes || h->after_ns)
		fprintf(info->out, "; %s of the raw ring kept behind the trigger, %s%s",
			read_print_size(a, sizeof(a), h->after_bytes),
			read_print_duration(b, sizeof(b), h->after_ns),
			h->flags & AUXREC_SNAPSHOT_FROZEN ? ", frozen" : "");
	if (h->flags & AUXREC_SNAPSHOT_ONLY_TASK)
		fputs("\n    has only the process that triggered, and the records that readers need for it",
		      info->out);
	fputc('\n', info->out);
	print_short(info, h);
	print_data(info, s);
}

void info_print_snapshots(const struct info *info)
{
	size_t i;

	if (!info->nr_snapshots)
		return;
	fprintf(info->out, "\nSnapshots of recording %#llx\n",
		info->snapshots[0].h.recording);
	for (i = 0; i < info->nr_snapshots && i < MAX_LISTED; i++)
		print_one(info, &info->snapshots[i]);
	if (info->nr_snapshots > MAX_LISTED)
		fprintf(info->out, "  ... %zu more\n", info->nr_snapshots - MAX_LISTED);
}

/* A reader sees from "triggers" and "size" what was cut. */
static void json_data(struct json *j, const struct info_snapshot *s)
{
	struct read_bytes b = read_bytes_init(s->data, s->h.data_size);
	struct read_snapshot_data data;

	json_array(j, "data", JSON_SPACED);
	while (read_snapshot_data(&b, &data)) {
		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "size", data.h.full_size);
		json_hex(j, "bytes", data.bytes, data.h.size);
		json_end_object(j);
	}
	json_end_array(j);
}

static void json_one(struct json *j, const struct info *info, const struct info_snapshot *s)
{
	const struct auxrec_snapshot *h = &s->h;
	const struct complete_time c = complete_time(&info->breaks, h);
	const int part = snapshot_short(h->flags);

	json_object(j, NULL, JSON_SPACED);
	json_u64(j, "recording", h->recording);
	json_u64(j, "number", h->number);
	json_string(j, "name", s->name);
	json_string(j, "kind", read_snapshot_kind(h->kind));
	json_u64(j, "trigger", h->t_trigger);
	json_u64(j, "begin", h->t_begin);
	json_u64(j, "settled", h->t_settled);
	json_u64(j, "end", h->t_end);
	json_u64(j, "complete_begin", c.begin);
	json_u64(j, "complete_end", c.end);
	json_u64(j, "raw_begin", h->raw_begin);
	json_u64(j, "raw_end", h->raw_end);
	json_u64(j, "raw_first", h->raw_first);
	json_u64(j, "raw_last", h->raw_last);
	json_u64(j, "after_bytes", h->after_bytes);
	json_u64(j, "after_ns", h->after_ns);
	json_bool(j, "frozen", h->flags & AUXREC_SNAPSHOT_FROZEN);
	json_bool(j, "sample_lost", h->flags & AUXREC_SNAPSHOT_LOST);
	json_bool(j, "only_trigger_task", h->flags & AUXREC_SNAPSHOT_ONLY_TASK);
	json_string(j, "short", part ? read_snapshot_short(part) : "");
	json_u64(j, "memory_wanted", (__u64)(h->flags >> AUXREC_SNAPSHOT_MIB_SHIFT) << 20);
	json_u64(j, "triggers", h->triggers);
	json_u64(j, "suppressed", h->suppressed);
	json_data(j, s);
	json_end_object(j);
}

void info_json_snapshots(const struct info *info, struct json *j)
{
	size_t i;

	json_array(j, "snapshots", JSON_LINES);
	for (i = 0; i < info->nr_snapshots; i++)
		json_one(j, info, &info->snapshots[i]);
	json_end_array(j);
}
