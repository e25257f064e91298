/* SPDX-License-Identifier: GPL-2.0-only */
/* A temporary directory for a test. */
#ifndef MERGE_SCRATCH_H
#define MERGE_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

/*
 * scratch_dir() - make /dev/shm/@name.XXXXXX, or /tmp/@name.XXXXXX if there is no /dev/shm
 *
 * merge syncs each file that it writes. The syncs take minutes on a disk, and no time in memory.
 *
 * Return: 0 and the directory's name in @dir, or -1 with errno.
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
