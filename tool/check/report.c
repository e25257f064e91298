// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of rules, and printing violations and results.
 */
#include "check/check.h"

#include <stdarg.h>

#include "base/bytes.h"
#include "base/text.h"

static const struct {
	const char *name;
	bool strict;		/* stock readers do not need this rule */
	const char *help;
} rules[RULE_NR] = {
	[RULE_HEADER] = { "header", false, "PERFILE2, 16" },
	[RULE_FRAME] = { "frame", false,
		"a record is at least as long as its header" },
	[RULE_SIZE] = { "size", false,
		"multiple of 8, at most 65528, what its type needs" },
	[RULE_TYPE] = { "type", false, "known to perf 6.1" },
	[RULE_ORDER] = { "order", true,
		"setup records in their order, and before FINISHED_INIT" },
	[RULE_ATTR] = { "attr", false, "attr.size >= 64, multiple of 8, fits" },
	[RULE_ATTR_IDS] = { "attr-ids", true,
		"each ATTR has ids, not 0, no id twice" },
	[RULE_ATTR_COMPAT] = { "attr-compat", false,
		"several events: ids are found at one place" },
	[RULE_ATTR_FIRST] = { "attr-first", false,
		"ATTR before the records of events" },
	[RULE_ID] = { "id", false, "ids are those of an ATTR" },
	[RULE_EVENT_UPDATE] = { "event-update", false, "shape of EVENT_UPDATE" },
	[RULE_EVENT_NAME] = { "event-name", true,
		"each event is named before the live records" },
	[RULE_FEATURE_ID] = { "feature-id", true, "1 to 31, or 32 the end mark" },
	[RULE_FEATURE_END] = { "feature-end", true,
		"one end mark: 16 bytes or more, a multiple of 8, after all features but BPF's" },
	[RULE_FEATURE_DATA] = { "feature-data", true, "shape of a feature" },
	[RULE_FEATURE_BPF] = { "feature-bpf", true,
		"arrays of a BPF program at their offsets, and BTF with its magic" },
	[RULE_CLOCK] = { "clock", true, "CLOCK_DATA has the clock of the events" },
	[RULE_IDENTITY] = { "identity", true,
		"KEY=VALUE in the identity of a recording, each with a NUL" },
	[RULE_TRACING_DATA] = { "tracing-data", false,
		"layout and length of TRACING_DATA" },
	[RULE_TRACING_NEED] = { "tracing-need", true,
		"tracepoints need TRACING_DATA" },
	[RULE_BUILD_ID] = { "build-id", false, "shape of BUILD_ID" },
	[RULE_ID_INDEX] = { "id-index", false, "shape of ID_INDEX, its ids" },
	[RULE_THREAD_MAP] = { "thread-map", false, "shape of THREAD_MAP" },
	[RULE_CPU_MAP] = { "cpu-map", false, "shape of CPU_MAP" },
	[RULE_TIME_CONV] = { "time-conv", false, "shape of TIME_CONV" },
	[RULE_AUX_INFO] = { "aux-info", false,
		"AUXTRACE_INFO: known type, once, after the ATTRs" },
	[RULE_AUX_FIRST] = { "aux-first", false,
		"AUXTRACE_INFO before AUXTRACE" },
	[RULE_AUX_SIZE] = { "aux-size", false,
		"AUXTRACE's data is padded to 8" },
	[RULE_AUX_OFFSET] = { "aux-offset", true,
		"no hole and no overlap in a queue without a loss" },
	[RULE_AUX_QUEUE] = { "aux-queue", true,
		"a queue is one thread's or one CPU's" },
	[RULE_AUX_LATE] = { "aux-late", true,
		"AUX data before the round that flushes its time" },
	[RULE_COMPRESSED] = { "compressed", false,
		"FEATURE 27 first; data that zstd and readers accept" },
	[RULE_INIT] = { "init", true,
		"FINISHED_INIT once, before the live records" },
	[RULE_FORK_EXEC] = { "fork-exec", true,
		"synthesized FORKs do not clone maps" },
	[RULE_MMAP_ID] = { "mmap-id", false, "shape of an MMAP2's build-id" },
	[RULE_KERNEL_MAP] = { "kernel-map", true,
		"maps of pid -1 are the kernel's; its name and pgoff" },
	[RULE_STRING] = { "string", false, "ends within its record" },
	[RULE_STRING_PAD] = { "string-pad", true, "zeros, fewer than 8" },
	[RULE_SAMPLE] = { "sample", false, "what the attr says, and no more" },
	[RULE_RAW_ALIGN] = { "raw-align", false,
		"(4 + size) % 8 == 0, or zeros after it" },
	[RULE_CHUNK] = { "chunk", true, "chunk header: magic, version, size" },
	[RULE_CHUNK_LENGTH] = { "chunk-length", true,
		"chunk lengths agree with each other and the sample" },
	[RULE_CHUNK_SPAN] = { "chunk-span", true,
		"parts of a span follow each other, none is missing" },
	[RULE_CHUNK_SEQ] = { "chunk-seq", true, "spans come in order of seq" },
	[RULE_CHUNK_TIME] = { "chunk-time", true,
		"t_begin <= t_end, sample's time is t_begin" },
	[RULE_PAYLOAD] = { "payload", true,
		"payload header: magic, version, key, number" },
	[RULE_PAYLOAD_LENGTH] = { "payload-length", true,
		"payload lengths agree with each other and the sample" },
	[RULE_PAYLOAD_PART] = { "payload-part", true,
		"parts of a payload follow each other, none is missing" },
	[RULE_SNAPSHOT] = { "snapshot", true,
		"a snapshot's sample: magic, version, sizes, name" },
	[RULE_SNAPSHOT_FIRST] = { "snapshot-first", true,
		"its sample comes first after FINISHED_INIT; the state is older than t_begin" },
	[RULE_TIME_ORDER] = { "time-order", false,
		"nothing older than what readers have flushed" },
	[RULE_GAP] = { "gap", true, "an AUX gap has its AUXTRACE_ERROR" },
};

