/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of perfetto/ share.
 */
#ifndef VIEW_PERFETTO_PARTS_H
#define VIEW_PERFETTO_PARTS_H

#include <stdio.h>

#include "base/hash_map.h"
#include "view/perfetto/fields.h"
#include "view/perfetto/perfetto.h"
#include "view/perfetto/proto.h"

/* Arguments of events. packet.c has their names. */
enum perfetto_argument {
	ARG_NONE, ARG_BEGAN_EARLIER, ARG_CUT, ARG_UNTIL, ARG_BYTES, ARG_RECORDS, ARG_VALUE,
	ARG_TEXT, ARG_CPU, ARG_WEIGHT,
	NR_ARGUMENTS,
};

struct perfetto_lane {
	enum tl_lane_kind kind;
	__u32	pid;
	__u32	tid;
	__u32	depth;		/* calls that have not ended */
	__u64	last;		/* the last time that was told */
	__u64	run_end;	/* the end of the last slice on the track "runs" */
	bool	has_runs;	/* the track "runs" was described */
};

struct perfetto_counter {
	__u32	lane;
	char	*what;
};

/* Stacks that were interned lately. A stack that is not here any more is interned again. */
#define PERFETTO_STACKS	4096

struct perfetto_stack {
	__u64	number;		/* 0: free */
	__u32	*names;
	unsigned int nr;
	unsigned int room;
};

struct perfetto {
	struct timeline timeline;	/* must be first */
	FILE	*file;
	char	*path;		/* NULL: stdout */
	char	*tmp;
	char	*title;
	struct proto packet;
	size_t	begin;		/* of the packet's contents */

	struct perfetto_lane *lanes;
	size_t	nr_lanes;
	__u32	*objects_of;	/* number of the object, for each name */
	size_t	nr_names;
	char	**objects;	/* their paths; an object's number is its index + 1 */
	size_t	nr_objects;
	struct read_map object_map;
	struct perfetto_counter *counters;
	size_t	nr_counters;
	struct read_map counter_map;
	struct perfetto_stack stacks[PERFETTO_STACKS];
	__u64	nr_stacks;
};

/* --- packets (view/perfetto/packet.c) --------------------------------------- */

/* Write the first packet, which has the names of arguments. Return 0 or -errno. */
int perfetto_first_packet(struct perfetto *t);
/* Begin another packet. A packet has at most one message of a kind. */
void perfetto_packet(struct perfetto *t);
/* Write the packet. Return 0 or -errno. */
int perfetto_write(struct perfetto *t);
/* Intern a string. */
void perfetto_intern(struct perfetto *t, unsigned int field, __u64 number, const char *s);

/* Begin an event; the return value is for perfetto_event_end(). */
size_t perfetto_event(struct perfetto *t, __u64 time, enum event_type type, __u64 track);
/* End the event, and write its packet. Return 0 or -errno. */
int perfetto_event_end(struct perfetto *t, size_t event);

void perfetto_flag(struct perfetto *t, enum perfetto_argument name);
void perfetto_number(struct perfetto *t, enum perfetto_argument name, __u64 value);
void perfetto_text(struct perfetto *t, enum perfetto_argument name, const char *s);

/* --- tracks (view/perfetto/track.c) ----------------------------------------- */

__u64 perfetto_track(__u32 lane);
__u64 perfetto_runs_track(__u32 lane);
/* Describe the track of a lane. */
int perfetto_add_lane(struct perfetto *t, __u32 lane, const struct tl_lane *desc);
/* Describe the track that tells when a lane's thread ran, unless it was described. */
int perfetto_add_runs(struct perfetto *t, __u32 lane);
/* Store the counter track of a lane in @track, and describe it unless it was described. */
int perfetto_add_counter(struct perfetto *t, __u32 lane, const char *what, __u64 *track);

/* --- samples (view/perfetto/sample.c) --------------------------------------- */

int perfetto_sample(struct perfetto *t, __u32 lane, __u64 time, const __u32 *names,
		    unsigned int nr, __u64 weight);
void perfetto_free_stacks(struct perfetto *t);

/* --- marks (view/perfetto/mark.c) ------------------------------------------- */

int perfetto_mark(struct perfetto *t, __u32 lane, const struct tl_mark *mark);

#endif /* VIEW_PERFETTO_PARTS_H */
