// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the report as text.
 */
#include <time.h>

#include "info/info.h"
#include "base/bytes.h"
#include "origin/clock_name.h"
#include "base/text.h"

#define MAX_LISTED	40	/* lines of any list that can be long */

static const struct {
	int id;
	const char *name;
} features[] = {
	{ REC_FEAT_HOSTNAME, "host" },
	{ REC_FEAT_OSRELEASE, "kernel" },
	{ REC_FEAT_ARCH, "arch" },
	{ REC_FEAT_CPUDESC, "CPU" },
	{ REC_FEAT_VERSION, "recorder" },
	{ REC_FEAT_CMDLINE, "command" },
};

static void print_more(const struct info *info, size_t nr)
{
	if (nr > MAX_LISTED)
		fprintf(info->out, "  ... %zu more\n", nr - MAX_LISTED);
}

/* Print the clock of the times, and the time of day at one of them. */
static void print_clock(const struct info *info)
{
	const struct rec_clock_data *c = &info->clock;
	const time_t seconds = c->wall / 1000000000;
	char a[32], day[32];
	struct tm tm;

	if (!c->version)
		return;
	if (!gmtime_r(&seconds, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	fprintf(info->out, "  %-9s %s; %s is %s.%09llu UTC\n", "clock",
		clock_name(c->clockid) ?: "unknown", read_print_time(a, sizeof(a), c->time), day,
		c->wall % 1000000000);
}

static void print_machine(const struct info *info)
{
	char a[32], b[32], d[32];
	size_t i;

	fputs("Recording\n", info->out);
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!info->feature[features[i].id])
			continue;
		fprintf(info->out, "  %-9s ", features[i].name);
		read_print_text(info->out, info->feature[features[i].id], 1024);
		fputc('\n', info->out);
	}
	info_print_identity(info);
	if (info->cpus_online)
		fprintf(info->out, "  %-9s %u online of %u\n", "CPUs",
			info->cpus_online, info->cpus_avail);
	if (info->memory)
		fprintf(info->out, "  %-9s %s\n", "memory",
			read_print_size(a, sizeof(a), info->memory * 1024.0));
	if (info->bpf_progs)
		fprintf(info->out, "  %-9s info on %llu programs, %llu BTFs\n",
			"BPF", info->bpf_progs, info->bpf_btfs);
	if (info->first)
		fprintf(info->out, "  %-9s %s to %s (%s)\n", "time",
			read_print_time(a, sizeof(a), info->first),
			read_print_time(b, sizeof(b), info->last),
			read_print_duration(d, sizeof(d),
					    info->last - info->first));
	print_clock(info);
	fprintf(info->out, "  %-9s %s, %llu records\n", "stream",
		read_print_size(a, sizeof(a), info->bytes), info->nr_records);
}

static void print_events(const struct info *info)
{
	char size[32];
	size_t i;

	fputs("\nEvents\n", info->out);
	for (i = 0; i < info->attrs.nr && i < MAX_LISTED; i++) {
		const struct read_event *ev = info->attrs.list[i];
		const struct info_event *n = &info->events[i];

		fputs("  ", info->out);
		read_print_text(info->out, read_event_name(ev), 60);
		fprintf(info->out, ": type %u config %#llx, %s %llu, %u id%s",
			ev->attr.type, ev->attr.config,
			ev->attr.freq ? "freq" : "period",
			ev->attr.sample_period, ev->nr_ids,
			ev->nr_ids == 1 ? "" : "s");
		fprintf(info->out, "%s%s%s%s",
			ev->attr.inherit ? ", inherit" : "",
			ev->attr.exclude_kernel ? ", user only" : "",
			ev->attr.exclude_user ? ", kernel only" : "",
			ev->attr.context_switch ? ", switches" : "");
		if (n->payloads)
			fprintf(info->out, "; %llu payloads, %s", n->payloads,
				read_print_size(size, sizeof(size),
						n->payload_bytes));
		else if (n->samples && !n->aux_bytes)
			fprintf(info->out, "; %llu samples", n->samples);
		if (n->aux_bytes)
			fprintf(info->out, "; %s of AUX data in %llu chunks",
				read_print_size(size, sizeof(size), n->aux_bytes),
				n->samples);
		if (n->lost)
			fprintf(info->out, "; %llu LOST", n->lost);
		fputc('\n', info->out);
	}
	print_more(info, info->attrs.nr);
}

static void print_types(const struct info *info)
{
	int i, column = 0;

	fputs("\nRecords\n", info->out);
	for (i = 0; i < REC_NR_TYPES; i++) {
		if (!info->types[i])
			continue;
		fprintf(info->out, "  %-16s %10llu%s", read_type_name(i),
			info->types[i], ++column % 2 ? "   " : "\n");
	}
	if (info->other_types)
		fprintf(info->out, "  %-16s %10llu%s", "unknown",
			info->other_types, ++column % 2 ? "   " : "\n");
	if (column % 2)
		fputc('\n', info->out);
}

static void print_threads(const struct info *info)
{
	char size[32];
	size_t i;

	fputs("\nThreads\n", info->out);
	for (i = 0; i < info->nr_threads && i < MAX_LISTED; i++) {
		const struct info_thread *t = &info->threads[i];

		fprintf(info->out, "  %7d/%-7d ", (int)t->pid, (int)t->tid);
		read_print_text(info->out, t->comm[0] ? t->comm : "?",
				sizeof(t->comm));
		if (t->samples)
			fprintf(info->out, ", %llu samples", t->samples);
		if (t->aux_bytes)
			fprintf(info->out, ", %s AUX",
				read_print_size(size, sizeof(size), t->aux_bytes));
		if (t->gaps)
			fprintf(info->out, ", %llu gaps", t->gaps);
		fprintf(info->out, "%s\n", t->exited ? ", exited" : "");
	}
	print_more(info, info->nr_threads);
}

