/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records of a recording, in bounded memory. Samples are kept in the order in which they
 * came. Sideband (records of tasks, maps, symbols) is kept apart from them, in order of time.
 * Sideband that becomes too old is folded into the state (history/state.h), and samples are
 * forgotten. Samples, sideband and state share one memory without fixed parts: if it is full, the
 * oldest record goes, whatever its kind is.
 */
#ifndef AUXREC_RECENT_H
#define AUXREC_RECENT_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "history/state.h"

struct recent;

struct recent_limits {
	size_t	memory;		/* bytes for samples, sideband and state */
	__u64	window;		/* ns, how old a record may be; 0: any age */
	__u64	linger;		/* ns for which a task is known after its EXIT */
	size_t	block;		/* bytes of records in a packed block; 0: do not pack */
	__u64	late;		/* ns; sideband is packed this long after its time is settled */
	bool	names;		/* recent_name() will be used */
};

struct recent_stats {
	size_t	bytes;		/* memory in use, the state included */
	size_t	of_samples;	/* part of @bytes, as the next two */
	size_t	of_sideband;
	size_t	of_state;
	__u64	begin;		/* records from this time on are complete, 0: all are */
	__u64	oldest;		/* older records are in the state, or are forgotten */
	__u64	samples;	/* number of samples that are kept */
	__u64	sideband;	/* number of sideband records that are kept */
	__u64	forgotten;	/* records, not sideband, that are not kept */
	__u64	too_large;	/* of @forgotten: too large for the memory when they came */
	size_t	cgroups;	/* whose names are in the state */
};

/* Return NULL if there is no memory. */
struct recent *recent_new(const struct recent_limits *limits);
void recent_free(struct recent *r);

/*
 * recent_add() - keep a record
 * @rec: a record of a main ring, with sample id
 * @time: its time. Records of one CPU come in order, those of several CPUs nearly in order
 *
 * Return: 0 or -ENOMEM.
 */
int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time);

/*
 * Fold a record that describes the time before all other records into the state, immediately.
 * Return 0 or -ENOMEM.
 */
int recent_fold(struct recent *r, const struct perf_event_header *rec);

/* Return how much memory it takes to pack blocks of this size. recent_limits.memory excludes it. */
size_t recent_packing(size_t block);

/*
 * Return the name that a task has now, or NULL. This requires recent_limits.names. recent_name()
 * searches all sideband that is not settled. The name is valid until the next call of any function
 * of this header.
 */
const char *recent_name(const struct recent *r, __u32 pid, __u32 tid);

/* Is the record sideband? */
bool recent_is_sideband(const struct perf_event_header *rec);
/* Return how much memory a record of @size bytes takes, if it is not sideband. */
size_t recent_sample_size(size_t size);

/*
 * Fold or forget records older than @begin, as recent_trim() does, but stop if the state becomes
 * too large. Only a child process calls this. It has the records that the recorder had at the fork,
 * and memory that it writes to exists twice. Return 0 or -ENOMEM.
 */
int recent_cut(struct recent *r, __u64 begin, __u64 settled);

/*
 * recent_share() - prepare to share all records with a child, which is about to be forked
 * @cut: @begin of the child's recent_cut()
 * @settled, @wanted: as for recent_trim()
 *
 * Until recent_unshare(), shared memory that one of the two processes changes exists twice. The
 * limit includes both copies. If they would exceed the limit, recent_share() lets the oldest
 * records go.
 *
 * recent_room() - return the memory for records that come meanwhile, and for what they add to the
 *	state, in bytes
 *
 * Return: 0 or -ENOMEM.
 */
int recent_share(struct recent *r, __u64 cut, __u64 settled, __u64 wanted);
size_t recent_room(const struct recent *r);
void recent_unshare(struct recent *r);

/*
 * recent_trim() - fold or forget records that are too old, or that exceed the memory
 * @now: the window ends here
 * @settled: records of an earlier time will not come any more. Records from this time on are
 *	not folded, whatever the limits are
 * @wanted: the raw ring has data from this time on, which refers to tasks. Older sideband can
 *	be folded. ~0: there is no such data
 *
 * Return: 0 or -ENOMEM.
 */
int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted);

/*
 * recent_is_over() - is the state larger than its part of the memory, or has a process very many
 * maps? Some of these maps may not exist any more
 * @look: if false, check only the number of maps, which costs little
 *
 * recent_shrink() - make the state smaller
 * @ask: see history/state.h
 *
 * Forget tasks and maps that do not exist any more and, if that does not suffice, other maps.
 * Return: how many maps that may still exist were forgotten.
 */
size_t recent_shrink(struct recent *r, const struct state_ask *ask);
bool recent_is_over(const struct recent *r, bool look);

/*
 * recent_wants_cgroups() - are there many cgroups, so that it is time to look for removed ones?
 *
 * recent_look_for_cgroups() - do a part of this look
 * @ask: see history/state.h; NULL: nobody can tell. Then only the newest cgroups are kept
 * @now: the time
 *
 * A cgroup that was removed is forgotten when no record is left that can refer to it.
 */
bool recent_wants_cgroups(const struct recent *r);
void recent_look_for_cgroups(struct recent *r, const struct state_ask *ask, __u64 now);

/*
 * Emit the state as of the oldest record; the sideband since then, in order of time; samples
 * from recent_stats.begin on, in the order in which they came. Each function returns 0, -ENOMEM,
 * or what @fn returned.
 */
int recent_emit_state(const struct recent *r, state_fn fn, void *ctx);
int recent_emit_sideband(const struct recent *r, state_fn fn, void *ctx);
int recent_emit_samples(const struct recent *r, state_fn fn, void *ctx);

void recent_stats(const struct recent *r, struct recent_stats *stats);

#endif /* AUXREC_RECENT_H */
