// SPDX-License-Identifier: GPL-2.0-only
/*
 * The newest records of a recording, in bounded memory: decide which records are kept, packed,
 * folded into the state, and forgotten.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "history/recent.h"
#include "history/recent_samples.h"
#include "history/recent_sides.h"
#include "stream/records.h"

struct recent {
	struct recent_limits limits;
	struct state *state;
	struct packer *packer;		/* NULL: nothing is packed */
	struct recent_samples samples;
	struct recent_sides sides;
	struct state *names;		/* names of tasks, up to @named; NULL: not used */
	const struct side *named;	/* NULL: @names has none of the unpacked records */
	/* while a child shares the records, see recent_share() */
	size_t room;			/* bytes for new records; 0: there is no child */
	size_t state_shared;		/* bytes of the state when the child was forked */
	__u64 first;			/* time of the first record that came */
	__u64 begin;
	__u64 too_large;
	size_t maps_limit;		/* most maps of a process, see recent_is_over() */
	size_t cgroups_limit;		/* if there are more, look which still exist */
	bool cgroups_begun;		/* a look for cgroups is going on */
	__u64 newest_time;		/* of all records */
	__u64 asked;			/* newest_time at the last state_bury() */
};

/* A log that has all of the memory has this many chunks. */
#define CHUNKS		64
/* The state has at most this part (1/4) of the memory: a child may need it twice. */
#define STATE_PART	4
/* This part of the memory is for records that come while a child writes a snapshot. */
#define ROOM_PART	8
/* This part of the memory is for the records that the child folds into its state. */
#define CUT_PART	8
/* Few processes have more maps than this. */
#define MAPS_MANY	2048
/* The recorder does not look whether cgroups still exist if there are no more than this. */
#define CGROUPS_FEW	128
/*
 * Most bytes of BTF. If the whole state is limited to less than this, BTF can have half of that
 * limit.
 */
#define TYPES_MAX	(4U << 20)
/* One call looks at this number of cgroups, which takes about 1 ms. */
#define CGROUPS_BATCH	256
/* Most cgroups that are kept if nobody can tell which ones exist */
#define CGROUPS_MAX	4096

static size_t state_limit(const struct recent *r)
{
	return r->limits.memory / STATE_PART ?: 1;
}

static int recent_init(struct recent *r)
{
	const struct recent_limits *limits = &r->limits;

	if (limits->block)
		r->packer = packer_new(limits->block);
	recent_samples_init(&r->samples, r->packer, limits->memory / CHUNKS);
	recent_sides_init(&r->sides, r->packer, limits->memory / CHUNKS);
	r->state = state_new();
	if (limits->names)
		r->names = state_new();
	if (!r->state || (limits->block && !r->packer) || (limits->names && !r->names))
		return -ENOMEM;
	if (state_limit(r) < TYPES_MAX)
		state_limit_types(r->state, state_limit(r) / 2 ?: 1);
	return 0;
}

struct recent *recent_new(const struct recent_limits *limits)
{
	struct recent *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->limits = *limits;
	r->maps_limit = MAPS_MANY;
	r->cgroups_limit = CGROUPS_FEW;
	if (recent_init(r)) {
		recent_free(r);
		return NULL;
	}
	return r;
}

void recent_free(struct recent *r)
{
	if (!r)
		return;
	recent_samples_free(&r->samples);
	recent_sides_free(&r->sides);
	packer_free(r->packer);
	state_free(r->state);
	state_free(r->names);
	free(r);
}

size_t recent_packing(size_t block)
{
	/* The child has its own copy of memory that is written to. */
	return 2 * packer_memory(block);
}

/* --- add records ----------------------------------------------------------- */

size_t recent_sample_size(size_t size)
{
	const struct perf_event_header rec = { .size = size };

	return kept_size(&rec);
}

static int add_sample(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	if (kept_size(rec) > r->limits.memory / 2) {
		r->too_large++;
		recent_samples_gone(&r->samples, time);
		return 0;
	}
	return recent_samples_add(&r->samples, rec, time);
}

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
	/* auxrec's own records, which have no sample id */
	case REC_FEATURE:
	case REC_BUILD_ID:
		return true;
	}
	return false;
}

int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	if (time && (!r->first || time < r->first))
		r->first = time;
	if (time > r->newest_time)
		r->newest_time = time;
	if (recent_is_sideband(rec))
		return recent_sides_add(&r->sides, rec, time);
	return add_sample(r, rec, time);
}

static bool is_of_names(const struct perf_event_header *rec)
{
	return rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_COMM ||
	       rec->type == PERF_RECORD_EXIT;
}

int recent_fold(struct recent *r, const struct perf_event_header *rec)
{
	if (r->names && is_of_names(rec) && state_fold(r->names, rec))
		return -ENOMEM;
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
	const struct side *side = r->sides.newest;

	for (; side && side != r->named; side = recent_sides_older(&r->sides, side)) {
		const struct task_rec *rec = (const void *)side->kept.rec;

		if (rec->header.type == PERF_RECORD_COMM && rec->comm.tid == tid)
			return rec->comm.comm;
		/* The task began with the name that its parent had then. */
		if (rec->header.type == PERF_RECORD_FORK && rec->fork.tid == tid) {
			pid = rec->fork.ppid;
			tid = rec->fork.ptid;
		}
	}
	return r->names ? state_name(r->names, pid, tid) : NULL;
}

