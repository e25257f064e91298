// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of perf record that auxrec does not have. If auxrec does anyway what
 * an option asks for, the option is accepted. For the others a message tells
 * what to give instead.
 */
#include <errno.h>
#include <string.h>

#include "cli/options_perf.h"
#include "session/options.h"

struct perf_option {
	char letter;			/* 0: none */
	const char *name;
	const char *instead;		/* NULL: accepted, without effect */
};

static const char by_term[] =
	"give EVENT/branch_type=any/ (or another of perf's filters)";
static const char flight[] =
	"leave it out: auxrec --flight keeps the newest records and writes snapshots of them";
static const char one_file[] =
	"leave it out: auxrec writes one file in one pass";
static const char no_compiler[] =
	"leave it out: auxrec compiles no BPF programs; --bpf-map is for programs that are loaded";
static const char not_recorded[] =
	"use perf record: auxrec does not record this data of samples";
static const char all_tasks[] =
	"leave it out: a stream describes all running tasks before their samples";
static const char off_cpu[] =
	"give -e sched:sched_switch -g: its samples show where tasks leave the CPU";

static const struct perf_option perf_options[] = {
	/* auxrec has no pass over the data at the end, and no cache. */
	{ 'N', "no-buildid-cache",	NULL },
	{ 0,   "buildid-mmap",		NULL },
	{ 0,   "buildid-all",		NULL },
	/* All samples have these fields, or their event has the period (session/attr_period.c). */
	{ 'T', "timestamp",		NULL },
	{ 'P', "period",		NULL },
	{ 0,   "sample-cpu",		NULL },
	{ 0,   "sample-identifier",	NULL },
	/* The summary leaves nothing out. */
	{ 'v', "verbose",		NULL },
	/* What to record */
	{ 0,   "call-graph",
	  "give -g (frame pointers), or EVENT/call-graph=dwarf/" },
	{ 'i', "no-inherit",		"give EVENT/no-inherit/" },
	{ 0,   "per-thread",
	  "give EVENT/no-inherit/ with -t TID: that records the threads alone" },
	{ 0,   "group",			"give -e '{EVENT,EVENT}'" },
	{ 'b', "branch-any",		by_term },
	{ 'j', "branch-filter",		by_term },
	{ 'n', "no-samples",
	  "leave it out: auxrec records samples; perf stat counts" },
	{ 's', "stat",
	  "leave it out: auxrec info counts each thread's records, perf stat counts events" },
	{ 'd', "data",			not_recorded },
	{ 0,   "phys-data",		not_recorded },
	{ 0,   "data-page-size",	not_recorded },
	{ 0,   "code-page-size",	not_recorded },
	{ 0,   "sample-mem-info",	not_recorded },
	{ 'W', "weight",		not_recorded },
	{ 0,   "transaction",		not_recorded },
	{ 0,   "running-time",		not_recorded },
	{ 0,   "data-mmap",
	  "use perf record: auxrec records only maps of code" },
	{ 0,   "latency",
	  "use perf record: perf report --latency reads only recordings of perf record" },
	{ 'I', "intr-regs",
	  "leave it out: auxrec records registers only with EVENT/call-graph=dwarf/" },
	{ 0,   "user-regs",
	  "leave it out: auxrec records registers only with EVENT/call-graph=dwarf/" },
	{ 'G', "cgroup",
	  "give -a --all-cgroups and choose with perf report -s cgroup, or give -p PID" },
	{ 'u', "uid",			"give -p PID,..." },
	{ 0,   "off-cpu",		off_cpu },
	{ 0,   "off-cpu-thresh",	off_cpu },
	{ 0,   "no-bpf-event",
	  "leave it out: readers need these records for symbols of BPF programs" },
	{ 0,   "setup-filter",
	  "leave it out: auxrec's --filter is the kernel's own, and needs no setup" },
	{ 0,   "clang-path",		no_compiler },
	{ 0,   "clang-opt",		no_compiler },
	{ 0,   "vmlinux",		no_compiler },
	/* AUX data, and recording only the newest data */
	{ 'S', "snapshot",		flight },
	{ 0,   "overwrite",		flight },
	{ 0,   "switch-output-event",	"give --flight --trigger event=EVENT" },
	{ 0,   "aux-sample",
	  "leave it out: auxrec records all AUX data, or with --flight the newest" },
	/* When, how, and where to record */
	{ 0,   "control",
	  "give --flight --trigger socket=PATH, and auxrec ctl PATH snapshot|stop" },
	{ 'r', "realtime",		"run auxrec with chrt -f PRIORITY" },
	{ 0,   "affinity",		"run auxrec with taskset -c CPUS" },
	{ 0,   "timestamp-filename",
	  "give the time in the name: -o trace.$(date +%s)" },
	{ 0,   "timestamp-boundary",
	  "leave it out: auxrec info shows the first and the last time" },
	{ 0,   "kcore",
	  "leave it out, and run perf buildid-cache --kcore /proc/kcore beside it" },
	{ 0,   "debuginfod",
	  "leave it out, and set DEBUGINFOD_URLS for perf report" },
	{ 0,   "threads",		one_file },
	{ 0,   "aio",			one_file },
	{ 0,   "mmap-flush",
	  "leave it out: auxrec writes all available records whenever it looks" },
	{ 0,   "no-buffering",
	  "leave it out, and give a small buffer: -m 1" },
	{ 0,   "synth",			all_tasks },
	{ 0,   "tail-synthesize",	all_tasks },
	{ 0,   "num-thread-synthesize",	all_tasks },
	{ 0,   "proc-map-timeout",	all_tasks },
};

