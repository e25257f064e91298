// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "recent.h"
#include "recent_log.h"
#include "records.h"
#include "util.h"

/* In a log; whole records, with the time that they have */
struct kept {
	__u64 time;
	struct perf_event_header rec[];
};

/*
 * Of the sideband. What is older than r->oldest is gone: older of that one points to nothing, as
 * to change it would write to a page that a child still shares.
 */
struct side {
	struct side *older, *newer;
	struct log_chunk *chunk;
	struct kept kept;
};

struct recent {
	struct recent_limits limits;
	struct state *state;
	struct recent_log samples;	/* in the order in which they came */
	size_t tail;			/* of the oldest one in its chunk */
	__u64 nr_samples;
	__u64 last_gone;		/* time of the newest sample that is gone */
	struct recent_log sides;
	struct side *oldest, *newest;	/* by time */
	struct side *added;		/* the last one, or NULL */
	__u64 nr_sides;
	/* While a child has the records as they were, see recent_share() */
	size_t room;			/* bytes for what is new; 0: there is no child */
	size_t state_shared;		/* bytes of the state then */
	__u64 cut;			/* what is older is going to be folded by it */
	size_t cut_bytes;
	__u64 first;			/* time of the first record that came */
	__u64 begin;
	__u64 forgotten;
	__u64 too_large;
	size_t maps_limit;		/* of a process, see recent_is_over() */
	size_t cgroups_limit;		/* how many need a look */
	bool cgroups_begun;		/* it is going on */
	__u64 newest_time;		/* of all records */
	__u64 asked;			/* newest_time when it was asked which tasks live */
};

/* A log has this many chunks if it has all of the memory. */
#define CHUNKS		64
/* The state has no more than this part of the memory: a child may need it twice. */
#define STATE_PART	4
/* This part is there for what comes while a child writes a snapshot. */
#define ROOM_PART	8
/* Of one process: few have more. */
#define MAPS_MANY	2048
/* So many cgroups need no look. */
#define CGROUPS_FEW	128
/* Of BTF there may be this much; half of the state where that has less. */
#define TYPES_MAX	(4U << 20)
/* Looked at in one go: some 1 ms */
#define CGROUPS_BATCH	256
/* That are kept where nobody can tell which are there */
#define CGROUPS_MAX	4096

static size_t state_limit(const struct recent *r)
{
	return r->limits.memory / STATE_PART ?: 1;
}

struct recent *recent_new(const struct recent_limits *limits)
{
	struct recent *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->limits = *limits;
	r->maps_limit = MAPS_MANY;
	r->cgroups_limit = CGROUPS_FEW;
	recent_log_init(&r->samples, limits->memory / CHUNKS);
	recent_log_init(&r->sides, limits->memory / CHUNKS);
	r->state = state_new();
	if (!r->state) {
		recent_free(r);
		return NULL;
	}
	if (state_limit(r) < TYPES_MAX)
		state_limit_types(r->state, state_limit(r) / 2 ?: 1);
	return r;
}

void recent_free(struct recent *r)
{
	if (!r)
		return;
	recent_log_free(&r->samples);
	recent_log_free(&r->sides);
	state_free(r->state);
	free(r);
}

/* --- samples --------------------------------------------------------------- */

size_t recent_sample_size(size_t size)
{
	return sizeof(struct kept) + ALIGN8(size);
}

static const struct kept *oldest_sample(const struct recent *r)
{
	return r->nr_samples ? (const void *)(r->samples.oldest->data + r->tail) : NULL;
}

static void is_gone(struct recent *r, __u64 time)
{
	if (time > r->last_gone)
		r->last_gone = time;
	r->forgotten++;
}

static void forget_sample(struct recent *r)
{
	const struct kept *oldest = oldest_sample(r);
	struct log_chunk *chunk = r->samples.oldest;

	if (!oldest)
		return;
	is_gone(r, oldest->time);
	r->tail += recent_sample_size(oldest->rec->size);
	r->nr_samples--;
	if (chunk->live == 1)
		r->tail = 0;
	recent_log_drop(&r->samples, chunk);
}

static void forget_samples(struct recent *r, __u64 begin)
{
	const struct kept *oldest = oldest_sample(r);

	while (oldest && oldest->time < begin) {
		forget_sample(r);
		oldest = oldest_sample(r);
	}
}

