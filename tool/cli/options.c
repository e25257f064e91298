// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check the command line of a recording.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/parse_size.h"
#include "cli/compress_options.h"
#include "cli/flight_options.h"
#include "cli/options.h"
#include "cli/options_perf.h"
#include "cli/origin_options.h"
#include "cli/switch_options.h"
#include "session/raw_size.h"

enum {
	OPT_USER = 256,
	OPT_KERNEL,
	OPT_JSON,
	OPT_VERSION,
	OPT_FILTER,
	OPT_RAW_RING,
	OPT_BPF_MAP,
	OPT_BPF_RING,
	OPT_NO_RAW_RING,
	OPT_NAMESPACES,
	OPT_ALL_CGROUPS,
	OPT_EXCLUDE_PERF,
	OPT_STRICT_FREQ,
	OPT_MAX_SIZE,
	OPT_COMPRESS,
	OPT_SWITCH_OUTPUT,
	OPT_SWITCH_MAX_FILES,
	OPT_SWITCH_EVENTS,
	OPT_KERNEL_CALLCHAINS,
	OPT_USER_CALLCHAINS,
	OPT_DRY_RUN,
	OPT_LABEL,
};

static const struct option long_options[] = {
	{ "event",		required_argument, NULL, 'e' },
	{ "filter",		required_argument, NULL, OPT_FILTER },
	{ "exclude-perf",	no_argument,	   NULL, OPT_EXCLUDE_PERF },
	{ "pid",		required_argument, NULL, 'p' },
	{ "tid",		required_argument, NULL, 't' },
	{ "all-cpus",		no_argument,	   NULL, 'a' },
	{ "cpu",		required_argument, NULL, 'C' },
	{ "output",		required_argument, NULL, 'o' },
	{ "mmap-pages",		required_argument, NULL, 'm' },
	{ "freq",		required_argument, NULL, 'F' },
	{ "strict-freq",	no_argument,	   NULL, OPT_STRICT_FREQ },
	{ "count",		required_argument, NULL, 'c' },
	{ "callchain",		no_argument,	   NULL, 'g' },
	{ "kernel-callchains",	no_argument,	   NULL, OPT_KERNEL_CALLCHAINS },
	{ "user-callchains",	no_argument,	   NULL, OPT_USER_CALLCHAINS },
	{ "delay",		required_argument, NULL, 'D' },
	{ "clockid",		required_argument, NULL, 'k' },
	{ "user",		no_argument,	   NULL, OPT_USER },
	{ "all-user",		no_argument,	   NULL, OPT_USER },
	{ "kernel",		no_argument,	   NULL, OPT_KERNEL },
	{ "all-kernel",		no_argument,	   NULL, OPT_KERNEL },
	{ "no-buildid",		no_argument,	   NULL, 'B' },
	{ "bpf-map",		required_argument, NULL, OPT_BPF_MAP },
	{ "bpf-ring",		required_argument, NULL, OPT_BPF_RING },
	{ "raw-samples",	no_argument,	   NULL, 'R' },
	{ "raw-ring",		no_argument,	   NULL, OPT_RAW_RING },
	{ "no-raw-ring",	no_argument,	   NULL, OPT_NO_RAW_RING },
	{ "namespaces",		no_argument,	   NULL, OPT_NAMESPACES },
	{ "all-cgroups",	no_argument,	   NULL, OPT_ALL_CGROUPS },
	{ "switch-events",	no_argument,	   NULL, OPT_SWITCH_EVENTS },
	{ "max-size",		required_argument, NULL, OPT_MAX_SIZE },
	{ "label",		required_argument, NULL, OPT_LABEL },
	{ "compress",		optional_argument, NULL, OPT_COMPRESS },
	{ "compression-level",	optional_argument, NULL, 'z' },
	{ "switch-output",	optional_argument, NULL, OPT_SWITCH_OUTPUT },
	{ "switch-max-files",	required_argument, NULL, OPT_SWITCH_MAX_FILES },
	{ "dry-run",		no_argument,	   NULL, OPT_DRY_RUN },
	{ "quiet",		no_argument,	   NULL, 'q' },
	{ "json",		optional_argument, NULL, OPT_JSON },
	{ "flight",		optional_argument, NULL, FLIGHT_OPT_FLIGHT },
	{ "memory",		required_argument, NULL, FLIGHT_OPT_MEMORY },
	{ "trigger",		required_argument, NULL, FLIGHT_OPT_TRIGGER },
	{ "name",	required_argument, NULL, FLIGHT_OPT_NAME },
	{ "keep",		required_argument, NULL, FLIGHT_OPT_KEEP },
	{ "keep-bytes",		required_argument, NULL, FLIGHT_OPT_KEEP_BYTES },
	{ "keep-age",		required_argument, NULL, FLIGHT_OPT_KEEP_AGE },
	/*
	 * perf's --control is refused. Without this line, it would be an abbreviation of the next
	 * one.
	 */
	{ "control",		no_argument,	   NULL, '?' },
	{ "control-group",	required_argument, NULL, FLIGHT_OPT_CONTROL_GROUP },
	{ "log-snapshots",	required_argument, NULL, FLIGHT_OPT_SNAPSHOT_LOG },
	{ "on-snapshot",	required_argument, NULL, FLIGHT_OPT_ON_SNAPSHOT },
	{ "survive-crash",	no_argument,	   NULL, FLIGHT_OPT_SURVIVE },
	{ "only-trigger-task",	no_argument,	   NULL, FLIGHT_OPT_ONLY_TASK },
	{ "daemon",		no_argument,	   NULL, FLIGHT_OPT_DAEMON },
	{ "pid-file",		required_argument, NULL, FLIGHT_OPT_PID_FILE },
	{ "log",		required_argument, NULL, FLIGHT_OPT_LOG },
	{ "help",		no_argument,	   NULL, 'h' },
	{ "version",		no_argument,	   NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 }
};