static void print_queues(const struct info *info)
{
	char size[32];
	size_t i;

	if (!info->nr_queues)
		return;
	fputs("\nAUX data\n", info->out);
	for (i = 0; i < info->nr_queues && i < MAX_LISTED; i++) {
		const struct info_queue *q = &info->queues[i];
		const struct info_thread *t = info_find_thread(info, q->tid);

		if (q->tid == INFO_NOBODY) {
			fprintf(info->out, "  CPU %d", (int)q->cpu);
		} else {
			fprintf(info->out, "  thread %u ", q->tid);
			read_print_text(info->out,
					t && t->comm[0] ? t->comm : "?", 16);
		}
		fprintf(info->out, ": %s in %llu %s\n",
			read_print_size(size, sizeof(size), q->bytes),
			q->records, q->chunks ? "chunks" : "AUXTRACE records");
	}
	print_more(info, info->nr_queues);
}

/* Print how much is missing in a gap, or in all gaps of a cause. */
static const char *print_amount(char *buf, size_t size, __u32 cause, __u64 count,
				__u64 bytes)
{
	char s[32];

	if (cause == INFO_MAIN_RING)
		snprintf(buf, size, "%llu records", count);
	else
		snprintf(buf, size, "%llu attempts, %s", count,
			 bytes ? read_print_size(s, sizeof(s), bytes) : "size unknown");
	return buf;
}

static void print_cause(const struct info *info, int i)
{
	const struct info_cause *cause = &info->causes[i];
	double seconds = (info->last - info->first) / 1e9;
	char a[32], b[32], d[32], l[32], s[96];

	fprintf(info->out, "  %s: %llu gap%s, %s in all, longest %s, %s",
		info_cause_name(i), cause->gaps, cause->gaps == 1 ? "" : "s",
		read_print_duration(d, sizeof(d), cause->duration),
		read_print_duration(l, sizeof(l), cause->longest),
		print_amount(s, sizeof(s), i, cause->attempts, cause->bytes));
	if (seconds > 0)
		fprintf(info->out, ", %.1f/s, %.2f%% of the time",
			cause->gaps / seconds, cause->duration / seconds / 1e7);
	fprintf(info->out, "\n    from %s to %s\n",
		read_print_time(a, sizeof(a), cause->first),
		read_print_time(b, sizeof(b), cause->last));
}

/* Return whether there are any losses. */
static bool print_payload_losses(const struct info *info)
{
	bool any = info->without_sample;
	char size[32];
	int i;

	for (i = 0; i < INFO_NR_CAUSES; i++) {
		const struct info_payload_loss *loss = &info->payload_losses[i];

		if (!loss->count)
			continue;
		any = true;
		fprintf(info->out, "  raw data of %llu samples, %s: %s\n",
			loss->count,
			read_print_size(size, sizeof(size), loss->bytes),
			info_cause_name(i));
	}
	if (info->without_sample)
		fprintf(info->out, "  the samples of %llu payloads whose data is here\n",
			info->without_sample);
	return any;
}

static void print_losses(const struct info *info)
{
	bool any = info->lost || info->lost_samples || info->aux_truncated;
	char a[32], d[32], s[96];
	size_t i;

	fputs("\nLosses\n", info->out);
	for (i = 0; i < INFO_NR_CAUSES; i++) {
		if (!info->causes[i].gaps)
			continue;
		any = true;
		print_cause(info, i);
	}
	for (i = 0; i < info->nr_gaps && i < MAX_LISTED; i++) {
		const struct read_gap *g = &info->gaps[i];

		fprintf(info->out, "    %s +%s tid %d CPU %d: %s, %s\n",
			read_print_time(a, sizeof(a), g->begin),
			read_print_duration(d, sizeof(d), g->end - g->begin),
			(int)g->tid, (int)g->cpu, info_cause_name(g->cause),
			print_amount(s, sizeof(s), g->cause, g->count, g->bytes));
	}
	print_more(info, info->nr_gaps);
	if (info->aux_truncated)
		fprintf(info->out, "  %llu AUX records say truncated\n",
			info->aux_truncated);
	if (info->lost)
		fprintf(info->out, "  main ring: %llu records lost\n", info->lost);
	if (info->lost_samples)
		fprintf(info->out, "  main ring, or left out with their raw data: %llu samples lost\n",
			info->lost_samples);
	if (print_payload_losses(info))
		any = true;
	if (!any)
		fputs("  none\n", info->out);
}

static void print_files(const struct info *info)
{
	__u64 with = 0, without = 0;
	size_t i, lacking = 0;

	for (i = 0; i < info->nr_files; i++) {
		with += info->files[i].with;
		without += info->files[i].without;
		lacking += info->files[i].without && !info->files[i].id;
	}
	fputs("\nBuild-ids\n", info->out);
	fprintf(info->out, "  %llu maps with, %llu without; %zu of %zu files lack one\n",
		with, without, lacking, info->nr_files);
	for (i = 0, lacking = 0; i < info->nr_files; i++) {
		if (!info->files[i].without || info->files[i].id)
			continue;
		if (lacking++ >= MAX_LISTED)
			continue;
		fputs("    ", info->out);
		read_print_text(info->out, info->files[i].name, 256);
		fputc('\n', info->out);
	}
	print_more(info, lacking);
}

void info_print(const struct info *info, int width)
{
	print_machine(info);
	info_print_snapshots(info);
	print_events(info);
	print_types(info);
	print_threads(info);
	print_queues(info);
	print_losses(info);
	print_files(info);
	fprintf(info->out, "\nTime line, per %s\n",
		info->by_cpu ? "CPU" : "thread");
	info_print_line(info, width);
}
