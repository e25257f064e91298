/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of a recording, parsed and checked, without a look at the
 * machine: the same arguments always give the same result.
 */
#ifndef AUXREC_OPTIONS_H
#define AUXREC_OPTIONS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/flight_options.h"
#include "base/util.h"

#define AUXREC_VERSION		"0.1"
#define AUXREC_DEFAULT_FILE	"auxrec.data"

/* perf's own default: 128 pages of 4 KiB for each CPU's main ring. */
#define AUXREC_MAIN_DEFAULT	(512U << 10)
/* For what tasks do, without samples. With its page less than 64 KiB for each CPU. */
#define AUXREC_MAIN_SMALL	(32U << 10)
/* With --raw-ring, and of all CPUs then */
#define AUXREC_MAIN_LARGE	(4U << 20)
#define AUXREC_MAIN_LARGE_ALL	(32U << 20)

/*
 * 16 MiB for the raw ring of all CPUs. 64 segments: two for each of 16 CPUs
 * while as many wait for the disk; 256 KiB: some 1 ms of Intel PT, and large
 * enough that a write of one is not the bottleneck.
 */
#define AUXREC_SEG_SIZE		(256U << 10)
#define AUXREC_SEG_COUNT	64

/*
 * For AUX data of tasks, of which the number that run counts and not that of CPUs: 3.5 MiB
 * for each, as much as for two at least. perf has 4 MiB for each CPU.
 */
#define AUXREC_TASK_BYTES	(7U << 19)

/* With raw data of samples, of which each needs room in one piece; and of all. */
#define AUXREC_SEG_LARGE	(4U << 20)
#define AUXREC_LARGE_BYTES	(32U << 20)

#define AUXREC_FREQ_DEFAULT	4000
#define AUXREC_FREQ_MAX		(~0ULL)		/* -F max */

enum auxrec_command {
	AUXREC_RECORD,
	AUXREC_HELP,
	AUXREC_VERSION_ONLY,
};

/* One -e with each --filter that follows it. */
struct option_event {
	const char *spec;
	const char **filters;
	size_t nr_filters;
	const char *bpf_map;		/* path of a pinned map, or NULL */
	bool exclude_self;		/* not what auxrec itself does */
};

struct options {
	enum auxrec_command command;
	struct option_event *events;
	size_t nr_events;
	pid_t *targets;			/* of -p or -t */
	size_t nr_targets;
	bool threads;			/* they are of -t */
	bool system_wide;		/* -a or -C */
	const char *cpus;		/* -C, else NULL */
	const char *output;		/* "-": stdout */
	size_t main_bytes;		/* per CPU, a power of two; 0: default */
	__u32 seg_size;			/* bytes, a power of two */
	__u32 nr_segs;
	bool raw_given;			/* else these two are the default */
	bool raw_asked;			/* by -m */
	__u64 raw_bytes;		/* a size of all was given; 0: none */
	__u64 freq;			/* -F, 0: not given */
	__u64 period;			/* -c, 0: not given */
	bool callchain;
	bool user;			/* only */
	bool kernel;			/* only */
	bool kernel_callchains;		/* only */
	bool user_callchains;		/* only */
	bool strict_freq;		/* -F is an error if it is above the limit */
	bool switches;			/* context switches of all that is recorded */
	__u64 max_bytes;		/* the recording ends then, 0: none */
	bool dry_run;
	unsigned int delay_ms;
	bool no_buildid;
	const char *bpf_ring;		/* path of a pinned map, or NULL */
	bool raw_samples;		/* of PMUs too */
	bool raw_ring;			/* raw data of all samples goes there */
	bool no_raw_ring;		/* that of none */
	bool namespaces;		/* of tasks */
	bool cgroups;			/* their names, and of each sample its one */
	bool quiet;
	bool json;
	const char *json_file;		/* NULL: stderr */
	struct flight_options flight;
	char **cmd;			/* NULL-terminated, or NULL */
};

/*
 * Strings in @opt point into @argv. Returns 0, -EINVAL (a message that says
 * what to do in @d) or -ENOMEM. To be freed with options_free() either way.
 */
int options_parse(struct options *opt, int argc, char **argv, struct diag *d);
void options_free(struct options *opt);

/*
 * options_raw.c: the raw ring's segments. @payloads, @aux: does it take frames, AUX
 * data? @nr_cpus: how many CPUs may write to it.
 */
void options_raw_size(const struct options *opt, bool payloads, bool aux,
		      unsigned int nr_cpus, __u32 *size, __u32 *nr);
/* The default for AUX data alone of @nr_tasks; what they start is not known. */
void options_raw_tasks(size_t nr_tasks, unsigned int nr_cpus, __u32 *size, __u32 *nr);

/*
 * "64" is @unit times 64 bytes (perf counts pages), "64K" is 64 KiB. @end: what follows.
 * Returns 0 or -EINVAL.
 */
int options_parse_bytes(const char *s, const char **end, __u64 unit, __u64 *val);

void options_help(void);

/*
 * An option that auxrec does not have: @letter, or (0) @arg with its dashes.
 * Returns 0 if it is one of perf record's that changes nothing here, -EINVAL
 * with a message that says what to give instead, or -ENOENT.
 */
int options_of_perf(char letter, const char *arg, struct diag *d);
/* Returns whether @cmd is one of perf's commands; @d says what to use then. */
bool options_of_perf_command(const char *cmd, struct diag *d);

#endif /* AUXREC_OPTIONS_H */
