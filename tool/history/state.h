/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the records of a recording have said up to some time, without these records:
 * tasks with their names, namespaces and maps, the kernel's maps and symbols, programs of
 * BPF, cgroups. A snapshot begins with it, in place of all that came before.
 *
 * Memory follows the tasks that live, and what they have mapped; what is inherited is
 * shared until it changes.
 */
#ifndef AUXREC_STATE_H
#define AUXREC_STATE_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct state;

/* NULL: no memory. */
struct state *state_new(void);
void state_free(struct state *st);

/* Of types of BPF programs (BTF) so many bytes stay, the newest; otherwise some MiB. */
void state_limit_types(struct state *st, size_t bytes);

/*
 * state_fold() - what a record of the kernel says becomes part of the state
 * @rec: of a main ring or made like one, with struct rec_sample_id at its end. Those of
 *	other types than sideband are passed over.
 *
 * Records must come in the order of their times. An EXIT alone does not end what is known
 * of its task, which goes on for a while (perf_event_exit_task() is not the last that
 * do_exit() does), and may have samples: state_end_exited() does.
 *
 * Return: 0 or -ENOMEM: then the record is not part of the state.
 */
int state_fold(struct state *st, const struct perf_event_header *rec);

/* Forgets tasks whose EXIT is older than @time. */
void state_end_exited(struct state *st, __u64 time);

/*
 * state_emit() - the records that bring a reader to this state
 * @time: that they have, for readers that sort
 *
 * Their sample ids name no event.
 *
 * Return: 0, or what @fn returned.
 */
typedef int (*state_fn)(void *ctx, const struct perf_event_header *rec);
int state_emit(const struct state *st, __u64 time, state_fn fn, void *ctx);

/*
 * state_prune() - forgets maps that are there no more: no record says when one is unmapped
 * @ask: what a process has mapped now
 * @least: of those that have more maps than that
 *
 * state_bury() - forgets tasks that are there no more, as their EXIT was lost
 * @ask: which are there now
 * @sure: whose EXIT came before the last call of this has been folded. What was not there
 *	then either is forgotten; else it is only noted.
 *
 * state_shrink() - forgets half of the maps of the process that has most of them
 *
 * Return: how many were forgotten.
 */
struct state_ask {
	/* Is the task there? */
	bool (*lives)(void *ctx, __u32 pid, __u32 tid);
	/* False: nothing is known of it. */
	bool (*begin)(void *ctx, __u32 pid);
	/* Of the process that was begun: is something mapped between these, both included? */
	bool (*mapped)(void *ctx, __u64 start, __u64 last);
	/* Is the cgroup there, or nothing known of it? */
	bool (*cgroup)(void *ctx, __u64 id, const char *path);
	void *ctx;
};

size_t state_prune(struct state *st, const struct state_ask *ask, size_t least);
size_t state_bury(struct state *st, const struct state_ask *ask, bool sure);
size_t state_shrink(struct state *st);

/*
 * state_look_for_cgroups() - notes cgroups that are there no more: no record says when one
 * is removed
 * @nr: at most so many are asked for, behind those of the last call
 * @time: now; who was in it may have records up to then
 *
 * Return: whether all have been asked for; then the next call begins anew.
 *
 * state_forget_cgroups() - forgets those that were noted before @time
 *
 * state_shrink_cgroups() - forgets the oldest, until no more than @nr are left
 */
bool state_look_for_cgroups(struct state *st, const struct state_ask *ask, size_t nr,
			    __u64 time);
void state_forget_cgroups(struct state *st, __u64 time);
void state_shrink_cgroups(struct state *st, size_t nr);

/* How many there are, as far as is known; @gone: with those that were noted. */
size_t state_cgroups(const struct state *st, bool gone);

/* The name of a task; NULL: not told. */
const char *state_name(const struct state *st, __u32 pid, __u32 tid);

struct state_stats {
	size_t	bytes;		/* of memory */
	size_t	processes;
	size_t	threads;
	size_t	maps;		/* each as often as it is mapped */
	size_t	symbols;	/* of the kernel */
	size_t	cgroups;	/* those that are gone, too */
};

/* Goes through all processes. */
void state_stats(const struct state *st, struct state_stats *stats);

/* Of memory; the most maps that a process has had since the last state_prune(). */
size_t state_bytes(const struct state *st);
size_t state_most_maps(const struct state *st);

#endif /* AUXREC_STATE_H */