static int add_sample(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	const size_t size = recent_sample_size(rec->size);
	struct kept *kept;

	if (size > r->limits.memory / 2) {
		r->too_large++;
		is_gone(r, time);
		return 0;
	}
	kept = recent_log_add(&r->samples, size);
	if (!kept)
		return -ENOMEM;
	kept->time = time;
	memcpy(kept->rec, rec, rec->size);
	r->nr_samples++;
	return 0;
}

/* --- sideband -------------------------------------------------------------- */

bool recent_is_sideband(const struct perf_event_header *rec)
{
	switch (rec->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_TEXT_POKE:
	/* auxrec's own, which have no sample id */
	case REC_FEATURE:
	case REC_BUILD_ID:
		return true;
	}
	return false;
}

static size_t side_size(const struct perf_event_header *rec)
{
	return sizeof(struct side) + ALIGN8(rec->size);
}

static struct side *older_side(const struct recent *r, const struct side *side)
{
	return side == r->oldest ? NULL : side->older;
}

/* Where one of that time goes: the one before it. */
static struct side *find_place(const struct recent *r, __u64 time)
{
	struct side *at = r->newest;

	if (r->added && at && at->kept.time > time)
		for (at = r->added; at->newer && at->newer->kept.time <= time;)
			at = at->newer;
	while (at && at->kept.time > time)
		at = older_side(r, at);
	return at;
}

/*
 * Mostly the newest, or of the same CPU's ring as the one before, whose place is near;
 * behind those of the same time, which came before it.
 */
static int add_side(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	struct side *side = recent_log_add(&r->sides, side_size(rec)), *at;

	if (!side)
		return -ENOMEM;
	side->chunk = r->sides.newest;
	side->kept.time = time;
	memcpy(side->kept.rec, rec, rec->size);
	at = find_place(r, time);
	side->older = at;
	side->newer = at ? at->newer : r->oldest;
	*(at ? &at->newer : &r->oldest) = side;
	*(side->newer ? &side->newer->older : &r->newest) = side;
	r->added = side;
	r->nr_sides++;
	if (time < r->cut)
		r->cut_bytes += side_size(rec);
	return 0;
}

static void drop_oldest_side(struct recent *r)
{
	struct side *side = r->oldest;

	r->oldest = side->newer;
	if (!r->oldest)
		r->newest = NULL;
	if (r->added == side)
		r->added = NULL;
	if (side->kept.time < r->cut)
		r->cut_bytes -= side_size(side->kept.rec);
	r->nr_sides--;
	recent_log_drop(&r->sides, side->chunk);
}

int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	if (time && (!r->first || time < r->first))
		r->first = time;
	if (time > r->newest_time)
		r->newest_time = time;
	if (recent_is_sideband(rec))
		return add_side(r, rec, time);
	return add_sample(r, rec, time);
}

int recent_fold(struct recent *r, const struct perf_event_header *rec)
{
	return state_fold(r->state, rec);
}

/* COMM and FORK begin alike. */
struct task_rec {
	struct perf_event_header header;
	__u32 pid;
	union {
		struct {
			__u32 tid;
			char comm[];
		} comm;
		struct {
			__u32 ppid, tid, ptid;
		} fork;
	};
};

const char *recent_name(const struct recent *r, __u32 pid, __u32 tid)
{
	const struct side *side;

	for (side = r->newest; side; side = older_side(r, side)) {
		const struct task_rec *rec = (const void *)side->kept.rec;

		if (rec->header.type == PERF_RECORD_COMM && rec->comm.tid == tid)
			return rec->comm.comm;
		/* It had its parent's name then. */
		if (rec->header.type == PERF_RECORD_FORK && rec->fork.tid == tid) {
			pid = rec->fork.ppid;
			tid = rec->fork.ptid;
		}
	}
	return state_name(r->state, pid, tid);
}

/* --- what is too old ------------------------------------------------------- */

static int fold_before(struct recent *r, __u64 begin)
{
	while (r->oldest && r->oldest->kept.time < begin) {
		const int err = state_fold(r->state, r->oldest->kept.rec);

		if (err)
			return err;
		drop_oldest_side(r);
	}
	if (begin > r->begin)
		r->begin = begin;
	if (r->begin > r->limits.linger)
		state_end_exited(r->state, r->begin - r->limits.linger);
	return 0;
}