static __u64 round_up_pow2(__u64 v)
{
	__u64 p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

/*
 * Parse SIZExCOUNT, or the total size. For a total size, the segments that are chosen here only
 * serve to check the size: raw_size() chooses them again when the events are known.
 */
static int parse_raw(struct options *opt, const char *s, struct diag *d)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	const char *end;
	__u64 size, count;
	__u32 seg, nr;

	if (parse_size(s, &end, page, &size))
		goto bad;

	opt->raw_given = true;
	opt->raw_asked = true;
	opt->raw_bytes = 0;
	if (*end == 'x') {
		if (parse_number(end + 1, &end, &count) || *end)
			goto bad;
		if (size & (size - 1) || size < page || size > 1U << 30)
			return diag(d, -EINVAL,
				    "-m: a raw segment must be a power of two from one page to 1G, not %.*s",
				    (int)strcspn(s, "x"), s);
	} else {
		if (*end)
			goto bad;
		opt->raw_bytes = size;
		raw_size(opt, false, false, 0, &seg, &nr);
		count = nr;
		size = seg;
	}

	if (count < 2 || count > 4096)
		return diag(d, -EINVAL,
			    "-m: the raw ring has 2 to 4096 segments, not %llu; give SIZExCOUNT, e.g. 256Kx64",
			    (unsigned long long)count);
	opt->seg_size = size;
	opt->nr_segs = count;
	return 0;
bad:
	return diag(d, -EINVAL,
		    "-m: raw ring size '%s' is neither SIZE (all of it, e.g. 16M) nor SIZExCOUNT (e.g. 256Kx64)",
		    s);
}

static int parse_mmap(struct options *opt, const char *s, struct diag *d)
{
	const __u64 page = sysconf(_SC_PAGESIZE);
	const char *end = s;
	__u64 size;

	if (*s != ',') {
		if (parse_size(s, &end, page, &size) || (*end && *end != ','))
			return diag(d, -EINVAL,
				    "-m: main ring size '%s' is neither a number of pages nor a size such as 512K",
				    s);
		if (size > 1ULL << 30)
			return diag(d, -EINVAL,
				    "-m: a main ring of more than 1G per CPU is not possible");
		opt->main_bytes = round_up_pow2(size < page ? page : size);
	}
	if (*end == ',')
		return parse_raw(opt, end + 1, d);
	return 0;
}

static int parse_targets(struct options *opt, const char *s, bool threads,
			 struct diag *d)
{
	const char *end;
	__u64 pid;
	int err;

	if (opt->nr_targets && opt->threads != threads)
		return diag(d, -EINVAL,
			    "-p and -t exclude each other: -p PID records all threads of PID, -t TID one thread");
	opt->threads = threads;