void check_print_rules(FILE *f)
{
	int i;

	for (i = 0; i < RULE_NR; i++)
		fprintf(f, "  %-14s %s%s\n", rules[i].name, rules[i].help,
			rules[i].strict ? "" : " (also with --perf)");
}

const char *check_expect(struct check *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->expected, sizeof(c->expected), fmt, args);
	va_end(args);
	return c->expected;
}

void check_fail(struct check *c, const struct read_record *rec,
		enum check_rule rule, const char *expected,
		const char *found, ...)
{
	__u64 offset = rec ? rec->offset : 0, number = rec ? rec->number : 0;
	const char *type = rec ? read_type_name(rec->type) : "header";
	char text[512];
	va_list args;

	if (c->relaxed && rules[rule].strict)
		return;
	c->violations++;
	c->by_rule[rule]++;
	if (c->quiet || c->listed >= c->max)
		return;
	va_start(args, found);
	vsnprintf(text, sizeof(text), found, args);
	va_end(args);
	if (c->json) {
		json_object(&c->to, NULL, JSON_SPACED);
		json_u64(&c->to, "offset", offset);
		json_u64(&c->to, "record", number);
		json_string(&c->to, "type", type);
		json_string(&c->to, "rule", rules[rule].name);
		json_bool(&c->to, "inner", rec && rec->inner);
		json_string(&c->to, "expected", expected);
		json_string(&c->to, "found", text);
		json_end_object(&c->to);
	} else {
		fprintf(c->out, "%#llx: %s #%llu%s: %s: expected ", offset,
			type, number, rec && rec->inner ? " (inside)" : "",
			rules[rule].name);
		read_print_text(c->out, expected, sizeof(c->expected));
		fputs(", found ", c->out);
		read_print_text(c->out, text, sizeof(text));
		fputc('\n', c->out);
	}
	c->listed++;
}

void check_report_begin(struct check *c, const char *file)
{
	if (c->quiet || !c->json)
		return;
	c->to.f = c->out;
	json_object(&c->to, NULL, JSON_BLOCK);
	json_string(&c->to, "file", file);
	json_array(&c->to, "violations", JSON_BLOCK);
}

static const char *result_name(int result)
{
	switch (result) {
	case CHECK_VALID:
		return "valid";
	case CHECK_INVALID:
		return "invalid";
	case CHECK_CUT:
		return "cut";
	}
	return "error";
}

static void end_json(struct check *c, int result)
{
	struct json *j = &c->to;
	int i;

	json_end_array(j);
	json_string(j, "result", result_name(result));
	json_u64(j, "records", c->records);
	json_u64(j, "bytes", c->bytes);
	json_u64(j, "nr_violations", c->violations);
	json_object(j, "by_rule", JSON_SPACED);
	for (i = 0; i < RULE_NR; i++)
		if (c->by_rule[i])
			json_u64(j, rules[i].name, c->by_rule[i]);
	json_end_object(j);
	if (result == CHECK_CUT)
		json_u64(j, "cut_offset", c->cut);
	else
		json_string(j, "cut_offset", NULL);
	if (c->cut_how[0])
		json_string(j, "cut_how", c->cut_how);
	json_string(j, "note", c->note);
	json_end_object(j);
}

void check_report_end(struct check *c, const char *file, int result)
{
	if (c->quiet)
		return;
	if (c->json) {
		end_json(c, result);
		return;
	}
	if (c->violations > c->listed)
		fprintf(c->out, "... %llu more\n", c->violations - c->listed);
	read_print_text(c->out, file, 4096);
	if (result == CHECK_INVALID)
		fprintf(c->out, ": invalid: %llu violation%s", c->violations,
			c->violations == 1 ? "" : "s");
	else if (result == CHECK_CUT && c->cut_how[0])
		fprintf(c->out, ": valid prefix, cut at offset %llu of the stream: %s", c->cut,
			c->cut_how);
	else if (result == CHECK_CUT && !c->bytes)
		fputs(": empty, no stream has begun", c->out);
	else if (result == CHECK_CUT)
		fprintf(c->out, ": valid prefix, cut in the middle of a record at offset %llu",
			c->cut);
	else if (result == CHECK_VALID)
		fputs(": valid", c->out);
	else
		fputs(": could not be read", c->out);
	fprintf(c->out, " (%llu records, %llu bytes)\n", c->records, c->bytes);
	if (c->note && result == CHECK_VALID)
		fprintf(c->out, "note: %s\n", c->note);
}