/* Who was in one may run on for a moment, as tasks do. */
static void forget_cgroups(struct recent *r)
{
	if (r->begin > r->limits.linger)
		state_forget_cgroups(r->state, r->begin - r->limits.linger);
}

int recent_cut(struct recent *r, __u64 begin, __u64 settled)
{
	if (!r->first || begin <= r->first)
		return 0;
	forget_samples(r, begin);
	return fold_before(r, begin < settled ? begin : settled);
}

static size_t memory(const struct recent *r)
{
	return r->samples.bytes + r->sides.bytes + state_bytes(r->state);
}

static size_t fresh_memory(const struct recent *r)
{
	const size_t state = state_bytes(r->state);

	return r->samples.fresh + r->sides.fresh +
	       (state > r->state_shared ? state - r->state_shared : 0);
}

static bool is_full(const struct recent *r)
{
	return r->room ? fresh_memory(r) > r->room : memory(r) > r->limits.memory;
}

static bool state_is_full(const struct recent *r)
{
	return state_bytes(r->state) > state_limit(r);
}

/* Does the raw ring need the oldest sideband more than the memory needs the oldest sample? */
static bool is_kept_for_raw(const struct recent *r, __u64 wanted)
{
	return r->oldest->kept.time >= wanted && r->samples.bytes > r->limits.memory / 2;
}

/* Lets go of what is the oldest. 1: done, 0: there is nothing, or -ENOMEM. */
static int let_go(struct recent *r, __u64 settled, __u64 wanted)
{
	const struct kept *sample = oldest_sample(r);
	const bool foldable = r->oldest && r->oldest->kept.time < settled;
	int err;

	if (foldable && (!sample || (r->oldest->kept.time <= sample->time &&
				     !is_kept_for_raw(r, wanted)))) {
		err = fold_before(r, r->oldest->kept.time + 1);
		if (state_is_full(r))
			state_end_exited(r->state, r->begin);
		return err ?: 1;
	}
	if (!sample)
		return 0;
	forget_sample(r);
	return 1;
}

int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted)
{
	__u64 begin = r->last_gone ? r->last_gone + 1 : 0;
	int err;

	/* Of a time before all records there is nothing to let go of, nor to speak of. */
	if (r->limits.window && r->first && now > r->first + r->limits.window &&
	    begin < now - r->limits.window)
		begin = now - r->limits.window;
	forget_samples(r, begin);
	/* All samples are there from a time on that can be folded up to only now. */
	if (begin > wanted)
		begin = wanted;
	if (begin > settled)
		begin = settled;
	err = fold_before(r, begin);
	forget_cgroups(r);
	while (!err && is_full(r)) {
		err = let_go(r, settled, wanted);
		if (!err)
			break;
		err = err < 0 ? err : 0;
	}
	return err;
}

/* --- a child has them, too ------------------------------------------------- */

static size_t bytes_before(const struct recent *r, __u64 time)
{
	const struct side *side;
	size_t bytes = 0;

	for (side = r->oldest; side && side->kept.time < time; side = side->newer)
		bytes += side_size(side->kept.rec);
	return bytes;
}

/*
 * What the child folds becomes state, and that is as much at most; it and we both write to the
 * state that there is.
 */
static size_t child_memory(const struct recent *r)
{
	return r->cut_bytes + 2 * state_bytes(r->state);
}

int recent_share(struct recent *r, __u64 cut, __u64 settled, __u64 wanted)
{
	const size_t least = r->limits.memory / ROOM_PART ?: 1;
	size_t used;
	int err = 1;

	r->cut = cut;
	r->cut_bytes = bytes_before(r, cut);
	while (err > 0 && memory(r) + child_memory(r) + least > r->limits.memory)
		err = let_go(r, settled, wanted);
	used = memory(r) + child_memory(r);
	r->room = used + least < r->limits.memory ? r->limits.memory - used : least;
	r->state_shared = state_bytes(r->state);
	recent_log_share(&r->samples);
	recent_log_share(&r->sides);
	return err < 0 ? err : 0;
}

size_t recent_room(const struct recent *r)
{
	return r->room;
}

