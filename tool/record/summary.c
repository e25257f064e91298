// SPDX-License-Identifier: GPL-2.0-only
/*
 * The summary of a recording: what was recorded and what was lost, as text and as JSON.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "bpf/bpf.h"
#include "record/late_ids.h"
#include "record/payloads.h"
#include "record/record.h"
#include "record/rotate.h"
#include "stream/cause.h"

#define ULL(x)	((unsigned long long)(x))

/* Print a ring's size as -m takes it. */
static const char *ring_size(__u64 size, __u64 nr, char text[32])
{
	if (size & 0xfffff)
		snprintf(text, 32, "%lluKx%llu", ULL(size >> 10), ULL(nr));
	else
		snprintf(text, 32, "%lluMx%llu", ULL(size >> 20), ULL(nr));
	return text;
}

static const char *size_now(const struct session *s, char text[32])
{
	return ring_size(s->raw.ctl->segment_size, s->raw.ctl->nr_segments,
			 text);
}

static void print_gaps(const struct session *s)
{
	const struct perfaux_control *ctl = s->raw.ctl;
	unsigned int i;
	char now[32];

	for (i = 0; i < ARRAY_LEN(s->gaps); i++) {
		const struct gap_stats *g = &s->gaps[i];

		if (g->count)
			say("LOST AUX data: %s: %llu gaps, %.6f s in all, %llu bytes%s",
			    gap_cause_name(i), ULL(g->count), g->time / 1e9,
			    ULL(g->bytes), g->bytes ? "" : " known to be lost");
	}
	/* Without AUX data these gaps belong to producers, see auxdata_summary(). */
	if (ctl->merged_begin && !s->payloads->stats.lost[PERFAUX_CAUSE_NO_GAP])
		say("LOST AUX data: %s: %llu gaps between %.9f and %.9f, %llu bytes",
		    gap_cause_name(PERFAUX_CAUSE_NO_GAP),
		    ULL(ctl->lost_count[PERFAUX_CAUSE_NO_GAP]),
		    ctl->merged_begin / 1e9, ctl->merged_end / 1e9,
		    ULL(ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP]));
	if (ctl->lost_count[PERFAUX_CAUSE_OVERRUN])
		say("LOST AUX data: %s: %llu times, %llu bytes",
		    gap_cause_name(PERFAUX_CAUSE_OVERRUN),
		    ULL(ctl->lost_count[PERFAUX_CAUSE_OVERRUN]),
		    ULL(ctl->lost_bytes[PERFAUX_CAUSE_OVERRUN]));
	if (s->raw.missing || s->bad_spans)
		say("LOST AUX data: %llu spans missing, %llu impossible: please report",
		    ULL(s->raw.missing), ULL(s->bad_spans));
	if (s->gaps[PERFAUX_CAUSE_FULL].count)
		say("  a larger raw ring helps: -m MAIN,RAW (now %s), or a faster disk",
		    size_now(s, now));
}

/* Suggest segments for the largest data that did not fit, in a ring that is not smaller. */
static void say_larger_segments(const struct session *s)
{
	const struct perfaux_control *ctl = s->raw.ctl;
	const __u64 bytes = (__u64)ctl->segment_size * ctl->nr_segments;
	const __u64 need = s->payloads->stats.too_large +
			   sizeof(struct perfaux_frame);
	__u64 size = ctl->segment_size;
	char now[32], larger[32];

	while (size < need)
		size *= 2;
	if (size > 1U << 30)
		say("  no segment can be that large: 1G is the largest");
	else
		say("  larger segments help: -m ,%s (now %s)",
		    ring_size(size, bytes / size < 4 ? 4 : bytes / size, larger),
		    size_now(s, now));
}

