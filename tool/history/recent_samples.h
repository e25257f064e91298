/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest samples, and whatever is not sideband, in the order in which they came. Where memory
 * is short the older of them are packed, and are forgotten a block at a time.
 */
#ifndef AUXREC_RECENT_SAMPLES_H
#define AUXREC_RECENT_SAMPLES_H

#include "history/recent_pack.h"
#include "history/state.h"

struct recent_samples {
	struct recent_log log;
	size_t tail;			/* of the oldest one in its chunk */
	struct blocks packed;		/* that are older than all of these */
	struct packer *packer;		/* or NULL: none is packed */
	__u64 nr;			/* packed or not */
	__u64 last_gone;		/* time of the newest one that is gone */
	__u64 forgotten;
};

/* @chunk: bytes of memory that are given back at once */
void recent_samples_init(struct recent_samples *s, struct packer *packer, size_t chunk);
void recent_samples_free(struct recent_samples *s);

/* 0 or -ENOMEM. */
int recent_samples_add(struct recent_samples *s, const struct perf_event_header *rec,
		       __u64 time);

/* A sample of that time is not there: of its time, and before, there are not all. */
void recent_samples_gone(struct recent_samples *s, __u64 time);

/* The oldest, or the oldest of the block that is forgotten next; ~0: there are none */
__u64 recent_samples_time(const struct recent_samples *s);
void recent_samples_forget(struct recent_samples *s);
/* All that are older than @begin; with packed ones only whole blocks. */
void recent_samples_trim(struct recent_samples *s, __u64 begin);

/* Packs the oldest that are not. Return: 1, 0: there are too few, or -ENOMEM. */
int recent_samples_pack(struct recent_samples *s);

/* Calls @fn for the samples from @begin on. Return: 0, -ENOMEM, or what @fn returned. */
int recent_samples_emit(const struct recent_samples *s, __u64 begin, state_fn fn, void *ctx);

#endif /* AUXREC_RECENT_SAMPLES_H */