void recent_unshare(struct recent *r)
{
	r->room = 0;
	r->cut = 0;
	r->cut_bytes = 0;
}

/* --- what cannot be folded ------------------------------------------------- */

static bool is_over(const struct recent *r)
{
	return state_is_full(r);
}

/* A set that has doubled is looked at: with what is unmapped it would only grow. */
static bool has_many_maps(const struct recent *r)
{
	return state_most_maps(r->state) > r->maps_limit;
}

bool recent_is_over(const struct recent *r, bool look)
{
	return has_many_maps(r) || (look && is_over(r));
}

size_t recent_shrink(struct recent *r, const struct state_ask *ask)
{
	size_t n, most, dropped = 0;

	if (is_over(r) && (!r->asked || r->begin > r->asked)) {
		state_bury(r->state, ask, r->asked);
		r->asked = r->newest_time;
	}
	state_prune(r->state, ask, is_over(r) ? 0 : r->maps_limit / 2);
	most = state_most_maps(r->state);
	r->maps_limit = most > MAPS_MANY / 2 ? 2 * most : MAPS_MANY;
	while (is_over(r)) {
		n = state_shrink(r->state);
		if (!n)
			break;
		dropped += n;
	}
	return dropped;
}

/*
 * As many as lived the last time may have come since: what it costs to look is in
 * proportion to how many come, and what is kept in vain to how many live.
 */
bool recent_wants_cgroups(const struct recent *r)
{
	return r->cgroups_begun || state_cgroups(r->state, false) > r->cgroups_limit;
}

void recent_look_for_cgroups(struct recent *r, const struct state_ask *ask, __u64 now)
{
	size_t n;

	if (!ask) {
		r->cgroups_begun = false;
		r->cgroups_limit = CGROUPS_MAX;
		if (state_cgroups(r->state, true) > CGROUPS_MAX)
			state_shrink_cgroups(r->state, CGROUPS_MAX / 2);
		return;
	}
	r->cgroups_begun = !state_look_for_cgroups(r->state, ask, CGROUPS_BATCH, now);
	if (r->cgroups_begun)
		return;
	n = state_cgroups(r->state, false);
	r->cgroups_limit = n > CGROUPS_FEW / 2 ? 2 * n : CGROUPS_FEW;
}

/* --- and given out again --------------------------------------------------- */

int recent_emit_state(const struct recent *r, state_fn fn, void *ctx)
{
	return state_emit(r->state, r->begin ? r->begin - 1 : 0, fn, ctx);
}

int recent_emit_sideband(const struct recent *r, state_fn fn, void *ctx)
{
	const struct side *side;
	int err = 0;

	for (side = r->oldest; !err && side; side = side->newer)
		err = fn(ctx, side->kept.rec);
	return err;
}

/* When samples begin of which none is gone */
static __u64 samples_begin(const struct recent *r)
{
	const __u64 begin = r->last_gone ? r->last_gone + 1 : 0;

	return r->begin > begin ? r->begin : begin;
}

int recent_emit_samples(const struct recent *r, state_fn fn, void *ctx)
{
	const __u64 begin = samples_begin(r);
	const struct log_chunk *chunk = r->samples.oldest;
	size_t at = r->tail;
	int err = 0;

	for (; !err && chunk; chunk = chunk->next, at = 0) {
		while (!err && at < chunk->used) {
			const struct kept *kept = (const void *)(chunk->data + at);

			/*
			 * One of a CPU's ring that was read later may be older than some that
			 * are gone: of its time there are not all, and whoever merges snapshots
			 * takes what another one has.
			 */
			if (kept->time >= begin)
				err = fn(ctx, kept->rec);
			at += recent_sample_size(kept->rec->size);
		}
	}
	return err;
}

void recent_stats(const struct recent *r, struct recent_stats *stats)
{
	*stats = (struct recent_stats){
		.bytes = sizeof(*r) + memory(r),
		.of_samples = r->samples.bytes,
		.of_sideband = r->sides.bytes,
		.of_state = state_bytes(r->state),
		.begin = samples_begin(r),
		.oldest = r->begin,
		.samples = r->nr_samples,
		.sideband = r->nr_sides,
		.forgotten = r->forgotten,
		.too_large = r->too_large,
		.cgroups = state_cgroups(r->state, true),
	};
}
