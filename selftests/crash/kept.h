/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a crash has left in the region of kept rings, read as uapi/perfaux.h describes it. This
 * code shares nothing with the module but the structs, so that it can judge the module.
 */
#ifndef KEPT_H
#define KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../uapi/perfaux.h"
#include "../modules/auxgen.h"

#define KEPT_CPUS	AUXGEN_LEDGER_CPUS

/* What the crashing program writes into the user part, in front of a pattern */
#define NOTE_MAGIC	0x65746f6e2d747563ULL
#define NOTE_USER_SIZE	(16U << 12)

struct note {
	uint64_t magic;
	uint64_t seed;
	uint64_t since;			/* CLOCK_MONOTONIC, when the events began */
	uint64_t until;			/* likewise, shortly before the crash */
	uint64_t produced;		/* records of the producer that are committed */
};

static inline uint64_t note_word(uint64_t seed, uint32_t i)
{
	return (seed + i) * 0xd1342543de82ef95ULL + 1;
}

/* The cookies of events have the stream of auxgen in their low four bits. */
#define COOKIE_AUX	0xc0de00ULL
#define COOKIE_RAW	0xc0df00ULL
#define COOKIE_PRODUCED	0x100000000ULL

/* The streams: what makes auxgen write, and what it does */
enum {
	STREAM_TIMER	= 1,
	STREAM_NMI	= 2,
	STREAM_CTX	= 3,		/* tasks; the others belong to CPUs */
	STREAM_TRUNCATE	= 4,
	NR_STREAMS	= 5,
};

struct kept {
	const uint8_t *region;
	uint64_t size;
	const struct perfaux_kept_header *header;
	const struct perfaux_stop *stop;
	const struct perfaux_control *ctl;
	const struct perfaux_segment *segments;
	const struct perfaux_span *spans;
	const struct perfaux_gap *gaps;
	const struct perfaux_open *opens;
	const uint64_t *gap_sums;
	const struct note *note;
	const uint8_t *data;
};

/* A span or an open span, with a sum that is right */
struct kept_span {
	uint64_t t_begin;
	uint64_t t_end;			/* 0: the span is open */
	uint64_t seq;			/* likewise */
	uint64_t cookie;
	uint32_t cpu;
	uint32_t flags;
	uint32_t segment;
	const uint8_t *data;
	uint32_t length;
};

typedef void (*kept_span_fn)(void *ctx, const struct kept_span *span);
typedef void (*kept_gap_fn)(void *ctx, const struct perfaux_gap *gap);
typedef void (*kept_frame_fn)(void *ctx, const struct perfaux_frame *frame);

/* Open and map the region on @dev. Returns NULL, or what is wrong. */
const char *kept_open(struct kept *kept, int dev);
/* The same for a copy of a region in memory */
const char *kept_look(struct kept *kept, const void *region, uint64_t size);

/* Is the sum of the stop right? */
bool kept_has_stop(const struct kept *kept);
/* Return how many entries of spans are counted but have a wrong sum. */
unsigned int kept_spans(const struct kept *kept, kept_span_fn fn, void *ctx);
void kept_gaps(const struct kept *kept, kept_gap_fn fn, void *ctx);
/*
 * Call @fn for each committed frame. Returns how many segments have something that is neither a
 * frame nor clear memory.
 */
unsigned int kept_frames(const struct kept *kept, kept_frame_fn fn, void *ctx);
/* Return how many segments were being claimed. */
unsigned int kept_claimed(const struct kept *kept);

#endif /* KEPT_H */
