/* SPDX-License-Identifier: GPL-2.0-only */
/* The raw data of an event's samples: in the sample, or where a reference leads */
#ifndef RAW_SEEN_H
#define RAW_SEEN_H

#include "raw_lib.h"

/* Counts of the samples of an event, which are checked one by one */
struct seen {
	struct ring *ring;
	uint64_t cookie;
	uint64_t samples;
	uint64_t references;
	uint64_t kept;		/* samples with their data */
	uint64_t bytes;		/* in frames */
	uint64_t lost[16];	/* references without data, by cause */
	uint64_t lost_bytes;
	uint64_t stale;		/* references to segments that are in use again */
	uint64_t last_n;
	const char *wrong;
	/* checks the data, which must have @size bytes; NULL: the data is not checked */
	bool (*check)(const void *data, uint64_t size, uint64_t *n);
	uint32_t size;
	/*
	 * the data of all samples, one after the other, with zeros where perf pads
	 * a sample's data
	 */
	uint8_t *copy;
	bool pad;
	size_t copied, room;
};

/* A raw_fn; @ctx is a struct seen. */
void see(void *ctx, const struct raw_sample *sample);

static inline const char *wrong_of(const struct seen *seen)
{
	return seen->wrong ?: "";
}

#endif /* RAW_SEEN_H */
