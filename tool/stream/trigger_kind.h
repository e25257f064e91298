/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of triggers: their numbers in snapshots, and their names.
 */
#ifndef AUXREC_STREAM_TRIGGER_KIND_H
#define AUXREC_STREAM_TRIGGER_KIND_H

enum trigger_kind {
	TRIGGER_SIGNAL	= 1,	/* snapshots contain these numbers, see stream/snapshot_mark.h */
	TRIGGER_SOCKET	= 2,
	TRIGGER_EVENT	= 3,
	TRIGGER_BPF	= 4,
	TRIGGER_EXEC	= 5,
	TRIGGER_EXIT	= 6,
	TRIGGER_CRASH	= 7,
	TRIGGER_MACHINE	= 8,	/* the machine crashed, see auxrec recover */
	TRIGGER_PRESSURE = 9,
	TRIGGER_HANG	= 10,
	TRIGGER_LATENCY	= 11,
};

#define TRIGGER_NAME_MAX	64	/* with its NUL */

/* Return "signal", "socket" and so on, or NULL if there is no such kind. */
const char *trigger_kind_name(unsigned int kind);

#endif /* AUXREC_STREAM_TRIGGER_KIND_H */
