/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of a recording. cli/options.c parses them.
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

#define AUXREC_DEFAULT_FILE	"auxrec.data"

/* perf's own default: 128 pages of 4 KiB for each CPU's main ring. */
#define AUXREC_MAIN_DEFAULT	(512U << 10)
/*
 * For records of tasks, without samples. With its control page a ring takes less than 64
 * KiB per CPU.
 */
#define AUXREC_MAIN_SMALL	(32U << 10)
/* If raw data goes to the raw ring: for each CPU, and for all CPUs together */
#define AUXREC_MAIN_LARGE	(4U << 20)
#define AUXREC_MAIN_LARGE_ALL	(32U << 20)

/*
 * The default raw ring has 16 MiB for all CPUs. 64 segments are two for each of 16 CPUs, and
 * as many that wait for the disk. 256 KiB are about 1 ms of Intel PT, and large enough that
 * writing one segment at a time is not the bottleneck.
 */
#define AUXREC_SEG_SIZE		(256U << 10)
#define AUXREC_SEG_COUNT	64

/*
 * For AUX data of tasks, the number of running tasks counts, not the number of CPUs: 3.5
 * MiB for each task, but at least as much as for two. perf has 4 MiB for each CPU.
 */
#define AUXREC_TASK_BYTES	(7U << 19)

/*
 * With raw data of samples: the segment size, as each frame needs room in one piece, and
 * the size of the whole ring
 */
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

/* One -e with all --filter options that follow it */
struct option_event {
	const char *spec;
	const char **filters;
	size_t nr_filters;
	const char *bpf_map;		/* path of a pinned map, or NULL */
	bool exclude_self;		/* leave out what auxrec itself does */
};

/* Limits of what late ids need; those of a flight recorder are smaller, see flight/memory.c. */
struct ids_limits {
	__u32 queue;			/* the module's queue, bytes */
	size_t waiting;			/* notices of files not yet seen mapped, bytes */
	size_t names;			/* in each set */
};

struct flight_options {
	bool on;			/* --flight */
	__u64 window;			/* ns, 0: any age */
	__u64 memory;			/* bytes, for everything */
	struct ids_limits ids;		/* part of @memory, see flight/memory.c */
	size_t bpf_queue;
	size_t compress;		/* bytes that compression takes */
	size_t block;			/* bytes of records that are packed together; 0: none */
	bool half_is_raw;		/* the raw ring has half of what is left of @memory */
	struct trigger *triggers;
	size_t nr_triggers;
	const char *name;		/* pattern, see snapfile/snapfile.h */
	struct keep_limits keep;
	const char *control_group;	/* who may also use the control socket, or NULL */
	gid_t control_gid;		/* of @control_group */
	const char *snapshot_log;	/* a file, or NULL */
	const char *on_snapshot;	/* a command for sh, or NULL */
	bool survive;			/* --survive-crash */
	bool only_task;			/* --only-trigger-task */
	bool daemon;
	const char *pid_file;		/* or NULL */
	const char *log;		/* a file, or NULL */
};

struct options {
	enum auxrec_command command;
	struct option_event *events;
	size_t nr_events;
	pid_t *targets;			/* tasks of -p or -t */
	size_t nr_targets;
	bool threads;			/* @targets are those of -t */
	bool system_wide;		/* -a or -C */
	const char *cpus;		/* -C, else NULL */
	const char *output;		/* "-": stdout */
	size_t main_bytes;		/* per CPU, a power of two; 0: default */
	__u32 seg_size;			/* bytes, a power of two */
	__u32 nr_segs;
	bool raw_given;			/* if false, @seg_size and @nr_segs are the defaults */
	bool raw_asked;			/* given with -m */
	__u64 raw_bytes;		/* total size if that was given, or 0 */
	__u64 freq;			/* -F, 0: not given */
	__u64 period;			/* -c, 0: not given */
	bool callchain;
	bool user;			/* record user space only */
	bool kernel;			/* record the kernel only */
	bool kernel_callchains;		/* call chains of the kernel only */
	bool user_callchains;		/* call chains of user space only */
	bool strict_freq;		/* fail if -F is above the limit */
	bool switches;			/* context switches of all that is recorded */
	int compress;			/* zstd's level for the stream, 0: not compressed */
	int pack;			/* zstd's level for COMPRESSED records, 0: none */
	__u64 max_bytes;		/* the recording ends at this size, 0: no limit */
	bool switching;			/* --switch-output: the recording has several files */
	bool switch_signal;		/* SIGUSR2 begins the next file */
	__u64 switch_bytes;		/* the next file begins at this size; 0: at no size */
	__u64 switch_ns;		/* or after this time; 0: after no time */
	__u64 switch_files;		/* complete files that are kept, 0: all */
	bool dry_run;
	unsigned int delay_ms;
	const char **labels;		/* KEY=VALUE */
	size_t nr_labels;
	bool use_clock;			/* -k: times are those of @clock, not of perf's own clock */
	__s32 clock;			/* CLOCK_* */
	bool no_buildid;
	const char *bpf_ring;		/* path of a pinned map, or NULL */
	bool raw_samples;		/* raw data of samples, of PMUs too */
	bool raw_ring;			/* raw data of all samples goes to the raw ring */
	bool no_raw_ring;		/* no raw data goes to the raw ring */
	bool namespaces;		/* record the namespaces of tasks */
	bool cgroups;			/* record names of cgroups, and each sample's cgroup */
	bool quiet;
	bool json;
	const char *json_file;		/* NULL: stderr */
	struct flight_options flight;
	char **cmd;			/* NULL-terminated, or NULL */
};

#endif /* AUXREC_OPTIONS_H */