	for (;; s = end + 1) {
		if (parse_number(s, &end, &pid) || !pid || pid > INT_MAX ||
		    (*end && *end != ','))
			return diag(d, -EINVAL,
				    "-%c: '%s' is not a list of process numbers",
				    threads ? 't' : 'p', s);
		err = grow((void **)&opt->targets, opt->nr_targets,
			   sizeof(*opt->targets));
		if (err)
			return diag(d, err, "out of memory");
		opt->targets[opt->nr_targets++] = pid;
		if (!*end)
			return 0;
	}
}

static int parse_rate(const char *s, char opt, __u64 *val, struct diag *d)
{
	const char *end;
	__u64 v;

	if (opt == 'F' && !strcmp(s, "max")) {
		*val = AUXREC_FREQ_MAX;
		return 0;
	}
	if (parse_number(s, &end, &v) || *end || !v || v > INT64_MAX)
		return diag(d, -EINVAL, "-%c: '%s' is not a positive number%s",
			    opt, s, opt == 'F' ? " or 'max'" : "");
	*val = v;
	return 0;
}

static int add_event(struct options *opt, const char *spec, struct diag *d)
{
	int err;

	err = grow((void **)&opt->events, opt->nr_events, sizeof(*opt->events));
	if (err)
		return diag(d, err, "out of memory");
	opt->events[opt->nr_events++] = (struct option_event){ .spec = spec };
	return 0;
}

static int add_filter(struct options *opt, const char *filter, struct diag *d)
{
	struct option_event *e;

	if (!opt->nr_events)
		return diag(d, -EINVAL, "--filter belongs to the -e before it");
	e = &opt->events[opt->nr_events - 1];
	if (grow((void **)&e->filters, e->nr_filters, sizeof(*e->filters)))
		return diag(d, -ENOMEM, "out of memory");
	e->filters[e->nr_filters++] = filter;
	return 0;
}

/* As in perf, --exclude-perf applies to the -e before it, which must be tracepoints. */
static int exclude_perf(struct options *opt, struct diag *d)
{
	if (!opt->nr_events)
		return diag(d, -EINVAL, "--exclude-perf belongs to the -e before it");
	opt->events[opt->nr_events - 1].exclude_self = true;
	return 0;
}

static int parse_delay(struct options *opt, const char *s, struct diag *d)
{
	const char *end;
	__u64 v;

	if (!strcmp(s, "-1"))
		return diag(d, -EINVAL,
			    "-D -1 is for perf's --control: give -D MS, or start auxrec -p PID when the recording must begin");
	if (parse_number(s, &end, &v) || v > INT_MAX)
		return diag(d, -EINVAL, "-D: '%s' is not a number of milliseconds", s);
	if (*end == '-')
		return diag(d, -EINVAL,
			    "-D %s: auxrec has no ranges: give -D MS, and choose the times with perf script --time",
			    s);
	if (*end)
		return diag(d, -EINVAL, "-D: '%s' is not a number of milliseconds", s);
	opt->delay_ms = v;
	return 0;
}

static int parse_max_size(struct options *opt, const char *s, struct diag *d)
{
	const char *end;

	if (parse_size(s, &end, 1, &opt->max_bytes) || *end)
		return diag(d, -EINVAL, "--max-size: '%s' is not a size such as 64M", s);
	return 0;
}

static int set_bpf_map(struct options *opt, const char *path, struct diag *d)
{
	struct option_event *e;

	if (!opt->nr_events)
		return diag(d, -EINVAL,
			    "--bpf-map belongs to the -e before it: -e bpf-output --bpf-map PATH");
	e = &opt->events[opt->nr_events - 1];
	if (e->bpf_map)
		return diag(d, -EINVAL,
			    "--bpf-map %s: the event goes to %s already; give another -e bpf-output for it",
			    path, e->bpf_map);
	e->bpf_map = path;
	return 0;
}

