/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records of tasks, maps and symbols (sideband), in order of time. Where memory is short
 * those that nothing comes in front of any more are packed.
 */
#ifndef AUXREC_RECENT_SIDES_H
#define AUXREC_RECENT_SIDES_H

#include "history/recent_pack.h"
#include "history/state.h"

/*
 * What is older than recent_sides.oldest is gone: older of that one points to nothing, as to change
 * it would write to a page that a child still shares.
 */
struct side {
	struct side *older, *newer;
	struct log_chunk *chunk;
	struct kept kept;
};

struct recent_sides {
	struct recent_log log;
	struct side *oldest, *newest;	/* by time */
	struct side *added;		/* the last one, or NULL */
	struct blocks packed;		/* that are older than all of these */
	struct packer *packer;		/* or NULL: none is packed */
	/* The block that goes next */
	__u8 *first;			/* room to unpack it to */
	const __u8 *unpacked;		/* its records; NULL: it is packed */
	size_t first_at;		/* what is before is gone */
	__u64 first_time;		/* of the record there */
	__u64 nr;			/* packed or not */
	/* recent_sides_cut() */
	__u64 cut;
	size_t cut_bytes;
};

/* @chunk: bytes of memory that are given back at once */
void recent_sides_init(struct recent_sides *s, struct packer *packer, size_t chunk);
void recent_sides_free(struct recent_sides *s);

/* 0 or -ENOMEM. */
int recent_sides_add(struct recent_sides *s, const struct perf_event_header *rec, __u64 time);

/* The one before @side of those that are not packed, or NULL */
const struct side *recent_sides_older(const struct recent_sides *s, const struct side *side);

/* The time of the oldest record, packed or not; ~0: there is none */
__u64 recent_sides_time(const struct recent_sides *s);

/* The oldest, valid until it is dropped; NULL: there is none, or no memory to unpack it */
const struct perf_event_header *recent_sides_oldest(struct recent_sides *s);
void recent_sides_drop(struct recent_sides *s);

/* Packs the oldest, of a time before @settled. Return: 1, 0: there are too few, or -ENOMEM. */
int recent_sides_pack(struct recent_sides *s, __u64 settled);

/* Sets the time for which @s->cut_bytes tells how many bytes the older ones have, unpacked. */
void recent_sides_cut(struct recent_sides *s, __u64 time);

/* All. Return: 0, -ENOMEM, or what @fn returned. */
int recent_sides_emit(const struct recent_sides *s, state_fn fn, void *ctx);

#endif /* AUXREC_RECENT_SIDES_H */
