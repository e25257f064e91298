// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "recent.h"
#include "records.h"
#include "util.h"

/* In the ring of samples, and beside it */
struct kept {
	__u64 time;
	struct perf_event_header rec[];
};

struct side {
	struct side *older, *newer;
	struct kept kept;
};

struct recent {
	struct recent_limits limits;
	struct state *state;
	/*
	 * Samples: whole ones, one behind the other; when the next one does not fit at the
	 * end it is at the start, and end says where the last one ends.
	 */
	__u8 *ring;
	size_t head, tail, end;
	__u64 nr_samples;
	__u64 last_gone;		/* time of the newest sample that is gone */
	/* Sideband */
	struct side *oldest, *newest;
	struct side *added;		/* the last one, or NULL */
	__u64 nr_sides;
	size_t side_bytes;
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

/* Of one process: few have more. */
#define MAPS_MANY	2048
/* So many cgroups need no look. */
#define CGROUPS_FEW	128
/* Of BTF there may be this much; half of the sideband where that has less. */
#define TYPES_MAX	(4U << 20)
/* Looked at in one go: some 1 ms */
#define CGROUPS_BATCH	256
/* That are kept where nobody can tell which are there */
#define CGROUPS_MAX	4096

struct recent *recent_new(const struct recent_limits *limits)
{
	struct recent *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->limits = *limits;
	r->limits.samples &= ~(size_t)7;
	r->maps_limit = MAPS_MANY;
	r->cgroups_limit = CGROUPS_FEW;
	r->state = state_new();
	r->ring = malloc(r->limits.samples);
	if (r->state && r->ring) {
		if (r->limits.sideband < TYPES_MAX)
			state_limit_types(r->state, r->limits.sideband / 2 ?: 1);
		return r;
	}
	recent_free(r);
	return NULL;
}

static size_t side_size(const struct side *side)
{
	return sizeof(*side) + side->kept.rec->size + ALLOC_COST;
}

static void side_free(struct recent *r, struct side *side)
{
	*(side->older ? &side->older->newer : &r->oldest) = side->newer;
	*(side->newer ? &side->newer->older : &r->newest) = side->older;
	if (r->added == side)
		r->added = NULL;
	r->side_bytes -= side_size(side);
	r->nr_sides--;
	free(side);
}

void recent_free(struct recent *r)
{
	if (!r)
		return;
	while (r->oldest)
		side_free(r, r->oldest);
	state_free(r->state);
	free(r->ring);
	free(r);
}

/* --- samples --------------------------------------------------------------- */

static struct kept *sample_at(const struct recent *r, size_t at)
{
	return (struct kept *)(r->ring + at);
}

size_t recent_sample_size(size_t size)
{
	return sizeof(struct kept) + ALIGN8(size);
}

/* Where the next one is, behind one that ends at @at. */
static size_t sample_next(const struct recent *r, size_t at)
{
	return r->nr_samples && r->head <= r->tail && at == r->end ? 0 : at;
}

static void forget_sample(struct recent *r)
{
	const struct kept *oldest = sample_at(r, r->tail);

	if (oldest->time > r->last_gone)
		r->last_gone = oldest->time;
	r->forgotten++;
	r->tail = sample_next(r, r->tail + recent_sample_size(oldest->rec->size));
	r->nr_samples--;
	if (!r->nr_samples) {
		r->head = 0;
		r->tail = 0;
	}
}

/* Is there room for @size bytes at head, or else at the start? Moves head there. */
static bool make_place(struct recent *r, size_t size)
{
	if (!r->nr_samples)
		return true;
	if (r->head <= r->tail)
		return r->tail - r->head >= size;
	if (r->limits.samples - r->head >= size)
		return true;
	if (r->tail < size)
		return false;
	r->end = r->head;
	r->head = 0;
	return true;
}

static void add_sample(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	const size_t size = recent_sample_size(rec->size);
	struct kept *kept;

	if (size > r->limits.samples) {
		r->too_large++;
		r->forgotten++;
		if (time > r->last_gone)
			r->last_gone = time;
		return;
	}
	while (!make_place(r, size))
		forget_sample(r);
	kept = sample_at(r, r->head);
	kept->time = time;
	memcpy(kept->rec, rec, rec->size);
	r->head += size;
	r->nr_samples++;
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

/*
 * Mostly the newest, or of the same CPU's ring as the one before, whose place is near;
 * behind those of the same time, which came before it.
 */
static int add_side(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	struct side *side = malloc(sizeof(*side) + rec->size), *at = r->newest;

	if (!side)
		return -ENOMEM;
	if (r->added && at && at->kept.time > time)
		for (at = r->added; at->newer && at->newer->kept.time <= time;)
			at = at->newer;
	side->kept.time = time;
	memcpy(side->kept.rec, rec, rec->size);
	while (at && at->kept.time > time)
		at = at->older;
	side->older = at;
	side->newer = at ? at->newer : r->oldest;
	*(at ? &at->newer : &r->oldest) = side;
	*(side->newer ? &side->newer->older : &r->newest) = side;
	r->added = side;
	r->side_bytes += side_size(side);
	r->nr_sides++;
	return 0;
}

int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time)
{
	if (time && (!r->first || time < r->first))
		r->first = time;
	if (time > r->newest_time)
		r->newest_time = time;
	if (recent_is_sideband(rec))
		return add_side(r, rec, time);
	add_sample(r, rec, time);
	return 0;
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

	for (side = r->newest; side; side = side->older) {
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

/* Without a write to it, or to what is beside it: see recent_cut(). */
static void side_skip(struct recent *r, const struct side *side)
{
	r->oldest = side->newer;
	if (r->added == side)
		r->added = NULL;
	if (!r->oldest)
		r->newest = NULL;
	r->side_bytes -= side_size(side);
	r->nr_sides--;
}

static int fold_before(struct recent *r, __u64 begin, bool leave)
{
	while (r->oldest && r->oldest->kept.time < begin) {
		const int err = state_fold(r->state, r->oldest->kept.rec);

		if (err)
			return err;
		if (leave)
			side_skip(r, r->oldest);
		else
			side_free(r, r->oldest);
	}
	if (leave && r->oldest)
		r->oldest->older = NULL;
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

static size_t side_memory(const struct recent *r)
{
	return r->side_bytes + state_bytes(r->state);
}

int recent_cut(struct recent *r, __u64 begin, __u64 settled)
{
	if (!r->first || begin <= r->first)
		return 0;
	while (r->nr_samples && sample_at(r, r->tail)->time < begin)
		forget_sample(r);
	return fold_before(r, begin < settled ? begin : settled, true);
}

int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted)
{
	__u64 begin = r->last_gone ? r->last_gone + 1 : 0;
	int err;

	/* Of a time before all records there is nothing to let go of, nor to speak of. */
	if (r->limits.window && r->first && now > r->first + r->limits.window &&
	    begin < now - r->limits.window)
		begin = now - r->limits.window;
	while (r->nr_samples && sample_at(r, r->tail)->time < begin)
		forget_sample(r);
	/* All samples are there from a time on that can be folded up to only now. */
	if (begin > wanted)
		begin = wanted;
	if (begin > settled)
		begin = settled;
	err = fold_before(r, begin, false);
	forget_cgroups(r);
	/* Before what is kept of others suffers. */
	if (side_memory(r) > r->limits.sideband)
		state_end_exited(r->state, r->begin);
	while (!err && r->oldest && r->oldest->kept.time < settled &&
	       side_memory(r) > r->limits.sideband) {
		err = fold_before(r, r->oldest->kept.time + 1, false);
		state_end_exited(r->state, r->begin);
	}
	return err;
}

static bool is_over(const struct recent *r)
{
	return side_memory(r) > r->limits.sideband;
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
	size_t at = r->tail;
	int err = 0;
	__u64 i;

	for (i = 0; !err && i < r->nr_samples; i++) {
		const struct kept *kept = sample_at(r, at);

		/*
		 * One of a CPU's ring that was read later may be older than some that are
		 * gone: of its time there are not all, and whoever merges snapshots takes
		 * what another one has.
		 */
		if (kept->time >= begin)
			err = fn(ctx, kept->rec);
		at = sample_next(r, at + recent_sample_size(kept->rec->size));
	}
	return err;
}

void recent_stats(const struct recent *r, struct recent_stats *stats)
{
	*stats = (struct recent_stats){
		.bytes = sizeof(*r) + r->limits.samples + side_memory(r),
		.begin = samples_begin(r),
		.oldest = r->begin,
		.samples = r->nr_samples,
		.sideband = r->nr_sides,
		.forgotten = r->forgotten,
		.too_large = r->too_large,
		.cgroups = state_cgroups(r->state, true),
	};
}
