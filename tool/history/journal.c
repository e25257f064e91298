// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write and read the journal of a flight recorder, in memory that survives a crash of the machine.
 */
#include <errno.h>
#include <perfaux.h>
#include <string.h>

#include "base/util.h"
#include "history/journal.h"

#define MAGIC		0x6c616e72756f6a61ULL	/* "ajournal" */
/* Bytes. The reader gives up after a longer hole. A record has at most 64 KiB. */
#define HOLE_MAX	(256U << 10)
#define RECORD_MAX	0xffffU

/* The start of a half. All times are ns. */
struct half {
	__u64 magic;
	__u64 number;
	__u64 previous;		/* number of the half whose records come before; 0: none */
	__u64 previous_end;	/* bytes up to the end of that half's entries */
	__u64 sealed;		/* bytes up to the end of the checkpoint; 0: it is not complete */
	__u64 time;		/* samples from this time on are complete; 0: all */
	__u64 lost;		/* records that did not fit before */
	__u64 sum;
	/* Records that did not fit after the checkpoint, and a sum over their number; 0: none */
	__u64 late;
	__u64 late_sum;
};

#define HALF_WORDS	(offsetof(struct half, sum) / sizeof(__u64))

struct entry {
	__u64 sum;
	__u32 kind;		/* enum journal_kind; 0: no entry */
	__u32 size;		/* bytes of data, which follow, padded to 8 with zeros */
};

/* --- write ------------------------------------------------------------------ */

void journal_init(struct journal *j, void *memory, size_t size)
{
	*j = (struct journal){ .memory = memory, .half = size / 2 & ~(size_t)7, .now = 1 };
}

static struct half *half_of(const struct journal *j)
{
	return (struct half *)(j->memory + j->now * j->half);
}

/* The sum covers the half's number, the place, the kind, the size and the data with its padding. */
static __u64 entry_sum(__u64 number, size_t at, const struct entry *e)
{
	const __u64 start = perfaux_kept_start(number, at, e->kind, e->size);

	return perfaux_kept_sum(start, e + 1, ALIGN8((size_t)e->size) / sizeof(__u64));
}

static __u64 late_sum(__u64 number, __u64 late)
{
	return perfaux_kept_mix(perfaux_kept_mix(0, number), late);
}

