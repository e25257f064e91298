/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that is recorded, made up: what happens on its CPUs, what the recorder has of
 * it at any time, and the snapshots that it would write.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdio.h>

#include "history/recent.h"
#include "../state/history.h"

#define CPUS		4
#define BATCH		32	/* of time, that is read at once */
#define MAX_THINGS	20000
#define MAX_SNAPSHOTS	16
#define WORLD_RECORDING	0x1122334455667788ULL
#define WORLD_KEY	0x99aabbccddeeff00ULL

/* First ids; CPU N has the Nth behind it. */
enum {
	ID_CLOCK = 10, ID_OUTPUT = 20, ID_AUX = 30, ID_CHUNK = 40, ID_PAYLOAD = 50,
	ID_SNAPSHOT = 60,
};

enum world_aux { AUX_TASKS, AUX_CPUS, AUX_SAMPLES };

struct world_span {
	uint64_t begin, end;
	uint32_t tid, cpu;
	uint32_t length;	/* bytes; 0: a gap */
	uint32_t flags;
	bool nobody;		/* a gap of several threads */
};

/* What a producer in the kernel wrote to the raw ring. */
struct world_raw {
	uint64_t time;
	uint32_t cpu;
};

struct world_snapshot {
	uint64_t begin, settled, trigger;
	size_t first_span, end_span;
	size_t first_raw, end_raw;
	/* Of the mark. Each span, and gap, has a segment of its own, from number 1 on. */
	uint64_t raw_begin, raw_end, raw_first, raw_last;
	uint64_t once;		/* so many BUILD_IDs, and programs' types */
};

struct world {
	/* settings */
	enum world_aux aux;
	bool late;		/* one CPU is read a batch later */
	bool stopped;		/* CPUs are, with records that nobody can read yet */
	bool release;		/* spans of a snapshot are not in the next one */
	bool pre;		/* some have less than there is */
	struct recent_limits limits;
	/* what happened */
	struct recent *recent;
	struct model all;
	uint64_t now;
	uint64_t settled;	/* all of it was read */
	uint64_t sample_time[MAX_THINGS];	/* by number, from 1 */
	uint64_t side_time[MAX_THINGS];
	/* Those from this number on were written when it had been read; 0: it was not. */
	uint8_t sample_read[MAX_THINGS], side_read[MAX_THINGS];
	uint32_t nr_samples, nr_sides;
	uint64_t payload_time;	/* of the last one */
	struct world_span span[MAX_THINGS];
	size_t nr_spans, first_span;
	struct world_raw raw[MAX_THINGS];
	size_t nr_raws, first_raw;
	uint64_t open[CPUS];	/* begin of the span that is written */
	struct world_snapshot snapshot[MAX_SNAPSHOTS];
	unsigned int nr_snapshots;
	unsigned int nr_ids;	/* CPUs that were seen */
};

void world_begin(struct world *w);
/* A batch passes. */
void world_pass(struct world *w);
/* What is written to the file is a snapshot's stream. */
void world_snapshot(struct world *w, const char *path);
void world_end(struct world *w);

uint8_t world_byte(size_t span, uint32_t at);

#endif /* WORLD_H */