/* A name is not learnt if its record comes after the record's time was settled. That is rare. */
static int learn_names(struct recent *r, __u64 settled)
{
	const struct side *side = r->named ? r->named->newer : r->sides.oldest;
	int err = 0;

	if (!r->names)
		return 0;
	for (; side && side->kept.time < settled; side = side->newer) {
		if (is_of_names(side->kept.rec) && state_fold(r->names, side->kept.rec))
			err = -ENOMEM;
		r->named = side;
	}
	if (settled > r->limits.linger)
		state_end_exited(r->names, settled - r->limits.linger);
	return err;
}

/* --- let old records go ---------------------------------------------------- */

static void drop_side(struct recent *r)
{
	if (!r->sides.packed.nr && r->sides.oldest == r->named)
		r->named = NULL;
	recent_sides_drop(&r->sides);
}

/* Fold sideband from before @begin, but stop when the state has more than @most bytes. */
static int fold_before(struct recent *r, __u64 begin, size_t most)
{
	while (recent_sides_time(&r->sides) < begin && state_bytes(r->state) <= most) {
		const struct perf_event_header *rec = recent_sides_oldest(&r->sides);
		const int err = rec ? state_fold(r->state, rec) : -ENOMEM;

		if (err)
			return err;
		drop_side(r);
	}
	if (begin > recent_sides_time(&r->sides))
		begin = recent_sides_time(&r->sides);
	if (begin > r->begin)
		r->begin = begin;
	if (r->begin > r->limits.linger)
		state_end_exited(r->state, r->begin - r->limits.linger);
	return 0;
}

/* Wait before forgetting a removed cgroup: a task that was in it may run on for a moment. */
static void forget_cgroups(struct recent *r)
{
	if (r->begin > r->limits.linger)
		state_forget_cgroups(r->state, r->begin - r->limits.linger);
}

/* If there is no memory to fold sideband, the snapshot contains the sideband records instead. */
int recent_cut(struct recent *r, __u64 begin, __u64 settled)
{
	if (!r->first || begin <= r->first)
		return 0;
	recent_samples_trim(&r->samples, begin);
	if (begin - 1 > r->samples.last_gone)
		r->samples.last_gone = begin - 1;
	return fold_before(r, begin < settled ? begin : settled,
			   state_bytes(r->state) + r->limits.memory / CUT_PART);
}

static size_t of_samples(const struct recent *r)
{
	return r->samples.log.bytes + r->samples.packed.log.bytes;
}

static size_t of_sides(const struct recent *r)
{
	return r->sides.log.bytes + r->sides.packed.log.bytes;
}

static size_t of_state(const struct recent *r)
{
	return state_bytes(r->state) + (r->names ? state_bytes(r->names) : 0);
}

static size_t memory(const struct recent *r)
{
	return of_samples(r) + of_sides(r) + of_state(r);
}

static size_t fresh_memory(const struct recent *r)
{
	const size_t state = of_state(r);

	return r->samples.log.fresh + r->samples.packed.log.fresh +
	       r->sides.log.fresh + r->sides.packed.log.fresh +
	       (state > r->state_shared ? state - r->state_shared : 0);
}

/* is_full(): is more memory in use than allowed? is_half_full(): is more than half of that? */
static bool is_full(const struct recent *r)
{
	return r->room ? fresh_memory(r) > r->room : memory(r) > r->limits.memory;
}

static bool is_half_full(const struct recent *r)
{
	return r->room ? fresh_memory(r) > r->room / 2 : memory(r) > r->limits.memory / 2;
}

static bool state_is_full(const struct recent *r)
{
	return state_bytes(r->state) > state_limit(r);
}

/*
 * Must the oldest sideband stay, because data of the raw ring needs it? If so, the oldest sample is
 * forgotten instead. This ends when samples have no more than half of the memory.
 */
static bool is_kept_for_raw(const struct recent *r, __u64 wanted)
{
	return recent_sides_time(&r->sides) >= wanted &&
	       of_samples(r) > r->limits.memory / 2;
}

/* Fold or forget the oldest record. Return 1, 0 if none can go, or -ENOMEM. */
static int let_go(struct recent *r, __u64 settled, __u64 wanted)
{
	const __u64 sample = recent_samples_time(&r->samples);
	const __u64 side = recent_sides_time(&r->sides);
	int err;

	if (side < settled && side <= sample &&
	    (!r->samples.nr || !is_kept_for_raw(r, wanted))) {
		err = fold_before(r, side + 1, SIZE_MAX);
		if (state_is_full(r))
			state_end_exited(r->state, r->begin);
		return err ?: 1;
	}
	if (!r->samples.nr)
		return 0;
	recent_samples_forget(&r->samples);
	return 1;
}

