/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up cgroups in their file system. Samples contain the id of a cgroup of the hierarchy that
 * has the controller perf_event. The id is in the file handle of the cgroup's directory.
 */
#ifndef AUXREC_CGROUPS_H
#define AUXREC_CGROUPS_H

#include <linux/types.h>
#include <stdbool.h>

/* Open the root directory of the hierarchy. Return -ENOENT if it is not mounted. */
int cgroups_open(void);

/* Get the id of a directory below @dir ("": of @dir itself). Return 0 or -errno. */
int cgroups_id(int dir, const char *path, __u64 *id);

/*
 * Is @dir the root of the hierarchy? In a cgroup namespace it is not: the kernel's paths do not
 * begin at @dir and cannot be looked up.
 */
bool cgroups_is_root(int dir);

/* Does the cgroup still exist? For struct state_ask. @ctx: a pointer to the root's descriptor */
bool cgroups_is_there(void *ctx, __u64 id, const char *path);

#endif /* AUXREC_CGROUPS_H */