/* perf's commands that read auxrec's streams, and perf's other commands */
static const char *const readers[] = {
	"annotate", "buildid-list", "evlist", "inject", "report", "script",
};

static const char *const others[] = {
	"archive", "bench", "buildid-cache", "c2c", "config", "daemon", "data", "diff", "ftrace",
	"iostat", "kallsyms", "kmem", "kvm", "kwork", "lock", "mem", "probe", "sched", "stat",
	"test", "timechart", "top", "trace", "version",
};

/* @arg: "--name" or "--name=value" */
static bool is_named(const struct perf_option *o, const char *arg)
{
	const size_t len = o->name ? strlen(o->name) : 0;

	return len && !strncmp(arg, "--", 2) &&
	       !strncmp(arg + 2, o->name, len) &&
	       (!arg[2 + len] || arg[2 + len] == '=');
}

int options_of_perf(char letter, const char *arg, struct diag *d)
{
	const char given[] = { '-', letter, '\0' };
	size_t i;

	for (i = 0; i < ARRAY_LEN(perf_options); i++) {
		const struct perf_option *o = &perf_options[i];

		if (letter ? o->letter != letter : !is_named(o, arg))
			continue;
		if (!o->instead)
			return 0;
		return diag(d, -EINVAL, "%s is an option of perf record: %s",
			    letter ? given : arg, o->instead);
	}
	return -ENOENT;
}

bool options_of_perf_command(const char *cmd, struct diag *d)
{
	size_t i;

	if (!strcmp(cmd, "record")) {
		diag(d, -EINVAL,
		     "'record' is perf's: leave it out, auxrec -e EVENT -- CMD records");
		return true;
	}
	for (i = 0; i < ARRAY_LEN(readers); i++) {
		if (strcmp(cmd, readers[i]))
			continue;
		diag(d, -EINVAL, "'%s' is perf's, which reads what auxrec writes: perf %s -i %s",
		     cmd, cmd, AUXREC_DEFAULT_FILE);
		return true;
	}
	for (i = 0; i < ARRAY_LEN(others); i++) {
		if (strcmp(cmd, others[i]))
			continue;
		diag(d, -EINVAL, "'%s' is perf's: perf %s", cmd, cmd);
		return true;
	}
	return false;
}
