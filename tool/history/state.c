// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of tasks: the result of all sideband up to a time. The kernel's part of the state is in
 * history/state_kernel.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stream/records.h"
#include "history/state.h"
#include "history/state_kernel.h"
#include "history/state_maps.h"
#include "history/state_namespaces.h"
#include "base/util.h"

#define COMM_LEN	16

struct task_ids {	/* FORK, EXIT */
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
};

struct comm {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct thread {
	__u32 tid;
	bool exited;			/* the first thread has exited, its process goes on */
	bool named;			/* @comm is known */
	bool leaving;			/* its EXIT has come */
	bool missed;			/* did not exist at the last state_bury() */
	char comm[COMM_LEN];
	struct state_namespaces *namespaces;	/* NULL: not known */
};

struct process {
	__u32 pid;
	__u32 ppid;
	__u64 number;			/* unlike a pid, it is not used again */
	__u64 parent;			/* @number of the parent, 0: was not known */
	struct state_maps *maps;
	void *threads;			/* tree of struct thread */
	size_t nr_threads;		/* threads that have not exited */
};

/* A thread whose EXIT has come */
struct leaving {
	struct leaving *next;
	__u64 time;
	__u64 number;			/* the field @number of its process */
	__u32 pid, tid;
};

struct state {
	void *processes;		/* tree of struct process */
	struct leaving *leaving, **leaving_end;
	void *namespaces;		/* tree of all sets, see state_namespaces.h */
	struct state_kernel kernel;
	struct rec_sample_id id;	/* for records that the state makes */
	__u64 number;			/* @number of the last process */
	size_t nr_processes;
	size_t nr_threads;
	size_t bytes;
	size_t most_maps;		/* of a process, since the last state_prune() */
};

#define PROCESS_BYTES	(sizeof(struct process) + TREE_COST + ALLOC_COST)
#define THREAD_BYTES	(sizeof(struct thread) + TREE_COST + ALLOC_COST)

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct process *find_process(const struct state *st, __u32 pid)
{
	const struct process key = { .pid = pid };
	struct process **node = tfind(&key, &st->processes, by_pid);

	return node ? *node : NULL;
}

static struct process *get_process(struct state *st, __u32 pid)
{
	struct process *p = find_process(st, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->number = ++st->number;
	if (!tsearch(p, &st->processes, by_pid)) {
		free(p);
		return NULL;
	}
	st->nr_processes++;
	st->bytes += PROCESS_BYTES;
	return p;
}

static struct thread *find_thread(const struct process *p, __u32 tid)
{
	const struct thread key = { .tid = tid };
	struct thread **node = p ? tfind(&key, &p->threads, by_tid) : NULL;

