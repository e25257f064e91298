/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing events as the user writes them (-e) into perf_event_attr. The functions are in
 * event/event.c, unless a comment names another file.
 */
#ifndef AUXREC_EVENT_H
#define AUXREC_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* A switch of an event (inherit, no-inherit ...). UNSET: the user did not give it. */
enum auxrec_switch {
	AUXREC_UNSET	= -1,
	AUXREC_OFF	= 0,
	AUXREC_ON	= 1,
};

/*
 * One event of -e, resolved with the running kernel's sysfs and tracefs.
 *
 * attr has what the event itself tells: type, config*, bp_*, exclude_*,
 * precise_ip, pinned, exclusive, aux_output, aux_sample_size, write_backward
 * (overwrite), branch_sample_type (branch_type), sample_period or sample_freq
 * and freq. If sample_period is not 0 although !freq_given, it is the default of
 * this kind of event (tracepoints, breakpoints, bpf-output: 1; intel_pt, arm_spe):
 * -F and -c override it, the general default does not.
 *
 * Only the modifiers G and H set exclude_guest and exclude_host, as in perf since
 * 6.13 (older perf sets exclude_guest for every event). The exception is intel_pt,
 * see event/pmu_default.c.
 */
struct auxrec_event {
	struct perf_event_attr attr;
	/*
	 * attr.config3 and attr.config4, which may be missing in the header that
	 * this is built with. Open the event with the attr of auxrec_attr().
	 */
	__u64 config3;
	__u64 config4;
	char *name;		/* as perf would show it: "auxgen//u" */
	char *pmu;		/* sysfs name, NULL for none */
	char *unit;		/* from sysfs NAME.unit, or NULL */
	double scale;		/* from sysfs NAME.scale, 1.0 if none */
	char *cpus;		/* PMU's cpumask file ("0,16"), or NULL */
	char *tp_system;	/* tracepoint: "sched", else NULL */
	char *tp_name;		/* tracepoint: "sched_switch", else NULL */
	char *filter;		/* --filter, as the kernel takes it, or NULL */
	char *filter_typed;	/* --filter, as the user wrote it, or NULL */
	const char *bpf_map;	/* --bpf-map, or NULL */
	/*
	 * The file of a probe, else NULL. attr.uprobe_path must be its address when the event is
	 * opened, and is 0 in the stream.
	 */
	char *probe_file;
	bool freq_given;	/* term freq= or period= was in the event */
	bool has_modifier;	/* :u :k :h ... was given */
	int group;		/* the number of its {...}; -1: none */
	bool leader;		/* first of its group */
	bool gh_given;		/* modifier G or H was given */
	bool precise_max;	/* modifier P: highest precise_ip that opens */
	int max_precise;	/* PMU's caps/max_precise, -1: not known */
	bool sample_read;	/* modifier S: values of the whole group */
	bool weak_group;	/* modifier W: ungroup if it cannot be opened */
	bool snapshot;		/* from sysfs NAME.snapshot */
	bool per_pkg;		/* from sysfs NAME.per-pkg */
	bool branch_given;	/* term branch_type= */
	enum auxrec_switch inherit;	/* terms inherit, no-inherit */
	enum auxrec_switch overwrite;	/* terms overwrite, no-overwrite */
	enum auxrec_switch time;	/* term time=: PERF_SAMPLE_TIME */
	char *callgraph;	/* term call-graph=: fp dwarf lbr no, or NULL */
	__u32 stack_size;	/* term stack-size=, 0: not given */
	__u32 max_stack;	/* term max-stack=, 0: not given */
	__u64 max_events;	/* term nr=, 0: not given */
	char *sink;		/* term @NAME, already in config2, or NULL */
};

struct auxrec_events {
	struct auxrec_event *list;
	size_t nr;
};

/*
 * Where the kernel's files are. NULL, or a NULL root, means "/sys" and the mounted
 * tracefs. Tests use their own trees.
 */
struct auxrec_sysroot {
	const char *sysfs;
	const char *tracefs;
	/*
	 * Return whether this kernel accepts such an event. The parser calls this function
	 * for hardware events on machines with several kinds of core, and `list` calls it,
	 * too. NULL: ask the kernel if @sysfs is NULL, otherwise the answer is always yes.
	 */
	bool (*supported)(const struct perf_event_attr *attr);
};

/*
 * Parse @spec and append its events to @events. @spec is one -e: a list separated
 * by commas, in which terms between a PMU's slashes belong to the event.
 *
 * Return 0 or -errno: -EINVAL (syntax or unknown term), -ENOENT (no such event or
 * PMU), -EACCES (tracefs is not readable), -ERANGE (a value does not fit in its
 * field) or -ENOMEM. After an error nothing is appended, and @err has a message for
 * people: what is wrong, where in @spec, and what is possible instead.
 */
int auxrec_events_parse(struct auxrec_events *events, const char *spec,
			const struct auxrec_sysroot *root,
			char *err, size_t err_len);

/*
 * event/caret.c: in @msg, a message of auxrec_events_parse(), replace the column by lines that
 * show @spec and mark the place. A message without a column does not change.
 */
void auxrec_event_caret(const char *spec, char *msg, size_t size);

void auxrec_events_free(struct auxrec_events *events);

/* The largest size of perf_event_attr that a kernel has today, in bytes */
#define AUXREC_ATTR_SIZE	144

/*
 * event/new.c: copy @attr to @buf, with config3 and config4 at their place.
 * attr.size is as small as possible, so that a kernel without these fields takes an
 * event that does not use them. Return attr.size. @buf must be aligned to 8 bytes.
 */
size_t auxrec_attr(const struct perf_event_attr *attr, __u64 config3, __u64 config4,
		   unsigned char buf[AUXREC_ATTR_SIZE]);

/* event/list.c: carry out `auxrec list [WHAT]`, which prints to stdout. Return an exit status. */
int auxrec_list_main(int argc, char **argv);

#endif /* AUXREC_EVENT_H */
