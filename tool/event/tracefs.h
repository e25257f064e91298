/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints as tracefs describes them.
 */
#ifndef AUXREC_TRACEPOINT_H
#define AUXREC_TRACEPOINT_H

#include <linux/types.h>
#include <stddef.h>

#include "base/names.h"

/* Where tracefs is mounted. Returns 0, -ENOENT (nowhere), -ENAMETOOLONG. */
int tracepoint_find_tracefs(char *buf, size_t size);

/* The directories of events/, sorted. Returns 0 or -errno. */
int tracepoint_systems(const char *tracefs, struct names *names);
/* The events of one of them. */
int tracepoint_events(const char *tracefs, const char *system,
		      struct names *names);
/* What attr.config has to be. Returns 0 or -errno. */
int tracepoint_id(const char *tracefs, const char *system, const char *name,
		  __u64 *id);

#endif /* AUXREC_TRACEPOINT_H */
