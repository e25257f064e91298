/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory of a test's own. */
#ifndef MERGE_SCRATCH_H
#define MERGE_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

/*
 * scratch_dir() - makes /dev/shm/@name.XXXXXX, or /tmp/@name.XXXXXX where there is no /dev/shm
 *
 * merge syncs each file that it writes: that takes minutes on a disk, and nothing in memory.
 *
 * Return: 0, its name in @dir, or -1 with errno.
 */
static inline int scratch_dir(char *dir, size_t size, const char *name)
{
	snprintf(dir, size, "/dev/shm/%s.XXXXXX", name);
	if (mkdtemp(dir))
		return 0;
	snprintf(dir, size, "/tmp/%s.XXXXXX", name);
	return mkdtemp(dir) ? 0 : -1;
}

#endif
