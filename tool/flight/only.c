// SPDX-License-Identifier: GPL-2.0-only
/*
 * --only-trigger-task: decide which records and data a snapshot has. It has those of the processes
 * that triggered, and what readers need for them: what is not of any process, and the names and
 * maps of their ancestors up to the fork, because a process begins with those of its parent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flight/flight.h"
#include "stream/records.h"

/* Processes have forked at these times. The list is in order of time. */
struct forked {
	__u32 parent, child;
	__u64 time;
};

struct only_tasks {
	const struct flight_wish *writing;	/* the triggers of this snapshot */
	struct forked *forks;
	size_t nr_forks;
	struct read_map ancestors;	/* a process -> the last of its forks that counts */
	int err;
};

struct fork_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
};

static int collect(void *ctx, const struct perf_event_header *rec)
{
	const struct fork_record *fork = (const void *)rec;
	struct only_tasks *o = ctx;

	if (rec->type != PERF_RECORD_FORK || fork->pid == fork->ppid)
		return 0;
	if (grow((void **)&o->forks, o->nr_forks, sizeof(*o->forks)))
		return -ENOMEM;
	o->forks[o->nr_forks++] = (struct forked){
		.parent = fork->ppid, .child = fork->pid, .time = flight_record_time(rec),
	};
	return 0;
}

static bool has_triggered(const struct only_tasks *o, __u32 pid)
{
	const struct flight_wish *w;

	for (w = o->writing; w; w = w->next)
		if (read_map_get(&w->tasks, pid, NULL))
			return true;
	return false;
}

/* Does the process have its sideband in the snapshot at @time? */
static bool is_known(const struct only_tasks *o, __u32 pid, __u64 time)
{
	__u32 last;

	return has_triggered(o, pid) ||
	       (read_map_get(&o->ancestors, pid, &last) && time <= o->forks[last].time);
}

/* A parent's forks are earlier than those of its children, so one way back in time suffices. */
static int find_ancestors(struct only_tasks *o)
{
	size_t i;
	int err = 0;

	for (i = o->nr_forks; !err && i--;) {
		const struct forked *fork = &o->forks[i];

		if (is_known(o, fork->child, fork->time) &&
		    !is_known(o, fork->parent, fork->time))
			err = read_map_set(&o->ancestors, fork->parent, i);
	}
	return err;
}

int only_tasks_find(struct session *s, struct only_tasks **only)
{
	struct only_tasks *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	*only = o;
	o->writing = s->flight->writing;
	err = recent_emit_sideband(s->flight->recent, collect, o);
	return err ?: find_ancestors(o);
}

bool only_tasks_has(const struct only_tasks *o, __u32 pid)
{
	return !o || has_triggered(o, pid);
}

int only_tasks_check(const struct session *s, struct diag *d)
{
	size_t i;

	if (!s->opt->flight.only_task)
		return 0;
	if (s->have_payloads)
		return diag(d, -EOPNOTSUPP,
			    "--only-trigger-task: the raw ring has raw data of all processes: leave --raw-ring and --bpf-ring out, and give --no-raw-ring with -e bpf-output");
	for (i = 0; i < s->nr_sev && !session_per_task(s); i++)
		if (s->sev[i].aux)
			return diag(d, -EOPNOTSUPP,
				    "--only-trigger-task: %s has AUX data of whole CPUs, in which the data of all processes is mixed: record a command, or processes with -p",
				    s->sev[i].name);
	return 0;
}

/* Return the process in whose context the kernel wrote a record that is no sample. */
static __u32 context_of(const struct perf_event_header *rec)
{
	struct rec_sample_id id;

	memcpy(&id, (const __u8 *)rec + rec->size - sizeof(id), sizeof(id));
	return id.pid;
}

bool only_tasks_keeps(const struct only_tasks *o, const struct perf_event_header *rec)
{
	/* Sideband of tasks begins with pid. A sample has it after IDENTIFIER and IP. */
	const struct {
		struct perf_event_header header;
		__u32 pid, tid;
		__u64 ip;
		__u32 sample_pid, sample_tid;
	} *r = (const void *)rec;

	if (!o)
		return true;
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return has_triggered(o, r->sample_pid);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_ITRACE_START:
		/* The kernel's own maps, and the idle task */
		return r->pid == ~0U || !r->pid || is_known(o, r->pid, flight_record_time(rec));
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return has_triggered(o, context_of(rec));
	default:
		return true;
	}
}