static void print_payloads(const struct session *s)
{
	const struct payload_stats *st = &s->payloads->stats;
	unsigned int i;
	char now[32];

	say("%.3f MiB of raw data in %llu payloads through the raw ring, %llu of them beside their sample",
	    st->bytes / 1048576.0, ULL(st->count), ULL(st->apart));
	if (st->orphans)
		say("%llu samples were lost, but not their raw data: the main ring was full; a larger one helps (-m)",
		    ULL(st->orphans));
	if (st->left_out)
		say("LOST %llu samples, but not their raw data: with it they are larger than a record; a smaller stack-size= helps",
		    ULL(st->left_out));
	for (i = 0; i < ARRAY_LEN(st->lost); i++)
		if (st->lost[i])
			say("LOST raw data of %llu samples, %llu bytes: %s",
			    ULL(st->lost[i]), ULL(st->lost_bytes[i]),
			    gap_cause_name(i));
	if (st->lost[PERFAUX_CAUSE_FULL])
		say("  a larger raw ring helps: -m MAIN,RAW (now %s)",
		    size_now(s, now));
	if (st->lost[PERFAUX_CAUSE_TOO_LARGE])
		say_larger_segments(s);
	if (s->raw.ctl->lost_count[PERFAUX_CAUSE_ABANDONED])
		say("LOST %llu frames that were begun and not finished",
		    ULL(s->raw.ctl->lost_count[PERFAUX_CAUSE_ABANDONED]));
}

static const char * const id_causes[PERFAUX_NR_ID_RESULTS] = {
	[PERFAUX_ID_FOUND] = "found",
	[PERFAUX_ID_NO_NOTE] = "has none",
	[PERFAUX_ID_NOT_ELF] = "not ELF",
	[PERFAUX_ID_TRUNCATED] = "truncated",
	[PERFAUX_ID_UNREADABLE] = "unreadable",
	[PERFAUX_ID_TOO_LARGE] = "too large",
	[PERFAUX_ID_DEFERRED] = "to be read later",
};

static void print_ids(const struct session *s)
{
	const struct perfaux_ids_stats *st = &s->ids->stats;
	char causes[256] = "";
	size_t len = 0;
	int i;

	if (s->ids->fd < 0)
		return;
	for (i = PERFAUX_ID_NO_NOTE; i < PERFAUX_NR_ID_RESULTS; i++)
		if (st->results[i] && len < sizeof(causes))
			len += snprintf(causes + len, sizeof(causes) - len,
					"%s%s %llu", len ? ", " : "",
					id_causes[i], ULL(st->results[i]));
	if (s->ids->without)
		say("%llu of %llu file maps have no build-id in their record (all tasks: %s); %llu files have a build-id that came later",
		    ULL(s->ids->without), ULL(s->ids->maps), causes,
		    ULL(s->ids->late));
	if (st->pending)
		say("%u files could not be read in time for their build-id",
		    st->pending);
	if (s->ids->dropped)
		say("LOST %llu late build-ids of files that were not seen mapped",
		    ULL(s->ids->dropped));
	if (st->notices_lost)
		say("LOST %llu notices of build-ids: too many at a time",
		    ULL(st->notices_lost));
}

/* Return why the ids are not the module's; NULL: they are, or ids were not asked for. */
static const char *no_ids_reason(const struct session *s)
{
	static char text[128];

	switch (s->ids->err) {
	case 0:
		return NULL;
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		return "perfaux module not loaded";
	case -EACCES:
	case -EPERM:
		return "no access to " PERFAUX_DEVICE;
	}
	snprintf(text, sizeof(text), "%s: %s", PERFAUX_DEVICE,
		 strerror(-s->ids->err));
	return text;
}

static void json_ids(struct json *j, const struct session *s)
{
	const struct perfaux_ids_stats *st = &s->ids->stats;
	int i;

	json_object(j, "build_ids", JSON_TIGHT);
	json_u64(j, "maps", s->ids->maps);
	json_u64(j, "without", s->ids->without);
	json_u64(j, "late", s->ids->late);
	json_u64(j, "long", s->ids->long_ids);
	json_u64(j, "modules", s->ids->modules);
	json_u64(j, "pending", st->pending);
	json_u64(j, "dropped", s->ids->dropped);
	json_u64(j, "notices_lost", st->notices_lost);
	json_object(j, "all_tasks", JSON_TIGHT);
	for (i = 0; i < PERFAUX_NR_ID_RESULTS; i++)
		json_u64(j, id_causes[i], st->results[i]);
	json_end_object(j);
	json_end_object(j);
}

