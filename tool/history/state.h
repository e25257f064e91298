/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state: the result of all sideband up to a time. It has tasks with their names,
 * namespaces and maps, the kernel's maps and symbols, BPF programs, and cgroups. A snapshot
 * begins with the state, which replaces all sideband from before that time.
 *
 * The memory of the state follows the number of living tasks and of their maps. A task shares
 * inherited maps and namespaces with other tasks until they change.
 */
#ifndef AUXREC_STATE_H
#define AUXREC_STATE_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct state;

/* Return NULL if there is no memory. */
struct state *state_new(void);
void state_free(struct state *st);

/* Keep at most this many bytes of types of BPF programs (BTF), the newest. Default: some MiB. */
void state_limit_types(struct state *st, size_t bytes);

/*
 * state_fold() - make a sideband record part of the state
 * @rec: a record of a main ring or one made like it, with struct rec_sample_id at its end; or
 *	a FEATURE or BUILD_ID. Records of other types are ignored.
 *
 * Records must come in the order of their times. An EXIT does not remove its task from the
 * state, because the task goes on for a while (perf_event_exit_task() is not the last step of
 * do_exit()) and may have samples. state_end_exited() removes the task.
 *
 * Return: 0, or -ENOMEM if the record is not part of the state.
 */
int state_fold(struct state *st, const struct perf_event_header *rec);

/* Forget tasks whose EXIT is older than @time. */
void state_end_exited(struct state *st, __u64 time);

/*
 * state_emit() - call @fn for records that bring a reader to this state
 * @time: the time of all these records, for readers that sort
 *
 * The sample ids of these records name no event.
 *
 * Return: 0, -ENOMEM, or what @fn returned.
 */
typedef int (*state_fn)(void *ctx, const struct perf_event_header *rec);
int state_emit(const struct state *st, __u64 time, state_fn fn, void *ctx);

/*
 * state_prune() - forget maps that do not exist any more: no record tells when one is unmapped
 * @ask: tells what a process has mapped now
 * @least: look only at processes with more maps than this
 *
 * state_bury() - forget tasks that do not exist any more, because their EXIT was lost
 * @ask: tells which tasks exist now
 * @sure: has every EXIT that came before the last call been folded by now? If so, forget each task
 *	that existed neither at the last call nor now. Otherwise, only note such tasks.
 *
 * state_shrink() - forget half of the maps of the process that has the most maps
 *
 * Return: how many maps or tasks were forgotten.
 */
struct state_ask {
	/* Does the task exist? */
	bool (*lives)(void *ctx, __u32 pid, __u32 tid);
	/* Read the maps of a process, for @mapped. Return false if they are not known. */
	bool (*begin)(void *ctx, __u32 pid);
	/* Does the process of @begin have a map between @start and @last, both included? */
	bool (*mapped)(void *ctx, __u64 start, __u64 last);
	/* Does the cgroup exist, or is that not known? */
	bool (*cgroup)(void *ctx, __u64 id, const char *path);
	void *ctx;
};

size_t state_prune(struct state *st, const struct state_ask *ask, size_t least);
size_t state_bury(struct state *st, const struct state_ask *ask, bool sure);
size_t state_shrink(struct state *st);

/*
 * state_look_for_cgroups() - note cgroups that do not exist any more: no record tells when one
 * is removed
 * @nr: ask for at most this many cgroups, which follow those of the last call
 * @time: now. A task that was in a removed cgroup may have records up to this time
 *
 * Return: true if all cgroups have been asked for. Then the next call begins anew.
 *
 * state_forget_cgroups() - forget cgroups that were noted before @time
 *
 * state_shrink_cgroups() - forget the oldest cgroups, until no more than @nr are left
 */
bool state_look_for_cgroups(struct state *st, const struct state_ask *ask, size_t nr,
			    __u64 time);
void state_forget_cgroups(struct state *st, __u64 time);
void state_shrink_cgroups(struct state *st, size_t nr);

/* Return the number of cgroups. @gone: include those that were noted. */
size_t state_cgroups(const struct state *st, bool gone);

/* Return the name of a task; NULL: not known. */
const char *state_name(const struct state *st, __u32 pid, __u32 tid);

struct state_stats {
	size_t	bytes;		/* of memory */
	size_t	processes;
	size_t	threads;
	size_t	maps;		/* a shared map counts for each process */
	size_t	symbols;	/* of the kernel */
	size_t	cgroups;	/* including those that were noted as removed */
};

/* Fill @stats. This goes through all processes, so it takes time. */
void state_stats(const struct state *st, struct state_stats *stats);

/* Return the bytes of memory in use. */
size_t state_bytes(const struct state *st);
/* Return the most maps that a process has had since the last state_prune(). */
size_t state_most_maps(const struct state *st);

#endif /* AUXREC_STATE_H */
