// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares events with stock perf: does perf make the same perf_event_attr of an event, as `perf
 * record -vv` prints it? The events are some that every machine has. Prints TAP; skips all
 * without perf. compare_perf [PERF [EVENT...]]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "base/util.h"

#define MAX_EVENTS	256

/* The part of a perf_event_attr that the event itself decides. The recorder decides the rest. */
struct part {
	unsigned long long type, config, config1, config2, period;
	unsigned long long user, kernel, hv, idle, host, guest, precise;
	unsigned long long pinned, exclusive, freq, bp_type;
};

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
#define FIELD(name, member) { name, offsetof(struct part, member) }
	FIELD("type", type),
	FIELD("config", config),
	FIELD("{ bp_addr, config1 }", config1),
	FIELD("config1", config1),
	FIELD("{ bp_len, config2 }", config2),
	FIELD("config2", config2),
	FIELD("{ sample_period, sample_freq }", period),
	FIELD("exclude_user", user),
	FIELD("exclude_kernel", kernel),
	FIELD("exclude_hv", hv),
	FIELD("exclude_idle", idle),
	FIELD("exclude_host", host),
	FIELD("exclude_guest", guest),
	FIELD("precise_ip", precise),
	FIELD("pinned", pinned),
	FIELD("exclusive", exclusive),
	FIELD("freq", freq),
	FIELD("bp_type", bp_type),
};

static const char *const specs[] = {
	"cpu-clock", "task-clock:u", "page-faults", "faults:k", "cs",
	"context-switches:uk", "migrations", "minor-faults", "major-faults:h",
	"alignment-faults", "emulation-faults", "dummy:u", "cgroup-switches",
	"cpu-clock:D", "cpu-clock:I", "cpu-clock:G", "cpu-clock:H",
	"cpu-clock:e", "cpu-clock/period=1000/", "cpu-clock/freq=77/u",
	"1:2", "1:0:u", "msr/tsc/", "msr/tsc/k", "tsc", "msr/event=0/",
	"msr/config=0/", "mem:0x1000", "mem:0x1000:w", "mem:0x1000:x:u",
	"mem:0x1000/8:rw", "mem:0x1000/2:w:k", "{cpu-clock,faults:u}:k",
	"{faults,cs}:D", "cycles", "instructions:u", "cache-misses:kp",
	"branches:ppp", "ref-cycles:ukh", "stalled-cycles-frontend",
	"L1-dcache-load-misses", "LLC-stores:u", "iTLB-load-misses",
	"node-prefetch-misses", "branch-loads", "l1-d-read-miss", "r1a8",
	"r1a8:up", "sched:sched_switch", "sched:sched_wakeup:u",
	"sched:sched_process_*", "syscalls:sys_enter_openat",
};

static int nr_tests, nr_failed, nr_skipped;

static void parse_field(struct part *part, char *line)
{
	char *value;

	line += strspn(line, " ");
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t len = strlen(fields[i].name);

		if (strncmp(line, fields[i].name, len) || line[len] != ' ')
			continue;
		value = line + len + strspn(line + len, " ");
		*(unsigned long long *)((char *)part + fields[i].offset) =
			strtoull(value, NULL, 0);
	}
}

/*
 * Get the attrs that perf prints. If the kernel refuses an event, perf tries again with a reduced
 * attr, so some attrs are repeats.
 */
static int ask_perf(const char *perf, const char *spec, struct part *parts)
{
	char *command, *line = NULL;
	bool inside = false;
	size_t room = 0;
	int nr = 0;
	FILE *pipe;

	if (asprintf(&command,
		     "%s record -vv -e '%s' -o /dev/null -- true 2>&1",
		     perf, spec) < 0)
		return 0;
	pipe = popen(command, "r");
	free(command);
	while (pipe && getline(&line, &room, pipe) > 0) {
		if (!strncmp(line, "perf_event_attr:", 16) && nr < MAX_EVENTS) {
			inside = true;
			memset(&parts[nr++], 0, sizeof(*parts));
		} else if (line[0] == '-' || line[0] != ' ') {
			inside = false;
		} else if (inside) {
			parse_field(&parts[nr - 1], line);
		}
	}
	if (pipe)
		pclose(pipe);
	free(line);
	return nr;
}

static void fill(struct part *part, const struct auxrec_event *ev)
{
	const struct perf_event_attr *attr = &ev->attr;

	part->type = attr->type;
	part->config = attr->config;
	part->config1 = attr->config1;
	part->config2 = attr->config2;
	part->period = attr->sample_period;
	part->freq = attr->freq;
	part->user = attr->exclude_user;
	part->kernel = attr->exclude_kernel;
	part->hv = attr->exclude_hv;
	part->idle = attr->exclude_idle;
	part->host = attr->exclude_host;
	part->guest = attr->exclude_guest;
	part->precise = attr->precise_ip;
	part->pinned = attr->pinned;
	part->exclusive = attr->exclusive;
	part->bp_type = attr->bp_type;
}

/*
 * Clear members in which a right event can differ from perf's. Without G and H, perf before 6.13
 * excludes guests, and later versions do not. If the event has no period of its own, the recorder
 * sets it later.
 */
static void drop_general(struct part *part, const struct auxrec_event *ev)
{
	if (!ev->gh_given)
		part->guest = 0;
	if (!ev->attr.sample_period) {
		part->period = 0;
		part->freq = 0;
	}
}

static bool is_among(const struct part *ours, struct part *parts, int nr,
		     const struct auxrec_event *ev)
{
	for (int i = 0; i < nr; i++) {
		struct part part = parts[i];

		drop_general(&part, ev);
		if (!memcmp(&part, ours, sizeof(part)))
			return true;
	}
	return false;
}

static void print_part(const char *who, const struct part *part)
{
	printf("#  %s:", who);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		unsigned long long value;

		value = *(unsigned long long *)((char *)part +
						fields[i].offset);
		if (value)
			printf(" %s=0x%llx", fields[i].name, value);
	}
	puts("");
}

static void compare(const char *perf, const char *spec)
{
	static struct part parts[MAX_EVENTS];
	struct auxrec_events events = { 0 };
	bool good = true;
	char err[1024];
	int ret, nr;

	nr_tests++;
	/* Ask perf first, because it mounts tracefs if that is missing. */
	nr = ask_perf(perf, spec, parts);
	ret = auxrec_events_parse(&events, spec, NULL, err, sizeof(err));
	if (ret && !nr) {
		nr_skipped++;
		printf("ok %d %s # SKIP neither has it: %s\n", nr_tests, spec,
		       err);
		return;
	}
	if (ret)
		printf("# %s\n", err);
	for (size_t i = 0; i < events.nr; i++) {
		struct part ours = { 0 };

		fill(&ours, &events.list[i]);
		if (is_among(&ours, parts, nr, &events.list[i]))
			continue;
		good = false;
		print_part("ours", &ours);
		for (int j = 0; j < nr; j++)
			print_part("perf", &parts[j]);
	}
	good = good && events.nr;
	nr_failed += !good;
	printf("%sok %d %s\n", good ? "" : "not ", nr_tests, spec);
	auxrec_events_free(&events);
}

int main(int argc, char **argv)
{
	const char *perf = argc > 1 ? argv[1] : "perf";
	char *command;

	puts("TAP version 13");
	if (asprintf(&command, "%s --version >/dev/null 2>&1", perf) < 0)
		return 2;
	if (system(command)) {
		printf("1..0 # SKIP no %s\n", perf);
		return 0;
	}
	free(command);
	for (int i = 2; i < argc; i++)
		compare(perf, argv[i]);
	for (size_t i = 0; argc < 3 && i < ARRAY_LEN(specs); i++)
		compare(perf, specs[i]);
	printf("1..%d\n# %d passed, %d failed, %d skipped\n", nr_tests,
	       nr_tests - nr_failed - nr_skipped, nr_failed, nr_skipped);
	return !!nr_failed;
}
