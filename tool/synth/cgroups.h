/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups that there are. Samples have the number of one, of the hierarchy that has the
 * controller perf_event; the number is that of its directory's file handle.
 */
#ifndef AUXREC_CGROUPS_H
#define AUXREC_CGROUPS_H

#include <linux/types.h>
#include <stdbool.h>

/* Open the root directory of the hierarchy. Return -ENOENT if it is not mounted. */
int cgroups_open(void);

/* The number of a directory below @dir ("": @dir itself). 0 or -errno. */
int cgroups_id(int dir, const char *path, __u64 *id);

/*
 * Is @dir the root of all? Else, in a cgroup namespace, the kernel's paths do not begin
 * there, and cannot be looked up.
 */
bool cgroups_is_root(int dir);

/* struct state_ask, with a pointer to that directory as @ctx */
bool cgroups_is_there(void *ctx, __u64 id, const char *path);

#endif /* AUXREC_CGROUPS_H */
