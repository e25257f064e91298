/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as the user names them, resolved to perf_event_attr.
 */
#ifndef AUXREC_EVENT_H
#define AUXREC_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* A per-event switch (inherit, no-inherit ...) that may not have been given. */
enum auxrec_switch {
	AUXREC_UNSET	= -1,
	AUXREC_OFF	= 0,
	AUXREC_ON	= 1,
};

/*
 * One event of -e, resolved against the running kernel's sysfs and tracefs.
 *
 * attr has what the event itself says: type, config*, bp_*, exclude_*,
 * precise_ip, pinned, exclusive, aux_output, aux_sample_size, write_backward
 * (overwrite), branch_sample_type (branch_type), sample_period or sample_freq
 * and freq. Where sample_period is not 0 although !freq_given, it is the kind's
 * own default (tracepoints, breakpoints, bpf-output: 1; intel_pt, arm_spe):
 * -F and -c go before it, the general default does not.
 *
 * exclude_guest and exclude_host are set only by the modifiers G and H (as perf
 * does since 6.13; older ones set exclude_guest for everything).
 */
struct auxrec_event {
	struct perf_event_attr attr;
	/*
	 * attr.config3 and attr.config4, which the header this is built with
	 * may lack: open with what auxrec_event_attr() returns.
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
	char *filter;		/* --filter, or NULL; for the kernel */
	char *filter_typed;	/* the same as it was given */
	const char *bpf_map;	/* --bpf-map, or NULL */
	bool freq_given;	/* term freq= or period= was in the event */
	bool has_modifier;	/* :u :k :h ... was given */
	int group;		/* events of one {...} share it; -1: none */
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
 * Where the kernel's files are found. NULL, or a NULL root, means "/sys" and
 * the mounted tracefs; tests give trees of their own.
 */
struct auxrec_sysroot {
	const char *sysfs;
	const char *tracefs;
	/*
	 * Does this kernel take such an event? Asked for hardware events on
	 * machines with several kinds of core, and by `list`. NULL: the kernel
	 * is asked, if sysfs is its own, else the answer is yes.
	 */
	bool (*supported)(const struct perf_event_attr *attr);
};

/*
 * Parses SPEC (one -e: a comma separated list, terms in a PMU's slashes belong
 * to the event) and appends to @events.
 *
 * Returns 0, or -errno (-EINVAL syntax or unknown term, -ENOENT no such event
 * or PMU, -EACCES tracefs not readable, -ERANGE a value that does not fit its
 * field, -ENOMEM) with a message for people in @err: what is wrong, where in
 * SPEC, and what is possible instead. Nothing is appended on failure.
 */
int auxrec_events_parse(struct auxrec_events *events, const char *spec,
			const struct auxrec_sysroot *root,
			char *err, size_t err_len);

/*
 * For people: @msg, of auxrec_events_parse(), without its column, but with lines that show
 * @spec and mark the place. As it is if it has no column.
 */
void auxrec_event_caret(const char *spec, char *msg, size_t size);

void auxrec_events_free(struct auxrec_events *events);

/* A perf_event_attr as large as any kernel of today knows it. */
#define AUXREC_ATTR_SIZE	144

/*
 * Copies @ev->attr to @buf with config3 and config4 at their place and attr.size
 * as small as it may be, so that kernels which do not know these take events
 * that do not use them. Returns attr.size. @buf is aligned to 8 bytes.
 */
size_t auxrec_event_attr(const struct auxrec_event *ev,
			 unsigned char buf[AUXREC_ATTR_SIZE]);

/* `auxrec list [WHAT]`: prints to stdout. Returns an exit status. */
int auxrec_list_main(int argc, char **argv);

#endif /* AUXREC_EVENT_H */
