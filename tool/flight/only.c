// SPDX-License-Identifier: GPL-2.0-only
/*
 * --only-trigger-task: decide which records and data a snapshot has. It has those of the processes
 * that triggered. It also has records that belong to no process, and the names and maps of the
 * processes' ancestors up to the fork, because a process begins with the name and the maps of its
 * parent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "flight/flight.h"
#include "stream/records.h"

/* Processes have forked at these times. The list is in order of time. */
struct forked {
	__u32 parent, child;
	__u64 time;
};

/*
 * The records of a process from @begin to @end belong to the snapshot. Before and after that time,
 * another process had the same pid, or an ancestor did what its child does not inherit.
 */
struct life {
	__u64 begin, end;
	__u64 first, last;	/* the triggers of the process, or the fork of its child */
	bool triggered;
};

struct only_tasks {
	struct forked *forks;
	size_t nr_forks;
	struct read_map by_pid;		/* process -> index in @lives */
	struct life *lives;
	size_t nr_lives;
	struct read_map files;		/* hashes of the names of files that these processes map */
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

static struct life *find_life(const struct only_tasks *o, __u32 pid)
{
	__u32 i;

	return read_map_get(&o->by_pid, pid, &i) ? &o->lives[i] : NULL;
}

static int add_life(struct only_tasks *o, __u32 pid, const struct life *life)
{
	if (grow((void **)&o->lives, o->nr_lives, sizeof(*o->lives)) ||
	    read_map_set(&o->by_pid, pid, o->nr_lives))
		return -ENOMEM;
	o->lives[o->nr_lives++] = *life;
	return 0;
}

static bool has_triggered(const struct only_tasks *o, __u32 pid, __u64 time)
{
	const struct life *l = find_life(o, pid);

	return l && l->triggered && time >= l->begin && time <= l->end;
}

/* Does the process have its sideband in the snapshot at @time? */
static bool is_known(const struct only_tasks *o, __u32 pid, __u64 time)
{
	const struct life *l = find_life(o, pid);

	return l && time >= l->begin && time <= l->end;
}

static int add_triggers(struct only_tasks *o, const struct flight_wish *w)
{
	size_t i;

	for (; w; w = w->next)
		for (i = 0; i < w->nr_tasks; i++) {
			const struct flight_task *t = &w->tasks[i];
			const struct life life = {
				.end = ~0ULL, .first = t->first, .last = t->last, .triggered = true,
			};
			struct life *l = find_life(o, t->pid);

			if (!l && add_life(o, t->pid, &life))
				return -ENOMEM;
			if (l && t->first < l->first)
				l->first = t->first;
			if (l && t->last > l->last)
				l->last = t->last;
		}
	return 0;
}

/*
 * A process is forked before it forks, so one pass backwards in time finds all ancestors. At a
 * fork, the process that has the child's pid begins, and the process that had this pid before has
 * ended.
 */
static int find_ancestors(struct only_tasks *o)
{
	size_t i;
	int err = 0;

	for (i = o->nr_forks; !err && i--;) {
		const struct forked *fork = &o->forks[i];
		struct life *l = find_life(o, fork->child);

		if (!l || l->begin)
			continue;
		if (fork->time > l->last) {
			l->end = fork->time - 1;
			continue;
		}
		if (fork->time <= l->first)
			l->begin = fork->time;
		if (!find_life(o, fork->parent))
			err = add_life(o, fork->parent, &(struct life){
				.end = fork->time, .first = fork->time, .last = fork->time });
	}
	return err;
}

/*
 * A late id (record/late_ids.c) has the name of a file, but no process. So note which files the
 * processes of the snapshot map.
 */
static int note_file(void *ctx, const struct perf_event_header *rec)
{
	const char *name = (const char *)rec + REC_MMAP2_NAME;
	struct only_tasks *o = ctx;

	if (rec->type != PERF_RECORD_MMAP2 || !only_tasks_keeps(o, rec))
		return 0;
	return read_map_set(&o->files, hash_string(name), 0);
}

int only_tasks_find(struct session *s, struct only_tasks **only)
{
	struct only_tasks *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	*only = o;
	err = add_triggers(o, s->flight->writing);
	if (!err)
		err = recent_emit_sideband(s->flight->recent, collect, o);
	if (!err)
		err = find_ancestors(o);
	if (!err)
		err = recent_emit_state(s->flight->recent, note_file, o);
	return err ?: recent_emit_sideband(s->flight->recent, note_file, o);
}

bool only_tasks_has(const struct only_tasks *o, __u32 pid, __u64 time)
{
	return !o || has_triggered(o, pid, time);
}

int only_tasks_check(const struct session *s, struct diag *d)
{
	size_t i;

	if (!s->opt->flight.only_task)
		return 0;
	if (s->opt->cgroups)
		return diag(d, -EOPNOTSUPP,
			    "--only-trigger-task: --all-cgroups has the names of all cgroups, which tell what others run: leave one of them out");
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
	const __u64 time = flight_record_time(rec);

	if (!o)
		return true;
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return has_triggered(o, r->sample_pid, time);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_ITRACE_START:
		/*
		 * Pid -1: the kernel's own maps. Pid 0 is the idle task, of which readers need
		 * nothing. In a PID namespace, pid 0 is any task outside of the namespace, too.
		 */
		return r->pid == ~0U || is_known(o, r->pid, time);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return has_triggered(o, context_of(rec), time);
	case REC_BUILD_ID:
		return read_map_get(&o->files, hash_string((const char *)rec + REC_BUILD_ID_NAME),
				    NULL);
	default:
		return true;
	}
}
