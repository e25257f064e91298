/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records of tasks, maps and symbols (sideband), in order of time. If memory is short,
 * the oldest records are packed as soon as no record of their time can come any more.
 */
#ifndef AUXREC_RECENT_SIDES_H
#define AUXREC_RECENT_SIDES_H

#include "history/recent_pack.h"
#include "history/state.h"

/*
 * In recent_sides.oldest, @older is not valid: the record that it points to is gone, and clearing
 * the pointer would write to a page that a child still shares.
 */
struct side {
	struct side *older, *newer;
	struct log_chunk *chunk;
	struct kept kept;
};

struct recent_sides {
	struct recent_log log;
	struct side *oldest, *newest;	/* by time */
	struct side *added;		/* the last one that was added, or NULL */
	struct blocks packed;		/* of records that are older than all in @log */
	struct packer *packer;		/* NULL: records are not packed */
	/* the oldest block */
	__u8 *first;			/* buffer to unpack it to */
	const __u8 *unpacked;		/* its records; NULL: it is packed */
	size_t first_at;		/* offset of its oldest record; those before it are gone */
	__u64 first_time;		/* time of this record */
	__u64 nr;			/* number of records, packed or not */
	/* recent_sides_cut() */
	__u64 cut;
	size_t cut_bytes;
};

/* @chunk: bytes of memory that are freed together */
void recent_sides_init(struct recent_sides *s, struct packer *packer, size_t chunk);
void recent_sides_free(struct recent_sides *s);

/* Return 0 or -ENOMEM. */
int recent_sides_add(struct recent_sides *s, const struct perf_event_header *rec, __u64 time);

/* Return the record before @side. NULL: it is packed, or there is none. */
const struct side *recent_sides_older(const struct recent_sides *s, const struct side *side);

/* Return the time of the oldest record, packed or not; ~0: there is none. */
__u64 recent_sides_time(const struct recent_sides *s);

/*
 * Return the oldest record, which is valid until it is dropped; NULL: there is none, or no memory
 * to unpack it.
 */
const struct perf_event_header *recent_sides_oldest(struct recent_sides *s);
void recent_sides_drop(struct recent_sides *s);

/* Pack the oldest records from before @settled. Return 1, 0 if there are too few, or -ENOMEM. */
int recent_sides_pack(struct recent_sides *s, __u64 settled);

/* From now on @s->cut_bytes is the size of the records from before @time, unpacked. */
void recent_sides_cut(struct recent_sides *s, __u64 time);

/* Call @fn for all records. Return 0, -ENOMEM, or what @fn returned. */
int recent_sides_emit(const struct recent_sides *s, state_fn fn, void *ctx);

#endif /* AUXREC_RECENT_SIDES_H */
