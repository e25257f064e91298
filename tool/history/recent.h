/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records of a recording, in bounded memory: samples as they came, and beside them what
 * tells of tasks, maps and symbols, in order of time. What becomes too old is folded into the state
 * (state.h), samples are forgotten. All of them have one memory, of which each has what it needs:
 * if that is full, the oldest goes, whatever it is.
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
	size_t	memory;		/* bytes, for all of it */
	__u64	window;		/* ns, how old a record may be; 0: any age */
	__u64	linger;		/* ns, for which tasks are known after their EXIT */
	size_t	block;		/* bytes that are packed at once when half is full; 0: none are */
	__u64	late;		/* ns, so much older than what is settled is what is packed */
	bool	names;		/* recent_name() is wanted */
};

struct recent_stats {
	size_t	bytes;		/* of memory, the state included */
	size_t	of_samples;	/* of these, and so on */
	size_t	of_sideband;
	size_t	of_state;
	__u64	begin;		/* records from this time on are all there, 0: all */
	__u64	oldest;		/* what is older is in the state, or is gone */
	__u64	samples;	/* records that are there */
	__u64	sideband;
	__u64	forgotten;	/* samples and the like, as they became too old */
	__u64	too_large;	/* of these: for the ring, as they came */
	size_t	cgroups;	/* whose names are in the state */
};

/* NULL: no memory. */
struct recent *recent_new(const struct recent_limits *limits);
void recent_free(struct recent *r);

/*
 * recent_add() - keeps a record
 * @rec: of a main ring, with sample id
 * @time: of it; those of one CPU come in order, those of several about so
 *
 * Return: 0 or -ENOMEM.
 */
int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time);

/* What describes the time before all records; in the state at once. 0 or -ENOMEM. */
int recent_fold(struct recent *r, const struct perf_event_header *rec);

/* Bytes of memory that it takes to pack blocks of that size, besides the limit. */
size_t recent_packing(size_t block);

/*
 * The name that a task has now, or NULL: that takes recent_limits.names. Goes back through the
 * sideband to what is settled. Valid until the next call of any function here.
 */
const char *recent_name(const struct recent *r, __u32 pid, __u32 tid);

/* Is it kept beside the samples? If not: bytes of memory that one of that size takes. */
bool recent_is_sideband(const struct perf_event_header *rec);
size_t recent_sample_size(size_t size);

/*
 * Lets go of what is older than @begin, as recent_trim() does: for a process that has ours as it
 * was. What it writes to is there twice.
 */
int recent_cut(struct recent *r, __u64 begin, __u64 settled);

/*
 * recent_share() - a child is about to have all of it as it is now
 * @cut: of its recent_cut()
 * @settled, @wanted: as for recent_trim()
 *
 * Until recent_unshare(), what both have and one of them changes is there twice, within the limit
 * all the same: so the oldest goes now, as far as that needs it.
 *
 * recent_room() - bytes of memory for what comes meanwhile, with what that adds to the state
 *
 * Return: 0 or -ENOMEM.
 */
int recent_share(struct recent *r, __u64 cut, __u64 settled, __u64 wanted);
size_t recent_room(const struct recent *r);
void recent_unshare(struct recent *r);

/*
 * recent_trim() - lets go of what is too old, or too much
 * @now: the window ends here
 * @settled: records of an earlier time will not come any more; nothing from here on is
 *	folded, whatever the limits say
 * @wanted: data from this time on are kept elsewhere and refer to tasks; what is older
 *	may be folded. ~0: none are
 *
 * Return: 0 or -ENOMEM.
 */
int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted);

/*
 * recent_is_over() - is the state larger than its part of the memory, or are there processes with
 * very many maps, which may be there no more?
 * @look: else only the latter, which costs little
 *
 * recent_shrink() - does something about that
 * @ask: see state.h
 *
 * Forgets tasks and maps that are there no more, and if that does not suffice, other maps.
 * Return: how many others.
 */
size_t recent_shrink(struct recent *r, const struct state_ask *ask);
bool recent_is_over(const struct recent *r, bool look);

/*
 * recent_wants_cgroups() - are there so many that it should be looked which have been removed?
 *
 * recent_look_for_cgroups() - does a part of that
 * @ask: see state.h; NULL: nobody knows, then only the newest are kept
 * @now: the time
 *
 * What is gone is forgotten when no record is left that can be of it.
 */
bool recent_wants_cgroups(const struct recent *r);
void recent_look_for_cgroups(struct recent *r, const struct state_ask *ask, __u64 now);

/*
 * What there is: the state as of the oldest record, the sideband since, in order of time,
 * and samples from recent_stats.begin on, as they came. Each returns 0, or what @fn returned.
 */
int recent_emit_state(const struct recent *r, state_fn fn, void *ctx);
int recent_emit_sideband(const struct recent *r, state_fn fn, void *ctx);
int recent_emit_samples(const struct recent *r, state_fn fn, void *ctx);

void recent_stats(const struct recent *r, struct recent_stats *stats);

#endif /* AUXREC_RECENT_H */
