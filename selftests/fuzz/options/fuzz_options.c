// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any words as the command line of a recording, and any string as a value that
 * has its own syntax: --trigger, times, lists of CPUs, names of signals and of snapshots.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../scratch.h"
#include "base/cpus.h"
#include "service/ctl_options.h"
#include "base/parse_size.h"
#include "cli/options.h"
#include "session/raw_size.h"
#include "base/parse_time.h"
#include "base/signames.h"
#include "snapfile/snapfile.h"
#include "trigger/trigger.h"

/* The first byte of an input that is a value, without a command line */
#define VALUE		'='
#define BASE		"perf.data"

static void check_diag(int err, const struct diag *d)
{
	must(strnlen(d->msg, sizeof(d->msg)) < sizeof(d->msg));
	must(!err || err == -EINVAL || err == -ERANGE || err == -ENAMETOOLONG ||
	     err == -EISDIR);
	must(!err || d->msg[0]);
}

/* A pattern must match the names that are made from it. */
static void try_name(const char *pattern, const char *base, const char *trigger, __u64 number)
{
	static const unsigned int again[] = { 1, 2, 17, SNAPFILE_SAME };
	char name[NAME_MAX + 64];
	struct snapfile_parts parts;
	struct snapfile_name n;
	struct diag d = { "" };
	int err, i;

	err = snapfile_name_init(&n, pattern, base, &d);
	check_diag(err, &d);
	if (err)
		return;
	for (i = 0; i < (int)ARRAY_LEN(again); i++) {
		/* Less than 200 years, far below the times that names cannot have */
		const __u64 time = number % (200ULL * 365 * 24 * 3600 * NSEC_PER_SEC);

		memset(name, 1, sizeof(name));
		snapfile_name_make(&n, trigger, number ?: 1, time, again[i], name);
		must(memchr(name, '\0', NAME_MAX + 1) && !strchr(name, '/'));
		must(snapfile_name_match(&n, name, &parts));
		name[number % NAME_MAX] ^= 1 + number % 255;
		name[NAME_MAX] = '\0';
		snapfile_name_match(&n, name, &parts);
	}
}

static void try_trigger(struct trigger *t, __u64 seed)
{
	__u64 now = seed, taken = 0;
	int i;

	must(strnlen(t->name, sizeof(t->name)) < sizeof(t->name));
	must(trigger_kind_name(t->kind));
	for (i = 0; i < 64; i++) {
		taken += trigger_take(t, now);
		now += seed % (NSEC_PER_SEC * (i % 8) + 1);
		/* Times of the kernel's samples are not always in order. */
		now -= i % 16 == 3 ? now / 2 : 0;
	}
	must(taken == t->taken && taken + t->suppressed == 64);
	must(!t->count || taken <= t->count);
}

static void try_ctl(char *text)
{
	char *argv[5] = { "ctl", text, "snapshot", text };
	struct diag d = { "" };
	struct ctl_options ctl;

	check_diag(ctl_parse(&ctl, 4, argv, &d), &d);
	argv[1] = "--timeout";
	argv[2] = text;
	argv[3] = "/s";
	argv[4] = "stop";
	check_diag(ctl_parse(&ctl, 5, argv, &d), &d);
}

static void try_value(char *text, __u64 seed)
{
	struct trigger t = { .kind = 0 };
	struct diag d = { "" };
	struct cpus cpus = { NULL, 0 };
	const char *end;
	char name[SIGNAL_NAME_MAX];
	__u64 val;
	int err;

	err = trigger_parse(&t, text, &d);
	check_diag(err, &d);
	if (!err) {
		try_trigger(&t, seed);
		try_name("%o.%n.%t-%s", BASE, t.name, seed);
	}
	trigger_free(&t);
	err = parse_time("it", text, &val, &d);
	check_diag(err, &d);
	must(err || val <= TIME_MAX_NS);
	check_diag(parse_time_per("it", text, &val, &d), &d);
	parse_size(text, &end, 4096, &val);
	err = cpus_parse(&cpus, text);
	must(!err || err == -EINVAL);
	if (!err)
		must(cpus.nr && cpus.nr <= 65536 && cpus_has(&cpus, cpus.list[cpus.nr - 1]));
	cpus_free(&cpus);
	err = signal_by_name(text);
	if (err) {
		signal_name(err, name);
		must(signal_by_name(name) == err);
	}
	try_name(text, BASE, "signal=USR1", seed);
	try_name("%o.%n.%t", text, "a.b", seed);
	try_ctl(text);
}

static void try_options(const char *line, __u64 seed)
{
	char *argv[SCRATCH_WORDS + 1];
	struct diag d = { "" };
	struct options o;
	__u32 size, nr;
	size_t i;
	int err, argc;

	argc = scratch_split(line, argv);
	err = options_parse(&o, argc, argv, &d);
	check_diag(err, &d);
	if (!err && o.command == AUXREC_RECORD) {
		must(o.nr_events && o.output);
		raw_size(&o, seed & 1, seed & 2, 1 + seed % 4096, &size, &nr);
		must(nr >= 2 && nr <= 4096 && size && !(size & (size - 1)));
		must(!(o.main_bytes & (o.main_bytes - 1)));
		for (i = 0; i < o.flight.nr_triggers; i++)
			try_trigger(&o.flight.triggers[i], seed);
		if (o.flight.on)
			try_name(o.flight.name, o.output, "signal=USR1", seed);
	}
	options_free(&o);
	scratch_free(argv);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	__u64 seed = 0xcbf29ce484222325ULL;
	char *text;
	size_t i;

	for (i = 0; i < size; i++)
		seed = (seed ^ data[i]) * 0x100000001b3ULL;
	if (size && data[0] == VALUE) {
		text = scratch_string(data + 1, size - 1);
		try_value(text, seed);
	} else {
		text = scratch_string(data, size);
		try_options(text, seed);
	}
	free(text);
	return 0;
}