static int parse_one(struct options *opt, int c, struct diag *d)
{
	switch (c) {
	case 'e':
		return add_event(opt, optarg, d);
	case OPT_FILTER:
		return add_filter(opt, optarg, d);
	case 'p':
	case 't':
		return parse_targets(opt, optarg, c == 't', d);
	case 'a':
		opt->system_wide = true;
		return 0;
	case 'C': {
		struct cpus cpus;

		if (cpus_parse(&cpus, optarg))
			return diag(d, -EINVAL,
				    "-C: '%s' is not a list of CPUs such as 0-3,8",
				    optarg);
		cpus_free(&cpus);
		opt->cpus = optarg;
		return 0;
	}
	case 'o':
		if (!*optarg)
			return diag(d, -EINVAL, "-o: the file's name is empty");
		opt->output = optarg;
		return 0;
	case 'm':
		return parse_mmap(opt, optarg, d);
	case 'F':
		return parse_rate(optarg, 'F', &opt->freq, d);
	case 'c':
		return parse_rate(optarg, 'c', &opt->period, d);
	case 'g':
		opt->callchain = true;
		return 0;
	case 'D':
		return parse_delay(opt, optarg, d);
	case 'k':
		return option_clock(opt, optarg, d);
	case OPT_USER:
		opt->user = true;
		return 0;
	case OPT_KERNEL:
		opt->kernel = true;
		return 0;
	case 'B':
		opt->no_buildid = true;
		return 0;
	case OPT_BPF_MAP:
		return set_bpf_map(opt, optarg, d);
	case OPT_BPF_RING:
		opt->bpf_ring = optarg;
		return 0;
	case 'R':
		opt->raw_samples = true;
		return 0;
	case OPT_RAW_RING:
		opt->raw_ring = true;
		return 0;
	case OPT_NO_RAW_RING:
		opt->no_raw_ring = true;
		return 0;
	case OPT_NAMESPACES:
		opt->namespaces = true;
		return 0;
	case OPT_ALL_CGROUPS:
		opt->cgroups = true;
		return 0;
	case OPT_EXCLUDE_PERF:
		return exclude_perf(opt, d);
	case OPT_STRICT_FREQ:
		opt->strict_freq = true;
		return 0;
	case OPT_MAX_SIZE:
		return parse_max_size(opt, optarg, d);
	case OPT_COMPRESS:
		return compress_option(opt, optarg, d);
	case 'z':
		return pack_option(opt, optarg, d);
	case OPT_SWITCH_OUTPUT:
		return switch_output(opt, optarg, d);
	case OPT_SWITCH_MAX_FILES:
		return switch_max_files(opt, optarg, d);
	case OPT_SWITCH_EVENTS:
		opt->switches = true;
		return 0;
	case OPT_KERNEL_CALLCHAINS:
		opt->kernel_callchains = true;
		return 0;
	case OPT_USER_CALLCHAINS:
		opt->user_callchains = true;
		return 0;
	case OPT_LABEL:
		return option_label(opt, optarg, d);
	case OPT_DRY_RUN:
		opt->dry_run = true;
		return 0;
	case 'q':
		opt->quiet = true;
		return 0;
	case OPT_JSON:
		opt->json = true;
		opt->json_file = optarg;
		return 0;
	case 'M':
		return flight_option(&opt->flight, FLIGHT_OPT_MEMORY, optarg, d);
	case 'h':
		opt->command = AUXREC_HELP;
		return 0;
	case OPT_VERSION:
		opt->command = AUXREC_VERSION_ONLY;
		return 0;
	}
	return flight_option(&opt->flight, c, optarg, d);
}