static void print_bpf(const struct session *s)
{
	const struct bpf_reader *b = s->bpf;
	const bool denied = b->err == -EPERM || b->err == -EACCES;

	/*
	 * Without BPF in the kernel, nothing is missing. Without the right to ask for programs,
	 * their infos are missing only if kernel addresses are recorded and have symbols.
	 */
	if (b->err && b->err != -ENOSYS &&
	    !(denied && (!session_records_kernel(s) || s->kptr_hidden)))
		say("BPF program info is missing: %s",
		    denied ?
		    "it needs root or CAP_SYS_ADMIN" : strerror(-b->err));
	if (b->gone)
		say("BPF program info is missing for %llu programs: they were unloaded immediately",
		    ULL(b->gone));
	if (b->failed || b->lost)
		say("BPF program info is missing for %llu programs: %llu too many at a time, %llu refused by the kernel",
		    ULL(b->failed + b->lost), ULL(b->lost), ULL(b->failed));
	if (b->cut)
		say("%llu BPF programs are longer than a record: recorded without their instructions or lines",
		    ULL(b->cut));
	if (b->cut_btfs)
		say("%llu BTFs of BPF programs are longer than a record: left out",
		    ULL(b->cut_btfs));
	if (b->lost_btfs)
		say("LOST %llu BTFs of BPF programs: too many at a time",
		    ULL(b->lost_btfs));
}

static void json_bpf(struct json *j, const struct session *s)
{
	const struct bpf_reader *b = s->bpf;

	json_object(j, "bpf", JSON_TIGHT);
	json_u64(j, "programs", b->nr_progs);
	json_u64(j, "btf", b->nr_btfs);
	json_u64(j, "unloaded", b->gone);
	json_u64(j, "failed", b->failed);
	json_u64(j, "lost", b->lost);
	json_u64(j, "cut", b->cut);
	json_u64(j, "cut_btf", b->cut_btfs);
	json_u64(j, "lost_btf", b->lost_btfs);
	json_end_object(j);
}

static bool module_loaded(const struct session *s)
{
	return s->have_raw || !access(PERFAUX_DEVICE, F_OK);
}

/*
 * Does the kernel tell which event lost a record? session/open.c drops PERF_FORMAT_LOST for all
 * events or for none.
 */
static bool counters_tell(const struct session *s)
{
	return s->nr_sev && s->sev[0].attr.read_format & PERF_FORMAT_LOST;
}

/* Return the number of samples in the output. */
static __u64 nr_samples(const struct session *s)
{
	return s->main.samples - s->out.lost_samples;
}

static void print_far(const struct perfaux_control *ctl)
{
	/* An older module does not have this counter. A few far segments cost hardly anything. */
	if (ctl->size >= sizeof(*ctl) && ctl->far_claims > ctl->claims / 100)
		say("%llu of %llu claimed segments were on another NUMA node than the CPU",
		    ULL(ctl->far_claims), ULL(ctl->claims));
}

static void print_output(const struct session *s)
{
	const bool to_file = strcmp(s->opt->output, "-");
	char from[64] = "";

	if (s->opt->compress)
		snprintf(from, sizeof(from), ", compressed from %.3f MiB",
			 s->out.bytes / 1048576.0);
	else if (s->opt->pack)
		snprintf(from, sizeof(from), ", records compressed from %.3f to %.3f MiB",
			 s->out.packed / 1048576.0, s->out.packed_size / 1048576.0);
	say("%.3f MiB%s%s%s: %llu samples, %llu other records%s%s",
	    s->out.stored / 1048576.0, to_file ? " in " : "",
	    to_file ? s->opt->output : " written", from,
	    ULL(nr_samples(s)), ULL(s->main.records - s->main.samples),
	    s->end_reason ? ", " : "", s->end_reason ? s->end_reason : "");
	if (s->have_raw && (s->spans || !s->have_payloads))
		say("%.3f MiB of AUX data in %llu spans",
		    s->aux_bytes / 1048576.0, ULL(s->spans));
	if (s->have_payloads)
		print_payloads(s);
	if (s->have_raw)
		print_far(s->raw.ctl);
}

static void print_files(const struct session *s)
{
	const struct file_list *files = rotate_files(s);
	size_t i;

	for (i = 0; files && i < files->nr; i++)
		say("  %s", files->names[i]);
	if (files && files->removed)
		say("%llu older files were removed (--switch-max-files)", ULL(files->removed));
}

