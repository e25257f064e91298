/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the command line of a recording asks for. cli/options.c parses it.
 */
#ifndef AUXREC_OPTIONS_H
#define AUXREC_OPTIONS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/util.h"
#include "snapfile/keep.h"
#include "trigger/trigger.h"

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

/* A flight recorder's defaults */
#define FLIGHT_DEFAULT_FILE	"perf.data"
#define FLIGHT_DEFAULT_NAME	"%o.sample.%t"
#define FLIGHT_DEFAULT_MEMORY	(64ULL << 20)

/* One -e with each --filter that follows it. */
struct option_event {
	const char *spec;
	const char **filters;
	size_t nr_filters;
	const char *bpf_map;		/* path of a pinned map, or NULL */
	bool exclude_self;		/* not what auxrec itself does */
};

/* Bounds of what late ids need; a flight recorder has smaller ones, see flight/memory.c. */
struct ids_limits {
	__u32 queue;			/* of the module, bytes */
	size_t waiting;			/* notices of files not seen mapped, bytes */
	size_t names;			/* in each set */
};

struct flight_options {
	bool on;			/* --flight */
	__u64 window;			/* ns, 0: any age */
	__u64 memory;			/* bytes, of all there is */
	struct ids_limits ids;		/* of that, flight/memory.c */
	size_t bpf_queue;
	size_t block;			/* bytes of records that are packed at once; 0: none are */
	bool half_is_raw;		/* the raw ring has half of what is left */
	struct trigger *triggers;
	size_t nr_triggers;
	const char *name;		/* pattern, see snapfile.h */
	struct keep_limits keep;
	bool daemon;
	const char *pid_file;		/* or NULL */
	const char *log;		/* a file, or NULL */
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

#endif /* AUXREC_OPTIONS_H */
