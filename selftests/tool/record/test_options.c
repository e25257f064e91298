// SPDX-License-Identifier: GPL-2.0-only
/*
 * Golden cases of the command line: test_options [-g] options.txt
 *
 * Each line of the file is one case, "ARGUMENTS => MEANING". Arguments can be quoted with ''.
 * The test prints TAP. With -g it prints the file with the current meanings instead: read the
 * differences before you keep the new file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "../../words.h"
#include "base/parse_size.h"
#include "cli/options.h"
#include "session/raw_size.h"

#define MAX_ARGS	32
#define SEPARATOR	"=>"

static char meaning[4096];

static void add(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static void add(const char *fmt, ...)
{
	size_t len = strlen(meaning);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(meaning + len, sizeof(meaning) - len, fmt, ap);
	va_end(ap);
}

/* Add the size of the raw ring as on a machine with 4 CPUs where only intel_pt is an AUX event. */
static void add_raw(const struct options *o)
{
	bool payloads = o->raw_ring || o->bpf_ring, aux = false;
	struct cpus cpus = { NULL, 4 };
	__u32 size, nr;
	size_t i;

	for (i = 0; i < o->nr_events; i++) {
		payloads |= !!o->events[i].bpf_map;
		aux |= !strncmp(o->events[i].spec, "intel_pt", 8);
	}
	if (o->cpus)
		cpus_parse(&cpus, o->cpus);
	raw_size(o, payloads, aux, cpus.nr, &size, &nr);
	cpus_free(&cpus);
	add("; raw %ux%u", nr, size);
}

static void add_record(const struct options *o)
{
	size_t i, j;

	add("command record; events");
	for (i = 0; i < o->nr_events; i++) {
		add(" %s", o->events[i].spec);
		for (j = 0; j < o->events[i].nr_filters; j++)
			add("[%s]", o->events[i].filters[j]);
		if (o->events[i].exclude_self)
			add(" exclude-perf");
		if (o->events[i].bpf_map)
			add(" map %s", o->events[i].bpf_map);
	}
	if (o->nr_targets)
		add("; %s", o->threads ? "tids" : "pids");
	for (i = 0; i < o->nr_targets; i++)
		add(" %d", o->targets[i]);
	if (o->system_wide)
		add("; all");
	if (o->cpus)
		add("; cpus %s", o->cpus);
	if (o->freq == AUXREC_FREQ_MAX)
		add("; freq max");
	else if (o->freq)
		add("; freq %llu", (unsigned long long)o->freq);
	if (o->period)
		add("; period %llu", (unsigned long long)o->period);
	if (o->bpf_ring)
		add("; bpf-ring %s", o->bpf_ring);
	if (o->raw_samples)
		add("; raw-samples");
	if (o->raw_ring)
		add("; raw-ring");
	if (o->no_raw_ring)
		add("; no-raw-ring");
	if (o->namespaces)
		add("; namespaces");
	if (o->cgroups)
		add("; all-cgroups");
	if (o->callchain)
		add("; callchain");
	if (o->kernel_callchains)
		add("; kernel-callchains");
	if (o->user_callchains)
		add("; user-callchains");
	if (o->strict_freq)
		add("; strict-freq");
	if (o->switches)
		add("; switch-events");
	if (o->no_buildid)
		add("; no-buildid");
	if (o->max_bytes)
		add("; max-size %llu", (unsigned long long)o->max_bytes);
	if (o->compress)
		add("; compress %d", o->compress);
	if (o->pack)
		add("; pack %d", o->pack);
	if (o->switching)
		add("; switch%s %llu bytes %llu ns", o->switch_signal ? " signal" : "",
		    (unsigned long long)o->switch_bytes, (unsigned long long)o->switch_ns);
	if (o->switch_files)
		add(" files %llu", (unsigned long long)o->switch_files);
	if (o->dry_run)
		add("; dry-run");
	if (o->user)
		add("; user");
	if (o->kernel)
		add("; kernel");
	if (o->delay_ms)
		add("; delay %u", o->delay_ms);
	if (o->use_clock)
		add("; clock %d", o->clock);
	for (i = 0; i < o->nr_labels; i++)
		add("; label %s", o->labels[i]);
	if (o->quiet)
		add("; quiet");
	if (o->json)
		add("; json%s%s", o->json_file ? " " : "",
		    o->json_file ? o->json_file : "");
	add("; main %zu", o->main_bytes);
	add_raw(o);
	add("; output %s", o->output);
	if (o->cmd)
		add("; cmd");
	for (i = 0; o->cmd && o->cmd[i]; i++)
		add(" %s", o->cmd[i]);
}

