// SPDX-License-Identifier: GPL-2.0-only
/*
 * Put an event's own terms and modifiers into its attr, as perf record does. A term
 * that this recording cannot have is refused, never ignored.
 */
#include <errno.h>
#include <string.h>

#include "session/session.h"

/* perf record's default of stack-size= */
#define STACK_DEFAULT	8192

/*
 * The registers that perf's unwinder asks for, PERF_REGS_MASK of its
 * arch/ARCH/include/perf_regs.h. 0: not known for this architecture.
 */
#if defined(__x86_64__)
#define UNWIND_REGS	0xff0fffULL	/* no segment registers of data */
#elif defined(__aarch64__)
#define UNWIND_REGS	0x1ffffffffULL
#else
#define UNWIND_REGS	0ULL
#endif

static int set_dwarf(struct sev *sev, struct diag *d)
{
	struct perf_event_attr *attr = &sev->attr;

	if (!UNWIND_REGS)
		return diag(d, -EOPNOTSUPP,
			    "%s: call-graph=dwarf is not supported on this architecture: give fp",
			    sev->name);
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			     PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = UNWIND_REGS;
	attr->sample_stack_user = sev->ev->stack_size ? sev->ev->stack_size :
							STACK_DEFAULT;
	/* Readers make the user part of the call chain from the stack. */
	attr->exclude_callchain_user = 1;
	return 0;
}

static int set_callchain(const struct session *s, struct sev *sev,
			 struct diag *d)
{
	const char *how = sev->ev->callgraph;

	if (!how)
		how = s->opt->callchain || sev->ev->max_stack ? "fp" : "no";
	if (!strcmp(how, "no"))
		return 0;
	if (!strcmp(how, "lbr"))
		return diag(d, -EOPNOTSUPP,
			    "%s: call-graph=lbr cannot be recorded: fp and dwarf can",
			    sev->name);
	sev->attr.sample_max_stack = sev->ev->max_stack;
	if (!strcmp(how, "dwarf"))
		return set_dwarf(sev, d);
	sev->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return 0;
}

int attr_check_terms(const struct sev *sev, struct diag *d)
{
	const struct auxrec_event *ev = sev->ev;

	if (ev->overwrite == AUXREC_ON)
		return diag(d, -EOPNOTSUPP,
			    "%s: overwrite: a recording keeps everything, nothing is overwritten",
			    sev->name);
	if (ev->time == AUXREC_OFF)
		return diag(d, -EOPNOTSUPP,
			    "%s: time=0: without times the stream has no order",
			    sev->name);
	if (ev->attr.aux_output)
		return diag(d, -EOPNOTSUPP,
			    "%s: aux-output: a recording has AUX data on its own, not as the output of other events",
			    sev->name);
	if (ev->attr.aux_sample_size)
		return diag(d, -EOPNOTSUPP,
			    "%s: aux-sample-size: samples cannot have AUX data: record it as an event of its own",
			    sev->name);
	return 0;
}

/* Set attr.precise_ip for modifier P. session/open.c lowers it if the kernel refuses it. */
static void set_precise(struct sev *sev)
{
	const int max = sev->ev->max_precise;

	if (sev->ev->precise_max)
		sev->attr.precise_ip = max >= 0 && max < 3 ? max : 3;
}

int attr_terms(const struct session *s, struct sev *sev, struct diag *d)
{
	if (sev->ev->branch_given && sev->attr.branch_sample_type)
		sev->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	if (sev->ev->inherit == AUXREC_OFF)
		sev->attr.inherit = 0;
	set_precise(sev);
	return set_callchain(s, sev, d);
}

static size_t group_size(const struct session *s, int group)
{
	size_t i, nr = 0;

	for (i = 0; i < s->nr_sev; i++)
		nr += s->sev[i].group == group;
	return nr;
}

/*
 * Modifier S: each sample of the leader has the values of the whole group. inherit must
 * be off: before 6.12 the kernel refuses both together, and readers before perf 6.12 take
 * the values of different tasks for those of one task.
 */
static void read_values(struct session *s, struct sev *sev)
{
	sev->attr.sample_type |= PERF_SAMPLE_READ;
	sev->attr.inherit = 0;
	if (sev->group >= 0 && group_size(s, sev->group) > 1)
		sev->attr.read_format |= PERF_FORMAT_GROUP;
	if (session_per_task(s) && !s->opt->quiet &&
	    (sev->group < 0 || sev->leader))
		say("%s: modifier S: threads and processes that are created later are not recorded",
		    sev->name);
}

/* A member that the leader samples takes no samples of its own. */
static void follow(struct sev *sev, const struct sev *leader)
{
	sev->attr.freq = 0;
	sev->attr.sample_period = 0;
	sev->attr.inherit = leader->attr.inherit;
	/* Readers make the member's samples from the leader's samples. */
	sev->attr.sample_type = leader->attr.sample_type;
	/* The kernel takes no samples of the member. */
	sev->raw_ring = false;
}

void attr_groups(struct session *s)
{
	const struct sev *leader = NULL;
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev->sample_read)
			read_values(s, &s->sev[i]);
	for (i = 0; i < s->nr_sev; i++) {
		struct sev *sev = &s->sev[i];

		if (sev->leader)
			leader = sev;
		else if (sev->group >= 0 && leader && leader->ev->sample_read)
			follow(sev, leader);
	}
}
