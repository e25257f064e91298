// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check the options of a flight recorder.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse_size.h"
#include "cli/flight_options.h"
#include "base/parse_time.h"
#include "snapfile/snapfile.h"

/* With less, nothing useful fits beside the tool's own memory, see flight/memory.c. */
#define MEMORY_MIN	(8ULL << 20)
#define MEMORY_MAX	(1ULL << 40)

static int add_trigger(struct flight_options *opt, const char *spec, struct diag *d)
{
	int err;

	if (grow((void **)&opt->triggers, opt->nr_triggers, sizeof(*opt->triggers)))
		return diag(d, -ENOMEM, "out of memory");
	err = trigger_parse(&opt->triggers[opt->nr_triggers], spec, d);
	if (!err)
		opt->nr_triggers++;
	return err;
}

static int parse_bounded(const char *what, const char *arg, __u64 min, __u64 max,
			 __u64 *bytes, struct diag *d)
{
	const char *end;

	if (parse_size(arg, &end, 1, bytes) || *end)
		return diag(d, -EINVAL, "%s: '%s' is not a size such as 64M", what, arg);
	if (*bytes < min)
		return diag(d, -EINVAL, "%s: %s is too little: give at least %lluM", what,
			    arg, (unsigned long long)min >> 20);
	if (*bytes > max)
		return diag(d, -EINVAL, "%s: %s is too much: give at most %lluG", what, arg,
			    (unsigned long long)max >> 30);
	return 0;
}

static int parse_keep(const char *arg, __u64 *nr, struct diag *d)
{
	const char *end;

	if (parse_digits(arg, &end, nr) || *end || !*nr)
		return diag(d, -EINVAL,
			    "--keep: '%s' is not a number of snapshots, 1 or more", arg);
	return 0;
}

static int check_path(const char *what, const char *arg, struct diag *d)
{
	return *arg ? 0 : diag(d, -EINVAL, "%s: the file's name is empty", what);
}

/* Refuse a time of 0: for no limit, the option is left out. */
static int parse_some_time(const char *what, const char *arg, __u64 *ns, struct diag *d)
{
	const int err = parse_time(what, arg, ns, d);

	if (!err && !*ns)
		return diag(d, -EINVAL, "%s: %s would keep nothing: give a time such as 30s",
			    what, arg);
	return err;
}

static int parse_group(struct flight_options *opt, const char *arg, struct diag *d)
{
	const struct group *group = getgrnam(arg);

	if (!group)
		return diag(d, -EINVAL,
			    "--control-group: there is no group '%s' (getent group lists them)",
			    arg);
	opt->control_group = arg;
	opt->control_gid = group->gr_gid;
	return 0;
}

int flight_option(struct flight_options *opt, int c, const char *arg, struct diag *d)
{
	switch (c) {
	case FLIGHT_OPT_FLIGHT:
		opt->on = true;
		return arg ? parse_some_time("--flight", arg, &opt->window, d) : 0;
	case FLIGHT_OPT_MEMORY:
		return parse_bounded("-M", arg, MEMORY_MIN, MEMORY_MAX, &opt->memory, d);
	case FLIGHT_OPT_TRIGGER:
		return add_trigger(opt, arg, d);
	case FLIGHT_OPT_NAME:
		opt->name = arg;
		return snapfile_check(arg, d);
	case FLIGHT_OPT_KEEP:
		return parse_keep(arg, &opt->keep.nr, d);
	case FLIGHT_OPT_KEEP_BYTES:
		return parse_bounded("--keep-bytes", arg, 1, ULLONG_MAX, &opt->keep.bytes, d);
	case FLIGHT_OPT_KEEP_AGE:
		return parse_some_time("--keep-age", arg, &opt->keep.age, d);
	case FLIGHT_OPT_CONTROL_GROUP:
		return parse_group(opt, arg, d);
	case FLIGHT_OPT_SNAPSHOT_LOG:
		opt->snapshot_log = arg;
		return check_path("--log-snapshots", arg, d);
	case FLIGHT_OPT_ON_SNAPSHOT:
		opt->on_snapshot = arg;
		return *arg ? 0 : diag(d, -EINVAL, "--on-snapshot: the command is empty");
	case FLIGHT_OPT_SURVIVE:
		opt->survive = true;
		return 0;
	case FLIGHT_OPT_ONLY_TASK:
		opt->only_task = true;
		return 0;
	case FLIGHT_OPT_DAEMON:
		opt->daemon = true;
		return 0;
	case FLIGHT_OPT_PID_FILE:
		opt->pid_file = arg;
		return check_path("--pid-file", arg, d);
	case FLIGHT_OPT_LOG:
		opt->log = arg;
		return check_path("--log", arg, d);
	}
	return diag(d, -EINVAL, "internal: option %d", c);
}