	return node ? *node : NULL;
}

static struct thread *get_thread(struct state *st, struct process *p, __u32 tid)
{
	struct thread *t = find_thread(p, tid);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	if (!tsearch(t, &p->threads, by_tid)) {
		free(t);
		return NULL;
	}
	p->nr_threads++;
	st->nr_threads++;
	st->bytes += THREAD_BYTES;
	return t;
}

static void set_namespaces(struct state *st, struct thread *t,
			   struct state_namespaces *namespaces)
{
	state_namespaces_put(&st->namespaces, t->namespaces, &st->bytes);
	t->namespaces = namespaces;
}

static void free_thread(struct state *st, struct process *p, struct thread *t)
{
	set_namespaces(st, t, NULL);
	tdelete(t, &p->threads, by_tid);
	p->nr_threads -= !t->exited;
	st->nr_threads -= !t->exited;
	st->bytes -= THREAD_BYTES;
	free(t);
}

static void free_process(struct state *st, struct process *p)
{
	while (p->threads)
		free_thread(st, p, *(struct thread **)p->threads);
	state_maps_put(p->maps, &st->bytes);
	tdelete(p, &st->processes, by_pid);
	st->nr_processes--;
	st->bytes -= PROCESS_BYTES;
	free(p);
}

struct state *state_new(void)
{
	struct state *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	st->bytes = sizeof(*st);
	st->leaving_end = &st->leaving;
	return st;
}

void state_limit_types(struct state *st, size_t bytes)
{
	st->kernel.types_limit = bytes;
}

void state_free(struct state *st)
{
	if (!st)
		return;
	state_end_exited(st, ~0ULL);
	while (st->processes)
		free_process(st, *(struct process **)st->processes);
	state_kernel_free(&st->kernel, &st->bytes);
	free(st);
}

/* --- fold records ---------------------------------------------------------- */

/*
 * As in perf's readers (thread__fork()): a thread gets its parent's name. A process also gets
 * its parent's maps, unless the record describes a task from before the recording.
 */
static int fold_fork(struct state *st, const struct task_ids *rec)
{
	struct process *parent = find_process(st, rec->ppid), *p;
	const struct thread *from = find_thread(parent, rec->ptid);
	struct thread *t;

	p = find_process(st, rec->pid);
	/*
	 * If the new process exists already, the EXIT of the old one was lost, and its pid is used
	 * again. The exception is a recorder in a PID namespace: for it, all tasks outside of the
	 * namespace have pid 0 (perf_event_pid()) and are their own parents.
	 */
	if (p && p != parent && rec->pid == rec->tid)
		free_process(st, p);
	if (rec->pid == rec->ppid && !parent)
		from = NULL;
	p = get_process(st, rec->pid);
	if (!p)
		return -ENOMEM;
	if (rec->pid == rec->tid) {
		p->ppid = rec->ppid;
		p->parent = parent ? parent->number : 0;
	}
	t = find_thread(p, rec->tid);
	if (t && t != from && rec->pid != rec->tid)
		free_thread(st, p, t);
	t = get_thread(st, p, rec->tid);
	if (!t)
		return -ENOMEM;
	if (from && from != t) {
		t->named = from->named;
		memcpy(t->comm, from->comm, sizeof(t->comm));
	}
	if (rec->pid != rec->ppid && parent &&
	    !(rec->header.misc & REC_MISC_FORK_EXEC)) {
		state_maps_put(p->maps, &st->bytes);
		p->maps = state_maps_get(parent->maps);
	}
	return 0;
}

static int fold_exit(struct state *st, const struct task_ids *rec)
{
	const struct process *p = find_process(st, rec->pid);
	struct thread *t = find_thread(p, rec->tid);
	struct rec_sample_id id;
	struct leaving *l;

	if (!t || t->exited || t->leaving)
		return 0;
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	memcpy(&id, (const char *)rec + rec->header.size - sizeof(id), sizeof(id));
	*l = (struct leaving){
		.time = id.time, .number = p->number, .pid = rec->pid, .tid = rec->tid,
	};
	*st->leaving_end = l;
	st->leaving_end = &l->next;
	st->bytes += sizeof(*l) + ALLOC_COST;
	t->leaving = true;
	return 0;
}

static void end_task(struct state *st, struct process *p, struct thread *t)
{
	if (t->tid == p->pid) {
		t->exited = true;
		t->leaving = false;
		p->nr_threads--;
		st->nr_threads--;
	} else {
		free_thread(st, p, t);
	}
	if (!p->nr_threads)
		free_process(st, p);
}

void state_end_exited(struct state *st, __u64 time)
{
	while (st->leaving && st->leaving->time < time) {
		struct leaving *l = st->leaving;
		struct process *p = find_process(st, l->pid);
		struct thread *t = find_thread(p, l->tid);

		/* Another task may have the exited task's pid and tid by now. */
		if (t && t->leaving && p->number == l->number)
			end_task(st, p, t);
		st->leaving = l->next;
		if (!st->leaving)
			st->leaving_end = &st->leaving;
		st->bytes -= sizeof(*l) + ALLOC_COST;
		free(l);
	}
}

/*
 * After execve(), only the thread that called it is left. This thread takes the tid of the first
 * thread, whose EXIT may have come. No EXIT will come for the thread's old tid (de_thread()).
 */
static int fold_exec(struct state *st, struct process *p, struct thread *t)
{
	state_maps_put(p->maps, &st->bytes);
	p->maps = NULL;
	t->leaving = false;
	if (t->exited) {
		t->exited = false;
		p->nr_threads++;
		st->nr_threads++;
	}
	if (t->tid != p->pid || p->nr_threads == 1)
		return 0;
	tdelete(t, &p->threads, by_tid);
	while (p->threads)
		free_thread(st, p, *(struct thread **)p->threads);
	if (tsearch(t, &p->threads, by_tid))
		return 0;
	set_namespaces(st, t, NULL);
	st->nr_threads--;
	st->bytes -= THREAD_BYTES;
	free(t);
	free_process(st, p);
	return -ENOMEM;
}

static int fold_comm(struct state *st, const struct comm *rec)
{
	struct process *p = get_process(st, rec->pid);
	struct thread *t = p ? get_thread(st, p, rec->tid) : NULL;

	if (!t)
		return -ENOMEM;
	if (rec->header.misc & PERF_RECORD_MISC_COMM_EXEC && fold_exec(st, p, t))
		return -ENOMEM;
	memset(t->comm, 0, sizeof(t->comm));
	strncpy(t->comm, rec->comm, sizeof(t->comm) - 1);
	t->named = true;
	t->missed = false;
	return 0;
}

static int fold_map(struct state *st, const struct perf_event_header *rec)
{
	__u32 ids[2];
	struct process *p;

	memcpy(ids, rec + 1, sizeof(ids));
	if (ids[0] == (__u32)-1)
		return state_maps_add(&st->kernel.maps, rec, &st->bytes);
	p = get_process(st, ids[0]);
	/* If the thread's FORK was lost, make the thread, or its EXIT would have no effect. */
	if (!p || !get_thread(st, p, ids[1]) || state_maps_add(&p->maps, rec, &st->bytes))
		return -ENOMEM;
	if (p->maps->nr > st->most_maps)
		st->most_maps = p->maps->nr;
	return 0;
}

static int fold_namespaces(struct state *st, const struct perf_event_header *rec)
{
	const struct comm *ids = (const void *)rec;
	struct process *p = get_process(st, ids->pid);
	struct thread *t = p ? get_thread(st, p, ids->tid) : NULL;
	struct state_namespaces *set;

	if (!t)
		return -ENOMEM;
	set = state_namespaces_get(&st->namespaces, rec, &st->bytes);
	if (!set)
		return -ENOMEM;
	set_namespaces(st, t, set);
	return 0;
}

int state_fold(struct state *st, const struct perf_event_header *rec)
{
	int err;

	switch (rec->type) {
	case PERF_RECORD_FORK:
		err = fold_fork(st, (const void *)rec);
		break;
	case PERF_RECORD_EXIT:
		err = fold_exit(st, (const void *)rec);
		break;
	case PERF_RECORD_COMM:
		err = fold_comm(st, (const void *)rec);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		err = fold_map(st, rec);
		break;
	case PERF_RECORD_NAMESPACES:
		err = fold_namespaces(st, rec);
		break;
	default:
		return state_kernel_fold(&st->kernel, rec, &st->bytes);
	}
	if (!err)
		memcpy(&st->id, (const char *)rec + rec->size - sizeof(st->id),
		       sizeof(st->id));
	return err;
}

/* --- emit records ---------------------------------------------------------- */

struct emit {
	const struct state *st;
	const struct process *process;
	__u64 time;
	state_fn fn;
	void *ctx;
	int err;
	union {
		struct perf_event_header header;
		struct task_ids ids;
		struct comm comm;
		struct {
			struct perf_event_header header;
			__u32 pid, tid;
			__u64 list[];
		} namespaces;
		__u8 bytes[REC_SIZE_MAX];
	} rec;
};

/*
 * The record ends with its sample id, which names no event, as in records that readers make
 * themselves: the event that wrote the record may be closed because its CPU went offline, and
 * readers refuse an id that they do not know.
 */
static void emit_record(struct emit *e)
{
	struct rec_sample_id *id = (void *)(e->rec.bytes + e->rec.header.size -
					    sizeof(*id));

	id->time = e->time;
	id->id = 0;
	e->err = e->fn(e->ctx, &e->rec.header);
}

static void emit_made(struct emit *e, __u32 type, __u16 misc, size_t size, __u32 tid)
{
	struct rec_sample_id *id = (void *)(e->rec.bytes + size);

	*id = e->st->id;
	id->pid = e->process->pid;
	id->tid = tid;
	e->rec.header = (struct perf_event_header){ type, misc, size + sizeof(*id) };
	emit_record(e);
}

static void emit_copy(struct emit *e, const struct perf_event_header *rec)
{
	memcpy(e->rec.bytes, rec, rec->size);
}

/* A process whose parent has ended is another process's child by now, usually that of process 1. */
static __u32 parent_of(const struct emit *e)
{
	const struct process *p = e->process;
	const struct process *parent = find_process(e->st, p->ppid);

	return !p->parent || (parent && parent->number == p->parent) ? p->ppid : 1;
}

/*
 * Emit the FORK and COMM of a thread whose name is known. If records were lost and the name is
 * not known, there must be no FORK: it would give the thread its parent's name, which may be
 * wrong.
 */
static void emit_name(struct emit *e, const struct thread *t)
{
	const __u32 pid = e->process->pid;
	const __u32 from = t->tid == pid ? parent_of(e) : pid;

	e->rec.ids.pid = pid;
	e->rec.ids.ppid = from;
	e->rec.ids.tid = t->tid;
	e->rec.ids.ptid = from;
	e->rec.ids.time = e->time;
	emit_made(e, PERF_RECORD_FORK, REC_MISC_FORK_EXEC, sizeof(e->rec.ids), t->tid);
	if (e->err)
		return;
	e->rec.comm.pid = pid;
	e->rec.comm.tid = t->tid;
	memcpy(e->rec.comm.comm, t->comm, sizeof(t->comm));
	/* The kernel pads the name in the same way (perf_event_comm_event()). */
	emit_made(e, PERF_RECORD_COMM, 0,
		  sizeof(e->rec.comm) + ALIGN8(strlen(t->comm) + 1), t->tid);
}

static void emit_namespaces(struct emit *e, const struct thread *t)
{
	const struct state_namespaces *set = t->namespaces;

	e->rec.namespaces.pid = e->process->pid;
	e->rec.namespaces.tid = t->tid;
	memcpy(e->rec.namespaces.list, set->list, set->size);
	emit_made(e, PERF_RECORD_NAMESPACES, 0, sizeof(e->rec.namespaces) + set->size, t->tid);
}

static void emit_thread(struct emit *e, const struct thread *t)
{
	if (t->named)
		emit_name(e, t);
	if (!e->err && t->namespaces)
		emit_namespaces(e, t);
}

static void emit_node(const void *node, VISIT which, void *ctx)
{
	const struct thread *t = *(struct thread * const *)node;
	struct emit *e = ctx;

	if ((which == postorder || which == leaf) && !e->err &&
	    t->tid != e->process->pid)
		emit_thread(e, t);
}

static void emit_maps(struct emit *e, const struct state_maps *maps, __u32 pid)
{
	size_t i;

	for (i = 0; !e->err && maps && i < maps->nr; i++) {
		emit_copy(e, maps->list[i]->rec);
		/* An ancestor may have made the map before the fork. */
		if (pid != (__u32)-1) {
			memcpy(&e->rec.header + 1, &pid, sizeof(pid));
			memcpy((__u8 *)(&e->rec.header + 1) + 4, &pid, sizeof(pid));
		}
		emit_record(e);
	}
}

static void emit_process(const void *node, VISIT which, void *ctx)
{
	const struct process *p = *(struct process * const *)node;
	const struct thread *first = find_thread(p, p->pid);
	struct emit *e = ctx;

	if ((which != postorder && which != leaf) || e->err)
		return;
	e->process = p;
	if (first)
		emit_thread(e, first);
	twalk_r(p->threads, emit_node, e);
	emit_maps(e, p->maps, p->pid);
}

int state_emit(const struct state *st, __u64 time, state_fn fn, void *ctx)
{
	struct emit *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	*e = (struct emit){ .st = st, .time = time, .fn = fn, .ctx = ctx };
	emit_maps(e, st->kernel.maps, -1);
	if (!e->err)
		e->err = state_kernel_emit(&st->kernel, time, fn, ctx);
	twalk_r(st->processes, emit_process, e);
	err = e->err;
	free(e);
	return err;
}

static void count_process(const void *node, VISIT which, void *ctx)
{
	const struct process *p = *(struct process * const *)node;
	struct state_stats *stats = ctx;

	if (which == postorder || which == leaf)
		stats->maps += p->maps ? p->maps->nr : 0;
}

void state_stats(const struct state *st, struct state_stats *stats)
{
	*stats = (struct state_stats){
		.bytes = st->bytes,
		.processes = st->nr_processes,
		.threads = st->nr_threads,
		.maps = st->kernel.maps ? st->kernel.maps->nr : 0,
		.symbols = st->kernel.nr_symbols,
		.cgroups = st->kernel.nr_cgroups,
	};
	twalk_r(st->processes, count_process, stats);
}

const char *state_name(const struct state *st, __u32 pid, __u32 tid)
{
	const struct thread *t = find_thread(find_process(st, pid), tid);

	return t && t->named ? t->comm : NULL;
}

size_t state_bytes(const struct state *st)
{
	return st->bytes;
}

size_t state_most_maps(const struct state *st)
{
	return st->most_maps;
}

/* --- forget maps that were unmapped ---------------------------------------- */

/* A process with fewer maps is not worth a look. */
#define MAPS_FEW	32

struct prune {
	struct state *st;
	const struct state_ask *ask;
	size_t least;
	const struct process *most;
	size_t dropped;
};

/* Skip shared sets, which belong to forks that have mapped nothing since. */
static void prune_process(const void *node, VISIT which, void *ctx)
{
	const struct process *p = *(struct process * const *)node;
	struct prune *prune = ctx;

	if ((which != postorder && which != leaf) || !p->maps || p->maps->refs > 1 ||
	    p->maps->nr <= prune->least || !prune->ask->begin(prune->ask->ctx, p->pid))
		return;
	prune->dropped += state_maps_filter(p->maps, prune->ask->mapped, prune->ask->ctx,
					    &prune->st->bytes);
}

static void find_most(const void *node, VISIT which, void *ctx)
{
	const struct process *p = *(struct process * const *)node;
	struct prune *prune = ctx;

	if ((which == postorder || which == leaf) && p->maps && p->maps->nr > MAPS_FEW &&
	    (!prune->most || p->maps->nr > prune->most->maps->nr))
		prune->most = p;
}

size_t state_prune(struct state *st, const struct state_ask *ask, size_t least)
{
	struct prune prune = {
		.st = st, .ask = ask, .least = least > MAPS_FEW ? least : MAPS_FEW,
	};

	twalk_r(st->processes, prune_process, &prune);
	twalk_r(st->processes, find_most, &prune);
	st->most_maps = prune.most ? prune.most->maps->nr : 0;
	return prune.dropped;
}

/* --- forget tasks whose EXIT was lost --------------------------------------- */

struct bury {
	const struct state_ask *ask;
	bool sure;
	const struct process *process;
	struct grave {
		__u32 pid, tid;
	} *graves;
	size_t nr;
};

static void look_for_thread(const void *node, VISIT which, void *ctx)
{
	struct thread *t = *(struct thread * const *)node;
	struct bury *b = ctx;
	bool missed;

	if ((which != postorder && which != leaf) || t->exited || t->leaving)
		return;
	missed = t->missed;
	t->missed = !b->ask->lives(b->ask->ctx, b->process->pid, t->tid);
	/* If there is no memory, the next call forgets the thread. */
	if (!t->missed || !missed || !b->sure ||
	    grow((void **)&b->graves, b->nr, sizeof(*b->graves)))
		return;
	b->graves[b->nr++] = (struct grave){ b->process->pid, t->tid };
}

static void look_for_threads(const void *node, VISIT which, void *ctx)
{
	struct bury *b = ctx;

	if (which != postorder && which != leaf)
		return;
	b->process = *(struct process * const *)node;
	twalk_r(b->process->threads, look_for_thread, b);
}

size_t state_bury(struct state *st, const struct state_ask *ask, bool sure)
{
	struct bury b = { .ask = ask, .sure = sure };
	size_t i;

	twalk_r(st->processes, look_for_threads, &b);
	for (i = 0; i < b.nr; i++) {
		struct process *p = find_process(st, b.graves[i].pid);

		end_task(st, p, find_thread(p, b.graves[i].tid));
	}
	free(b.graves);
	return i;
}

/* --- forget cgroups that were removed --------------------------------------- */

bool state_look_for_cgroups(struct state *st, const struct state_ask *ask, size_t nr,
			    __u64 time)
{
	return state_kernel_look(&st->kernel, ask, nr, time);
}

void state_forget_cgroups(struct state *st, __u64 time)
{
	state_kernel_forget(&st->kernel, time, &st->bytes);
}

void state_shrink_cgroups(struct state *st, size_t nr)
{
	state_kernel_shrink(&st->kernel, nr, &st->bytes);
}

size_t state_cgroups(const struct state *st, bool gone)
{
	return st->kernel.nr_cgroups - (gone ? 0 : st->kernel.nr_gone);
}

/* --- forget maps that may exist ---------------------------------------------- */

static bool every_other(void *ctx, __u64 start, __u64 last)
{
	size_t *n = ctx;

	(void)start;
	(void)last;
	return ++*n & 1;
}

size_t state_shrink(struct state *st)
{
	struct prune prune = { .st = st };
	size_t n = 0;

	twalk_r(st->processes, find_most, &prune);
	return prune.most ? state_maps_filter(prune.most->maps, every_other, &n,
					      &st->bytes) : 0;
}