/*
 * Pack old records while more than half of the memory is in use. Sideband waits for limits.late,
 * because a record that comes late cannot be sorted into a block, see ROUND_NS in record/record.h.
 * If there is no memory to pack records, the oldest ones are folded or forgotten unpacked.
 */
static void pack(struct recent *r, __u64 settled)
{
	const __u64 end = settled > r->limits.late ? settled - r->limits.late : 0;
	bool some = true;

	while (some && is_half_full(r)) {
		some = recent_samples_pack(&r->samples) > 0;
		some |= recent_sides_pack(&r->sides, end) > 0;
	}
	/* @named was the last settled record. It is packed if no settled record is unpacked. */
	if (!r->sides.oldest || r->sides.oldest->kept.time >= settled)
		r->named = NULL;
}

/* Return the time from which on no sample is gone. */
static __u64 first_whole(const struct recent *r)
{
	return r->samples.last_gone ? r->samples.last_gone + 1 : 0;
}

int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted)
{
	__u64 begin = first_whole(r);
	int err;

	/* If the window begins before the first record, no record is too old, and @begin stays. */
	if (r->limits.window && r->first && now > r->first + r->limits.window &&
	    begin < now - r->limits.window)
		begin = now - r->limits.window;
	recent_samples_trim(&r->samples, begin);
	/* No samples from before @begin are left, so sideband from before @begin can be folded. */
	if (begin > wanted)
		begin = wanted;
	if (begin > settled)
		begin = settled;
	err = learn_names(r, settled) ?: fold_before(r, begin, SIZE_MAX);
	forget_cgroups(r);
	pack(r, settled);
	while (!err && is_full(r)) {
		err = let_go(r, settled, wanted);
		if (!err)
			break;
		err = err < 0 ? err : 0;
	}
	return err;
}

/* --- share memory with a child --------------------------------------------- */

/*
 * Return how much memory a child needs. The sideband that the child folds becomes state, which
 * takes no more memory than the sideband did, see recent_cut(). The child and the recorder both
 * write to the state, so it exists twice.
 */
static size_t child_memory(const struct recent *r)
{
	const size_t most = r->limits.memory / CUT_PART;
	const size_t cut = r->sides.cut_bytes;

	return (cut < most ? cut : most) + 2 * of_state(r);
}

int recent_share(struct recent *r, __u64 cut, __u64 settled, __u64 wanted)
{
	const size_t least = r->limits.memory / ROOM_PART ?: 1;
	size_t used;
	int err = 1;

	recent_sides_cut(&r->sides, cut);
	while (err > 0 && memory(r) + child_memory(r) + least > r->limits.memory)
		err = let_go(r, settled, wanted);
	used = memory(r) + child_memory(r);
	r->room = used + least < r->limits.memory ? r->limits.memory - used : least;
	r->state_shared = of_state(r);
	recent_log_share(&r->samples.log);
	recent_log_share(&r->samples.packed.log);
	recent_log_share(&r->sides.log);
	recent_log_share(&r->sides.packed.log);
	return err < 0 ? err : 0;
}

size_t recent_room(const struct recent *r)
{
	return r->room;
}

void recent_unshare(struct recent *r)
{
	r->room = 0;
	recent_sides_cut(&r->sides, 0);
}

/* --- shrink the state ------------------------------------------------------ */

static bool is_over(const struct recent *r)
{
	return state_is_full(r);
}

/*
 * Look at a process whose maps have doubled: no record tells when a map is unmapped, so without
 * a look its maps would only grow.
 */
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
		if (r->names)
			state_bury(r->names, ask, r->asked);
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
 * A look is due when there are twice as many cgroups as existed at the last look. So the cost of
 * looking is in proportion to the number of new cgroups, and the number of removed cgroups that are
 * still kept is in proportion to the number of existing ones.
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

/* --- emit records ---------------------------------------------------------- */

int recent_emit_state(const struct recent *r, state_fn fn, void *ctx)
{
	return state_emit(r->state, r->begin ? r->begin - 1 : 0, fn, ctx);
}

int recent_emit_sideband(const struct recent *r, state_fn fn, void *ctx)
{
	return recent_sides_emit(&r->sides, fn, ctx);
}

/* Return the time from which on samples and sideband are complete. */
static __u64 samples_begin(const struct recent *r)
{
	const __u64 begin = first_whole(r);

	return r->begin > begin ? r->begin : begin;
}

int recent_emit_samples(const struct recent *r, state_fn fn, void *ctx)
{
	return recent_samples_emit(&r->samples, samples_begin(r), fn, ctx);
}

void recent_stats(const struct recent *r, struct recent_stats *stats)
{
	*stats = (struct recent_stats){
		.bytes = sizeof(*r) + memory(r),
		.of_samples = of_samples(r),
		.of_sideband = of_sides(r),
		.of_state = of_state(r),
		.begin = samples_begin(r),
		.oldest = r->begin,
		.samples = r->samples.nr,
		.sideband = r->sides.nr,
		.forgotten = r->samples.forgotten,
		.too_large = r->too_large,
		.cgroups = state_cgroups(r->state, true),
	};
}
