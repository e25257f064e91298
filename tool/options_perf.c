// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of perf record that auxrec does not have. What it does anyway is
 * accepted, of the others the message says what to give instead.
 */
#include <errno.h>
#include <string.h>

#include "options.h"

struct perf_option {
	char letter;			/* 0: none */
	const char *name;
	const char *instead;		/* NULL: accepted, without effect */
};

static const char no_level[] =
	"leave it out: auxrec does not write compressed streams; -o - can be piped to zstd";
static const char by_term[] =
	"give EVENT/branch_type=any/ (or another of perf's filters)";

static const struct perf_option perf_options[] = {
	/* There is no pass over the data at the end, and no cache. */
	{ 'B', NULL,			NULL },
	{ 'N', "no-buildid-cache",	NULL },
	{ 0,   "buildid-mmap",		NULL },
	/* All samples have these. */
	{ 'T', "timestamp",		NULL },
	{ 'P', "period",		NULL },
	{ 0,   "sample-cpu",		NULL },
	{ 0,   "sample-identifier",	NULL },
	/* The summary leaves nothing out. */
	{ 'v', "verbose",		NULL },
	{ 0,   "call-graph",
	  "give -g (frame pointers), or EVENT/call-graph=dwarf/" },
	{ 'i', "no-inherit",		"give EVENT/no-inherit/" },
	{ 'b', "branch-any",		by_term },
	{ 'j', "branch-filter",		by_term },
	{ 'z', "compression-level",	no_level },
	{ 'n', "no-samples",
	  "leave it out: auxrec records samples; perf stat counts" },
	{ 's', "stat",
	  "leave it out: auxrec info counts the records of each thread; perf stat counts events" },
	{ 'd', "data",
	  "leave it out: auxrec does not record data addresses" },
	{ 'W', "weight",
	  "leave it out: auxrec does not record weights" },
	{ 'I', "intr-regs",
	  "leave it out: auxrec records registers only with EVENT/call-graph=dwarf/" },
	{ 'S', "snapshot",
	  "leave it out: auxrec --flight keeps the newest in memory and writes snapshots of it" },
	{ 0,   "overwrite",
	  "leave it out: auxrec --flight keeps the newest in memory and writes snapshots of it" },
	{ 0,   "switch-output",
	  "leave it out: auxrec --flight keeps the newest in memory and writes snapshots of it" },
	{ 'G', "cgroup",
	  "give -a, and choose with perf's readers, or -p PID" },
	{ 'u', "uid",			"give -p PID,..." },
	{ 'k', "clockid",
	  "leave it out: all times of a stream are of perf's own clock" },
	{ 'r', "realtime",		"run auxrec with chrt -f PRIORITY" },
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