static int check_without(const struct flight_options *opt, struct diag *d)
{
	const char *what = opt->nr_triggers ? "--trigger" : opt->memory ? "-M" :
			   opt->name ? "--name" : opt->keep.nr ? "--keep" :
			   opt->keep.bytes ? "--keep-bytes" : opt->keep.age ? "--keep-age" :
			   opt->control_group ? "--control-group" :
			   opt->snapshot_log ? "--log-snapshots" :
			   opt->on_snapshot ? "--on-snapshot" :
			   opt->survive ? "--survive-crash" :
			   opt->only_task ? "--only-trigger-task" :
			   opt->daemon ? "--daemon" : opt->pid_file ? "--pid-file" :
			   opt->log ? "--log" : NULL;

	return what ? diag(d, -EINVAL,
			   "%s needs a flight recorder: give --flight too, or leave it out",
			   what) : 0;
}

/*
 * Two triggers must not have the same signal: only one of them would see it. There can be only one
 * socket.
 */
static int check_twice(const struct flight_options *opt, struct diag *d)
{
	size_t i, j;

	for (i = 0; i < opt->nr_triggers; i++) {
		const struct trigger *a = &opt->triggers[i];

		for (j = 0; j < i; j++) {
			const struct trigger *b = &opt->triggers[j];

			if (a->kind != b->kind)
				continue;
			if (a->kind == TRIGGER_SIGNAL && a->signal == b->signal)
				return diag(d, -EINVAL,
					    "--trigger: signal %d is given twice",
					    a->signal);
			if (a->kind == TRIGGER_SOCKET)
				return diag(d, -EINVAL,
					    "--trigger: there can be one socket; %s and %s are given",
					    b->value, a->value);
		}
	}
	return 0;
}

static int check_control_group(const struct flight_options *opt, struct diag *d)
{
	size_t i;

	for (i = 0; i < opt->nr_triggers; i++)
		if (opt->triggers[i].kind == TRIGGER_SOCKET)
			return 0;
	if (!opt->control_group)
		return 0;
	return diag(d, -EINVAL,
		    "--control-group needs a control socket: give --trigger socket=PATH too");
}

/*
 * --only-trigger-task: each trigger must name a process. A socket is allowed for its other
 * requests. --survive-crash keeps the records of all processes, so it is refused.
 */
static int check_only_task(const struct flight_options *opt, struct diag *d)
{
	bool any = false;
	size_t i;

	if (!opt->only_task)
		return 0;
	for (i = 0; i < opt->nr_triggers; i++) {
		const struct trigger *t = &opt->triggers[i];

		if (trigger_is_event(t) || t->kind == TRIGGER_HANG)
			any = true;
		else if (t->kind != TRIGGER_SOCKET)
			return diag(d, -EINVAL,
				    "--only-trigger-task: the trigger %s names no process: leave one of them out",
				    t->name);
	}
	if (!any)
		return diag(d, -EINVAL,
			    "--only-trigger-task needs a trigger that names a process: give event=, exec=, exit=, crash, latency= or hang=");
	if (opt->survive)
		return diag(d, -EINVAL,
			    "--only-trigger-task: --survive-crash keeps the records of all processes: leave one of them out");
	return 0;
}

/* Refuse "--flight 30s": an optional value must be attached to its option. */
static int check_command(const struct options *opt, struct diag *d)
{
	struct diag ignored;
	__u64 ns;

	if (!opt->cmd || strcmp(opt->cmd[-1], "--flight") ||
	    parse_time("", opt->cmd[0], &ns, &ignored))
		return 0;
	return diag(d, -EINVAL, "--flight %s: give --flight=%s, in one word",
		    opt->cmd[0], opt->cmd[0]);
}

/* The name of a directory would be put in front of ".sample". */
static int check_output(const char *output, struct diag *d)
{
	struct stat st;

	if (!strcmp(output, "-"))
		return diag(d, -EINVAL,
			    "--flight: snapshots are files: give -o FILE; their names are made from its name");
	if (output[strlen(output) - 1] == '/' ||
	    (!stat(output, &st) && S_ISDIR(st.st_mode)))
		return diag(d, -EISDIR,
			    "-o: %s is a directory: give a file in it; the names of snapshots are made from its name",
			    output);
	return 0;
}

int flight_options_check(struct options *opt, struct diag *d)
{
	struct flight_options *f = &opt->flight;
	int err;

	if (!f->on)
		return check_without(f, d);
	err = check_command(opt, d);
	if (!err)
		err = check_output(opt->output, d);
	if (err)
		return err;
	if (f->daemon && opt->cmd)
		return diag(d, -EINVAL,
			    "--daemon cannot run a command: start the command first, and record it with -p or -a");
	if ((f->pid_file || f->log) && !f->daemon)
		return diag(d, -EINVAL, "%s needs --daemon: give that too",
			    f->pid_file ? "--pid-file" : "--log");
	if (!f->memory)
		f->memory = FLIGHT_DEFAULT_MEMORY;
	if (!f->name)
		f->name = FLIGHT_DEFAULT_NAME;
	err = check_twice(f, d);
	if (!err)
		err = check_control_group(f, d);
	if (!err)
		err = check_only_task(f, d);
	/* The default is that of perf record -S and --switch-output. */
	if (!err && !f->nr_triggers)
		err = add_trigger(f, "signal=USR1", d);
	return err;
}

void flight_options_free(struct flight_options *opt)
{
	size_t i;

	for (i = 0; i < opt->nr_triggers; i++)
		trigger_free(&opt->triggers[i]);
	free(opt->triggers);
	opt->triggers = NULL;
	opt->nr_triggers = 0;
}
