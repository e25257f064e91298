/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading tracefs: the names and ids of tracepoints.
 */
#ifndef AUXREC_TRACEPOINT_H
#define AUXREC_TRACEPOINT_H

#include <linux/types.h>
#include <stddef.h>

#include "base/names.h"

/* Find where tracefs is mounted. Return 0, -ENOENT if it is not, or -ENAMETOOLONG. */
int tracepoint_find_tracefs(char *buf, size_t size);

/* List the directories of events/, sorted. Return 0 or -errno. */
int tracepoint_systems(const char *tracefs, struct names *names);
/* List the events of one of these directories, sorted. Return 0 or -errno. */
int tracepoint_events(const char *tracefs, const char *system,
		      struct names *names);
/* Read a tracepoint's id, which is its attr.config. Return 0 or -errno. */
int tracepoint_id(const char *tracefs, const char *system, const char *name,
		  __u64 *id);

#endif /* AUXREC_TRACEPOINT_H */