static int split(char *line, char **argv)
{
	const char *at = line, *word;
	int argc = 0;
	size_t len;

	argv[argc++] = (char *)"auxrec";
	while (argc < MAX_ARGS && (word = next_word(&at, &len))) {
		argv[argc] = line + (word - line);
		argv[argc++][len] = '\0';
	}
	argv[argc] = NULL;
	return argc;
}

static void run(char *args)
{
	char *argv[MAX_ARGS + 1];
	struct diag d = { "" };
	struct options o;
	int argc;

	meaning[0] = '\0';
	argc = split(args, argv);
	if (options_parse(&o, argc, argv, &d))
		add("error: %s", d.msg);
	else if (o.command == AUXREC_HELP)
		add("command help");
	else if (o.command == AUXREC_VERSION_ONLY)
		add("command version");
	else
		add_record(&o);
	options_free(&o);
}

/*
 * Check the size of a raw ring for AUX data of @nr_tasks tasks. The total must be @bytes for any
 * number of CPUs.
 */
static bool tasks_are_right(size_t nr_tasks, __u64 bytes)
{
	unsigned int nr_cpus;

	for (nr_cpus = 1; nr_cpus <= 4096; nr_cpus++) {
		__u32 size, nr;

		raw_size_tasks(nr_tasks, nr_cpus, &size, &nr);
		if ((__u64)size * nr != bytes || size & (size - 1) || size < 65536 ||
		    size > AUXREC_SEG_SIZE || (nr_cpus < 23 && size != AUXREC_SEG_SIZE) ||
		    (nr_cpus < 90 && nr < nr_cpus + nr_cpus / 4)) {
			printf("# %zu tasks, %u CPUs: %ux%u\n", nr_tasks, nr_cpus, size, nr);
			return false;
		}
	}
	return true;
}

static bool check_tasks(int nr)
{
	const __u64 mib = 1 << 20;
	const bool right = tasks_are_right(1, 7 * mib) && tasks_are_right(2, 7 * mib) &&
			   tasks_are_right(4, 14 * mib) && tasks_are_right(5, 16 * mib) &&
			   tasks_are_right(5000, 16 * mib);

	printf("%sok %d a raw ring for tasks\n", right ? "" : "not ", nr);
	return right;
}

int main(int argc, char **argv)
{
	const int generate = argc > 2 && !strcmp(argv[1], "-g");
	int nr = 0, failed = 0;
	char line[4096];
	FILE *f;

	f = argc > 1 ? fopen(argv[argc - 1], "r") : NULL;
	if (!f) {
		fputs("usage: test_options [-g] options.txt\n", stderr);
		return 2;
	}
	if (!generate)
		puts("TAP version 13");
	while (fgets(line, sizeof(line), f)) {
		char args[4096], *expected;

		line[strcspn(line, "\n")] = '\0';
		expected = line[0] == '#' ? NULL : strstr(line, SEPARATOR);
		if (!expected) {
			if (generate)
				puts(line);
			continue;
		}
		snprintf(args, sizeof(args), "%.*s", (int)(expected - line),
			 line);
		expected += strlen(SEPARATOR);
		expected += strspn(expected, " ");
		nr++;
		if (generate)
			printf("%s", args);
		run(args);
		if (generate) {
			printf("=> %s\n", meaning);
		} else if (strcmp(meaning, expected)) {
			failed++;
			printf("not ok %d %s\n# expected %s\n# found    %s\n",
			       nr, line, expected, meaning);
		} else {
			printf("ok %d %.*s\n", nr, (int)(expected - line), line);
		}
	}
	fclose(f);
	if (generate)
		return 0;
	failed += !check_tasks(++nr);
	printf("1..%d\n", nr);
	return failed || nr == 1;
}