/* Refuse options that contradict each other, or do not tell what to record. */
static int check(const struct options *opt, struct diag *d)
{
	if (!opt->nr_events && opt->cmd && options_of_perf_command(opt->cmd[0], d))
		return -EINVAL;
	if (!opt->nr_events && opt->cmd &&
	    (!strcmp(opt->cmd[0], "snapshot") || !strcmp(opt->cmd[0], "status") ||
	     !strcmp(opt->cmd[0], "stop")))
		return diag(d, -EINVAL,
			    "'%s' is for a running recorder: use auxrec ctl PATH %s, with the PATH of its --trigger socket=",
			    opt->cmd[0], opt->cmd[0]);
	if (!opt->nr_events)
		return diag(d, -EINVAL,
			    "no event is given: give -e EVENT; 'auxrec list' shows this machine's events");
	if (opt->nr_targets && opt->system_wide)
		return diag(d, -EINVAL,
			    "-%c records tasks, %s whole CPUs: leave one out",
			    opt->threads ? 't' : 'p', opt->cpus ? "-C" : "-a");
	if (!opt->nr_targets && !opt->system_wide && !opt->cmd)
		return diag(d, -EINVAL,
			    "nothing to record is given: give a command after --, -p PID, -t TID or -a");
	if (opt->cmd && !*opt->cmd[0])
		return diag(d, -EINVAL,
			    "the name of the command is empty: give one after --");
	if (opt->freq && opt->period)
		return diag(d, -EINVAL,
			    "-F (samples per second) and -c (events per sample) exclude each other");
	if (opt->user && opt->kernel)
		return diag(d, -EINVAL,
			    "--user and --kernel exclude each other: without them both are recorded");
	if (opt->raw_ring && opt->no_raw_ring)
		return diag(d, -EINVAL,
			    "--raw-ring and --no-raw-ring exclude each other");
	if (opt->kernel_callchains && opt->user_callchains)
		return diag(d, -EINVAL,
			    "--kernel-callchains and --user-callchains exclude each other: without them call chains have both");
	if (opt->max_bytes && opt->flight.on)
		return diag(d, -EINVAL,
			    "--max-size: a flight recorder does not end at a size: give --keep-bytes, the limit of all its snapshots");
	if (switch_check(opt, d) || compress_check(opt, d))
		return -EINVAL;
	if (opt->quiet && opt->json && !opt->json_file)
		return diag(d, -EINVAL,
			    "--quiet and --json contradict: give --json=FILE to keep stderr quiet");
	return 0;
}

/* Handle an unknown option at @arg, for which getopt_long() has returned '?'. */
static int not_ours(const char *arg, struct diag *d)
{
	/*
	 * For an unknown short option, optopt is its letter. For a long option, optopt is 0, or
	 * the number or letter of an option that takes no value.
	 */
	const bool is_letter = optopt > 0 && optopt < 256 && strncmp(arg, "--", 2);
	int err = options_of_perf(is_letter ? optopt : 0, arg, d);

	if (err != -ENOENT)
		return err;
	if (is_letter)
		return diag(d, -EINVAL, "unknown option -%c; see auxrec --help",
			    optopt);
	return diag(d, -EINVAL,
		    "unknown option or superfluous value: %s; see auxrec --help",
		    arg);
}

int options_parse(struct options *opt, int argc, char **argv, struct diag *d)
{
	int c, err;

	*opt = (struct options){
		.seg_size = AUXREC_SEG_SIZE,
		.nr_segs = AUXREC_SEG_COUNT,
	};

	optind = 0;
	opterr = 0;
	for (;;) {
		const int at = optind ? optind : 1;

		c = getopt_long(argc, argv, "+:e:p:t:aBC:o:m:M:F:c:gD:k:Rqz::h",
				long_options, NULL);
		if (c == -1)
			break;
		if (c == ':')
			return diag(d, -EINVAL, "%s needs a value",
				    argv[optind - 1]);
		if (c == '?')
			err = not_ours(argv[at], d);
		else
			err = parse_one(opt, c, d);
		if (err)
			return err;
		if (opt->command != AUXREC_RECORD)
			return 0;
	}

	if (optind < argc)
		opt->cmd = argv + optind;
	compress_complete(opt);
	if (!opt->output)
		opt->output = opt->flight.on ? FLIGHT_DEFAULT_FILE :
					       AUXREC_DEFAULT_FILE;
	/*
	 * BPF programs write without an event. The dummy event counts and records
	 * nothing.
	 */
	if (opt->bpf_ring && !opt->nr_events) {
		err = add_event(opt, "dummy", d);
		if (err)
			return err;
	}
	/* As in perf, -C alone means all that runs on these CPUs. */
	if (opt->cpus && !opt->nr_targets)
		opt->system_wide = true;
	if (opt->cpus && opt->nr_targets)
		return diag(d, -EINVAL,
			    "-C records whole CPUs, -%c tasks wherever they run: leave one out",
			    opt->threads ? 't' : 'p');
	err = flight_options_check(opt, d) ?: option_clock_check(opt, d);
	return err ?: check(opt, d);
}

void options_free(struct options *opt)
{
	size_t i;

	for (i = 0; i < opt->nr_events; i++)
		free(opt->events[i].filters);
	free(opt->events);
	free(opt->targets);
	free(opt->labels);
	flight_options_free(&opt->flight);
	opt->events = NULL;
	opt->targets = NULL;
	opt->labels = NULL;
}
