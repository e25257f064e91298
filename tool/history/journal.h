/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A journal of records in memory that survives a crash of the machine: the newest records, and the
 * state before the oldest of them.
 *
 * The memory has two halves. Each begins with a checkpoint: entries that describe the recording,
 * and the state. The records follow. If one half is full, the other one begins anew with a
 * checkpoint. So the journal always has at least the records that fill one half.
 *
 * A crash can happen between any two instructions, and can leave any contents in memory. Each entry
 * has a sum over its place, the half's number and its contents. A reader leaves out entries whose
 * sum is wrong, and a half whose checkpoint is not complete.
 */
#ifndef AUXREC_HISTORY_JOURNAL_H
#define AUXREC_HISTORY_JOURNAL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

enum journal_kind {
	JOURNAL_SESSION = 1,	/* describes the recording, see flight/survive.h */
	JOURNAL_SETUP,		/* bytes with which the stream begins */
	JOURNAL_STATE,		/* a record that was folded into the state */
	JOURNAL_RECORD,		/* a record */
	JOURNAL_GAP,		/* struct perfaux_gap, taken from the raw ring */
	JOURNAL_SETTLED,	/* struct journal_settled */
	JOURNAL_NR_KINDS,
};

struct journal_settled {
	__u64 flushed;		/* all records of earlier times have come, ns */
	__u64 newest;		/* time of the newest record, ns */
	__u64 looked;		/* when the recorder began to read the rings, ns */
};

struct journal {
	__u8 *memory;
	size_t half;		/* bytes */
	unsigned int now;	/* the half that is written to */
	__u64 number;		/* of the half @now, from 1 */
	size_t at;		/* in the half @now: where the next entry goes */
	__u64 sealed;		/* the last number whose checkpoint is complete; 0: none */
	__u64 previous;		/* @sealed when this checkpoint began */
	size_t previous_end;	/* @at of the half @previous */
	bool full;		/* an entry did not fit: nothing is added until journal_begin() */
};

/* The smallest useful size, in bytes */
#define JOURNAL_MIN	(64U << 10)

/* Use @size bytes at @memory, which are zero and aligned to 8. */
void journal_init(struct journal *j, void *memory, size_t size);

/*
 * journal_begin() - begin a checkpoint in the other half
 * journal_seal() - the checkpoint is complete: records follow
 * journal_give_up() - the checkpoint does not fit: the other half stays valid, but is full. The
 *	next journal_begin() tries again
 * journal_lose() - tell how many records did not fit since the last checkpoint that was sealed. Do
 *	not call it between journal_begin() and journal_seal()
 * @time: the samples from this time on will be complete, ns; 0: all samples
 * @lost: records that did not fit before this checkpoint
 *
 * Until journal_seal() returns, the half that was written to before stays valid.
 */
void journal_begin(struct journal *j);
void journal_seal(struct journal *j, __u64 time, __u64 lost);
void journal_give_up(struct journal *j);
void journal_lose(struct journal *j, __u64 lost);

/* Add an entry. Return 0, or -ENOSPC if the half is full. */
int journal_add(struct journal *j, enum journal_kind kind, const void *data, size_t size);

/* Results of journal_read(), beside the entries */
struct journal_found {
	unsigned int halves;	/* 0: nothing is valid; 1 or 2 */
	__u64 begin;		/* samples from this time on are complete, ns; 0: all */
	__u64 lost;		/* records that did not fit */
	__u64 holes;		/* places among the records where something overwrote entries */
	__u64 hole_bytes;
};

/* Return 0 or -errno, which ends the reading. */
typedef int (*journal_fn)(void *ctx, enum journal_kind kind, const void *data, size_t size);

/*
 * journal_read() - call @fn for each entry, in order: the oldest valid checkpoint, the records
 * after it, and the other half if that half follows, without the state and the records of its
 * checkpoint. @memory may have any size and contents. Data is aligned to 8.
 *
 * Return 0, or what @fn returned.
 */
int journal_read(const void *memory, size_t size, journal_fn fn, void *ctx,
		 struct journal_found *found);

#endif /* AUXREC_HISTORY_JOURNAL_H */
