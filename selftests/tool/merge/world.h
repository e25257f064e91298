/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up machine that is recorded: what happens on its CPUs, which records the recorder has at
 * any time, and the snapshots that it would write.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdio.h>

#include "history/recent.h"
#include "../state/history.h"

#define CPUS		4
#define BATCH		32	/* time between two reads */
#define MAX_THINGS	20000
#define MAX_SNAPSHOTS	16
#define WORLD_RECORDING	0x1122334455667788ULL
#define WORLD_KEY	0x99aabbccddeeff00ULL

/* The ids of CPU 0's events. CPU N has the Nth id after each of them. */
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

/* Raw data that a producer in the kernel wrote to the raw ring */
struct world_raw {
	uint64_t time;
	uint32_t cpu;
};

struct world_snapshot {
	uint64_t begin, settled, trigger;
	size_t first_span, end_span;
	size_t first_raw, end_raw;
	/* Fields of the mark. Each span and each gap has a segment of its own, from number 1 on. */
	uint64_t raw_begin, raw_end, raw_first, raw_last;
	uint64_t once;		/* number of BUILD_IDs, and of BPF programs' types */
};

struct world {
	/* settings */
	enum world_aux aux;
	bool late;		/* one CPU is read a batch later */
	bool stopped;		/* CPUs are stopped before they publish their records */
	bool release;		/* spans of a snapshot are not in the next one */
	bool pre;		/* some snapshots have less than the whole history */
	struct recent_limits limits;
	/* what happened */
	struct recent *recent;
	struct model all;
	uint64_t now;
	uint64_t settled;	/* all records up to this time were read */
	uint64_t sample_time[MAX_THINGS];	/* by number, from 1 */
	uint64_t side_time[MAX_THINGS];
	/*
	 * Number of the first snapshot that was written after the record was read; 0: it was not
	 * read
	 */
	uint8_t sample_read[MAX_THINGS], side_read[MAX_THINGS];
	uint32_t nr_samples, nr_sides;
	uint64_t payload_time;	/* of the last payload */
	struct world_span span[MAX_THINGS];
	size_t nr_spans, first_span;
	struct world_raw raw[MAX_THINGS];
	size_t nr_raws, first_raw;
	uint64_t open[CPUS];	/* begin of the span that is being written */
	struct world_snapshot snapshot[MAX_SNAPSHOTS];
	unsigned int nr_snapshots;
	unsigned int nr_ids;	/* CPUs that were seen */
};

void world_begin(struct world *w);
/* Let the time go on by BATCH. Programs make records, and the recorder reads the rings. */
void world_pass(struct world *w);
/* Write a snapshot's stream to the file @path. */
void world_snapshot(struct world *w, const char *path);
void world_end(struct world *w);

uint8_t world_byte(size_t span, uint32_t at);

#endif /* WORLD_H */