void journal_begin(struct journal *j)
{
	j->previous = j->sealed;
	if (j->sealed == j->number)
		j->previous_end = j->at;
	j->now = !j->now;
	j->number++;
	j->at = sizeof(struct half);
	j->full = false;
	/* From here on the half's old contents are not valid. */
	memset(half_of(j), 0, sizeof(struct half));
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void journal_give_up(struct journal *j)
{
	j->now = !j->now;
	j->full = true;
}

void journal_seal(struct journal *j, __u64 time, __u64 lost)
{
	struct half head = {
		.magic = MAGIC, .number = j->number, .previous = j->previous,
		.previous_end = j->previous_end, .sealed = j->at, .time = time, .lost = lost,
	};

	head.sum = perfaux_kept_sum(0, &head, HALF_WORDS);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*half_of(j) = head;
	j->sealed = j->number;
}

void journal_lose(struct journal *j, __u64 lost)
{
	struct half *head = half_of(j);

	if (!j->sealed)
		return;
	head->late = lost;
	head->late_sum = late_sum(j->sealed, lost);
}

int journal_add(struct journal *j, enum journal_kind kind, const void *data, size_t size)
{
	const size_t need = sizeof(struct entry) + ALIGN8(size);
	struct entry *e = (struct entry *)(j->memory + j->now * j->half + j->at);

	if (!j->number || j->full || size > j->half || j->half - j->at < need) {
		/* Do not add a smaller entry later: nothing would tell that this one is missing. */
		j->full = true;
		return -ENOSPC;
	}
	memcpy(e + 1, data, size);
	memset((__u8 *)(e + 1) + size, 0, ALIGN8(size) - size);
	e->kind = kind;
	e->size = size;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	e->sum = entry_sum(j->number, j->at, e);
	j->at += need;
	return 0;
}

/* --- read ------------------------------------------------------------------- */

struct view {
	const __u8 *bytes;
	size_t size;
	struct half head;
};

static bool read_head(struct view *v, const __u8 *bytes, size_t size)
{
	*v = (struct view){ .bytes = bytes, .size = size };
	if (size < sizeof(v->head))
		return false;
	memcpy(&v->head, bytes, sizeof(v->head));
	return v->head.magic == MAGIC && v->head.number && v->head.sealed <= size &&
	       v->head.sealed >= sizeof(v->head) &&
	       v->head.sum == perfaux_kept_sum(0, &v->head, HALF_WORDS);
}

/* Return the valid entry at @at, or NULL. */
static const struct entry *entry_at(const struct view *v, size_t at)
{
	const struct entry *e = (const struct entry *)(v->bytes + at);

	if (v->size - at < sizeof(*e) || !e->kind || e->kind >= JOURNAL_NR_KINDS ||
	    ALIGN8((size_t)e->size) > v->size - at - sizeof(*e) ||
	    e->sum != entry_sum(v->head.number, at, e))
		return NULL;
	return e;
}

static size_t after(const struct entry *e, size_t at)
{
	return at + sizeof(*e) + ALIGN8((size_t)e->size);
}

/*
 * Find the next valid entry from *@at on. The size of an overwritten entry cannot be trusted, so
 * try each place. The place is part of an entry's sum, so an old entry is not valid at a new place.
 */
static const struct entry *next_entry(const struct view *v, size_t *at)
{
	const struct entry *e = entry_at(v, *at);
	size_t look;

	/* In a hole, compute sums only for possible records: a sum over random sizes costs time. */
	for (look = *at; !e && look - *at < HOLE_MAX && v->size - look > sizeof(*e); look += 8) {
		e = (const struct entry *)(v->bytes + look + 8);
		e = v->size - look - 8 >= sizeof(*e) && e->size <= RECORD_MAX ?
		    entry_at(v, look + 8) : NULL;
	}
	if (e)
		*at = (const __u8 *)e - v->bytes;
	return e;
}

/* If the crash or something else has damaged the number, at least one record is missing. */
static __u64 late(const struct view *v)
{
	const struct half *head = &v->head;

	if (!head->late && !head->late_sum)
		return 0;
	return head->late_sum == late_sum(head->number, head->late) ? head->late : 1;
}

/* Is the checkpoint complete, without a hole? */
static bool has_checkpoint(const struct view *v)
{
	const struct entry *e;
	size_t at = sizeof(v->head);

	while (at < v->head.sealed && (e = entry_at(v, at)))
		at = after(e, at);
	return at == v->head.sealed;
}

/* @last: where the entries end; 0: not known */
static int each(const struct view *v, size_t at, size_t last, journal_fn fn, void *ctx,
		struct journal_found *found)
{
	const struct entry *e;
	size_t end = at;
	int err = 0;

	while (!err && (e = next_entry(v, &at))) {
		found->holes += at != end;
		found->hole_bytes += at - end;
		err = fn(ctx, e->kind, e + 1, e->size);
		at = after(e, at);
		end = at;
	}
	if (last > end) {
		found->holes++;
		found->hole_bytes += last - end;
	}
	return err;
}

/*
 * The reader has the records before this checkpoint from the older half, so it does not need the
 * checkpoint's state and records. It needs the other entries: they replace earlier ones, or did not
 * fit into the older half.
 */
static int each_of_checkpoint(const struct view *v, journal_fn fn, void *ctx)
{
	const struct entry *e;
	size_t at = sizeof(v->head);
	int err = 0;

	while (!err && at < v->head.sealed && (e = entry_at(v, at))) {
		if (e->kind != JOURNAL_STATE && e->kind != JOURNAL_RECORD)
			err = fn(ctx, e->kind, e + 1, e->size);
		at = after(e, at);
	}
	return err;
}

static int each_of_both(const struct view *older, const struct view *newer, journal_fn fn,
			void *ctx, struct journal_found *found)
{
	int err = each(older, sizeof(older->head), newer->head.previous_end, fn, ctx, found);

	if (!err)
		err = each_of_checkpoint(newer, fn, ctx);
	if (!has_checkpoint(newer))
		found->holes++;
	return err ?: each(newer, newer->head.sealed, 0, fn, ctx, found);
}

/*
 * Find the halves that can be used, and return their number. A half with a damaged checkpoint can
 * be used only after the half before it, if that one's checkpoint is complete.
 */
static unsigned int find_halves(struct view *older, struct view *newer, const __u8 *memory,
				size_t half)
{
	struct view v;
	bool follows;

	if (!read_head(newer, memory, half))
		return read_head(newer, memory + half, half) && has_checkpoint(newer);
	if (!read_head(older, memory + half, half))
		return has_checkpoint(newer);
	if (older->head.number > newer->head.number) {
		v = *older;
		*older = *newer;
		*newer = v;
	}
	follows = older->head.number == newer->head.previous;
	if (follows && has_checkpoint(older))
		return 2;
	if (has_checkpoint(newer))
		return 1;
	if (!has_checkpoint(older))
		return 0;
	*newer = *older;
	return 1;
}

int journal_read(const void *memory, size_t size, journal_fn fn, void *ctx,
		 struct journal_found *found)
{
	struct view older, newer;

	*found = (struct journal_found){ .halves = 0 };
	found->halves = find_halves(&older, &newer, memory, size / 2 & ~(size_t)7);
	if (!found->halves)
		return 0;
	found->lost = newer.head.lost + late(&newer);
	if (found->halves == 1) {
		found->begin = newer.head.time;
		return each(&newer, sizeof(newer.head), 0, fn, ctx, found);
	}
	found->begin = older.head.time;
	found->lost += older.head.lost;
	return each_of_both(&older, &newer, fn, ctx, found);
}