void summary_print(struct session *s, const char *problem)
{
	(void)problem;
	if (s->mode->summary)
		s->mode->summary(s);
	else
		print_output(s);
	print_files(s);
	if (s->main.lost)
		say("LOST %llu records%s: the main ring was full; a larger one helps (-m)",
		    ULL(s->main.lost), counters_tell(s) ? " that are no samples" : "");
	if (s->main.lost_samples)
		say("LOST %llu samples: the main ring was full; a larger one helps (-m)",
		    ULL(s->main.lost_samples));
	if (s->main.unwritten)
		say("LOST %llu samples: the kernel could not write them",
		    ULL(s->main.unwritten));
	if (s->main.throttled)
		say("the kernel throttled sampling %llu times",
		    ULL(s->main.throttled));
	if (s->out.lost)
		say("LOST %llu bytes that could not be written",
		    ULL(s->out.lost));
	if (s->out.unread)
		say("LOST %llu compressed bytes that the reader of the pipe did not take; their samples are not counted as lost",
		    ULL(s->out.unread));
	if (s->out.lost_samples)
		say("LOST %llu samples that were recorded and did not reach the output",
		    ULL(s->out.lost_samples));
	if (s->have_raw)
		print_gaps(s);
	if (s->missing_build_ids)
		say("%llu maps from before the recording have no readable build-id",
		    ULL(s->missing_build_ids));
	if (s->ids->long_ids + s->long_build_ids)
		say("%llu maps have a build-id of more than 20 bytes; the record has the first 20",
		    ULL(s->ids->long_ids + s->long_build_ids));
	print_ids(s);
	print_bpf(s);
	if (no_ids_reason(s) && s->ids->without)
		say("%llu of %llu file maps have no build-id: only the kernel itself looked for build-ids (%s): %s",
		    ULL(s->ids->without), ULL(s->ids->maps), no_ids_reason(s),
		    s->ids->err == -EACCES || s->ids->err == -EPERM ?
		    "record as root" : LOAD_PERFAUX);
}

static void json_gaps(struct json *j, const struct session *s)
{
	unsigned int i;

	json_array(j, "gaps", JSON_TIGHT);
	for (i = 0; i < ARRAY_LEN(s->gaps); i++) {
		const struct gap_stats *g = &s->gaps[i];

		if (!g->count)
			continue;
		json_object(j, NULL, JSON_TIGHT);
		json_string(j, "cause", gap_cause_name(i));
		json_u64(j, "count", g->count);
		json_u64(j, "attempts", g->attempts);
		json_u64(j, "ns", g->time);
		json_u64(j, "bytes", g->bytes);
		json_end_object(j);
	}
	json_end_array(j);
}

static void json_raw(struct json *j, const struct session *s)
{
	const struct perfaux_control *ctl = s->raw.ctl;

	json_object(j, "aux", JSON_TIGHT);
	json_u64(j, "bytes", s->aux_bytes);
	json_u64(j, "spans", s->spans);
	json_u64(j, "segment_size", ctl->segment_size);
	json_u64(j, "segments", ctl->nr_segments);
	json_gaps(j, s);
	json_u64(j, "merged_gaps", ctl->lost_count[PERFAUX_CAUSE_NO_GAP]);
	json_u64(j, "merged_bytes", ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP]);
	json_u64(j, "overruns", ctl->lost_count[PERFAUX_CAUSE_OVERRUN]);
	json_u64(j, "overrun_bytes", ctl->lost_bytes[PERFAUX_CAUSE_OVERRUN]);
	json_u64(j, "missing", s->raw.missing);
	json_u64(j, "impossible", s->bad_spans);
	json_end_object(j);
}

