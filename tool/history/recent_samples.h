/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest samples, and all other records that are not sideband, in the order in which they came.
 * If memory is short, the older ones are packed, and are forgotten one block at a time.
 */
#ifndef AUXREC_RECENT_SAMPLES_H
#define AUXREC_RECENT_SAMPLES_H

#include "history/recent_pack.h"
#include "history/state.h"

struct recent_samples {
	struct recent_log log;
	size_t tail;			/* offset of the oldest sample of @log in its chunk */
	struct blocks packed;		/* of samples that are older than all in @log */
	struct packer *packer;		/* NULL: samples are not packed */
	__u64 nr;			/* number of samples, packed or not */
	__u64 last_gone;		/* time of the newest sample that is gone */
	__u64 forgotten;
};

/* @chunk: bytes of memory that are freed together */
void recent_samples_init(struct recent_samples *s, struct packer *packer, size_t chunk);
void recent_samples_free(struct recent_samples *s);

/* Return 0 or -ENOMEM. */
int recent_samples_add(struct recent_samples *s, const struct perf_event_header *rec,
		       __u64 time);

/* Note that a sample of this time is not kept: samples up to this time are incomplete. */
void recent_samples_gone(struct recent_samples *s, __u64 time);

/* Return the time of the oldest sample or, if there are blocks, in the oldest block; ~0: none. */
__u64 recent_samples_time(const struct recent_samples *s);
/* Forget the oldest block, or the oldest sample if there is no block. */
void recent_samples_forget(struct recent_samples *s);
/* Forget samples older than @begin. A packed block is forgotten only if all of it is older. */
void recent_samples_trim(struct recent_samples *s, __u64 begin);

/* Pack the oldest samples that are not packed. Return 1, 0 if there are too few, or -ENOMEM. */
int recent_samples_pack(struct recent_samples *s);

/* Call @fn for the samples from @begin on. Return 0, -ENOMEM, or what @fn returned. */
int recent_samples_emit(const struct recent_samples *s, __u64 begin, state_fn fn, void *ctx);

#endif /* AUXREC_RECENT_SAMPLES_H */