static void json_payloads(struct json *j, const struct session *s)
{
	const struct payload_stats *st = &s->payloads->stats;
	unsigned int i;

	json_object(j, "raw", JSON_TIGHT);
	json_u64(j, "count", st->count);
	json_u64(j, "bytes", st->bytes);
	json_u64(j, "apart", st->apart);
	json_u64(j, "without_sample", st->orphans);
	json_u64(j, "left_out", st->left_out);
	json_u64(j, "abandoned", s->raw.ctl->lost_count[PERFAUX_CAUSE_ABANDONED]);
	json_array(j, "lost", JSON_TIGHT);
	for (i = 0; i < ARRAY_LEN(st->lost); i++) {
		if (!st->lost[i])
			continue;
		json_object(j, NULL, JSON_TIGHT);
		json_string(j, "cause", gap_cause_name(i));
		json_u64(j, "count", st->lost[i]);
		json_u64(j, "bytes", st->lost_bytes[i]);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static void json_losses(struct json *j, const struct session *s)
{
	json_object(j, "lost", JSON_TIGHT);
	json_u64(j, "records", s->main.lost);
	json_u64(j, "samples", s->main.lost_samples + s->main.unwritten);
	json_u64(j, "output_bytes", s->out.lost);
	json_u64(j, "output_samples", s->out.lost_samples);
	if (s->opt->compress)
		json_u64(j, "output_unread_compressed_bytes", s->out.unread);
	json_end_object(j);
}

int summary_open(struct session *s, struct diag *d)
{
	const char *path = s->opt->json_file;

	if (!path)
		return 0;
	s->json_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY,
			  0666);
	if (s->json_fd < 0)
		return diag(d, -errno, "--json: cannot create %s: %s", path,
			    strerror(errno));
	return 0;
}

/* Return the file of --json=FILE, which is emptied now, or stderr. NULL: see errno. */
static FILE *json_stream(struct session *s)
{
	struct stat st;
	FILE *f;

	if (!s->opt->json_file)
		return stderr;
	if (!fstat(s->json_fd, &st) && S_ISREG(st.st_mode) &&
	    ftruncate(s->json_fd, 0))
		return NULL;
	f = fdopen(s->json_fd, "w");
	if (f)
		s->json_fd = -1;
	return f;
}

static void json_files(struct json *j, const struct file_list *files)
{
	size_t i;

	json_array(j, "files", JSON_TIGHT);
	for (i = 0; i < files->nr; i++)
		json_string(j, NULL, files->names[i]);
	json_end_array(j);
	json_u64(j, "removed_files", files->removed);
}

static void print_json(FILE *f, const struct session *s, const char *problem)
{
	struct json j = { .f = f };

	json_object(&j, NULL, JSON_TIGHT);
	json_string(&j, "output", s->opt->output);
	if (rotate_files(s))
		json_files(&j, rotate_files(s));
	json_u64(&j, "bytes", s->mode->bytes ? s->mode->bytes(s) : s->out.bytes);
	if (s->opt->compress && !s->mode->bytes)
		json_u64(&j, "compressed_bytes", s->out.stored);
	if (s->opt->pack) {
		json_u64(&j, "packed_bytes", s->out.packed);
		json_u64(&j, "packed_bytes_stored", s->out.packed_size);
	}
	json_u64(&j, "records", s->main.records);
	json_u64(&j, "samples", nr_samples(s));
	json_u64(&j, "rounds", s->rounds);
	json_u64(&j, "duration_ns", s->stopped - s->started);
	json_string(&j, "end", s->end_reason ? s->end_reason : "failed");
	json_string(&j, "problem", problem);
	json_losses(&j, s);
	json_u64(&j, "throttled", s->main.throttled);
	json_u64(&j, "missing_build_ids", s->missing_build_ids);
	json_u64(&j, "long_build_ids", s->long_build_ids);
	json_bool(&j, "module", module_loaded(s));
	if (s->have_raw)
		json_raw(&j, s);
	if (s->have_payloads)
		json_payloads(&j, s);
	if (s->mode->json)
		s->mode->json(&j, s);
	if (s->ids->fd >= 0)
		json_ids(&j, s);
	if (no_ids_reason(s))
		json_string(&j, "no_build_ids", no_ids_reason(s));
	if (!s->bpf->err)
		json_bpf(&j, s);
	json_end_object(&j);
}

int summary_json(struct session *s, const char *problem, struct diag *d)
{
	const char *path = s->opt->json_file;
	FILE *f = json_stream(s);
	int err = 0;

	if (!f)
		return diag(d, -errno, "--json: writing %s: %s", path,
			    strerror(errno));
	print_json(f, s, problem);
	if (path && (fflush(f) || ferror(f)))
		err = diag(d, -errno, "--json: writing %s: %s", path,
			   strerror(errno));
	if (path)
		fclose(f);
	return err;
}
