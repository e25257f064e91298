/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of a test's snapshots: make it, list it and remove it.
 */
#ifndef SNAP_DIR_H
#define SNAP_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Make a new directory in TMPDIR or /tmp, and change to it. */
bool snap_dir_enter(char *dir, size_t size);
/* Mount a tmpfs of @size ("1m") on a new directory, and change to it. */
bool snap_dir_small(const char *size);
void snap_dir_leave(const char *dir);

/* The names in the current directory, sorted, with a blank after each */
const char *snap_dir_list(void);
unsigned int snap_dir_count(void);

/*
 * Write a file with a stream's 16 bytes and @more zeros. A time in its name does not set the
 * file's mtime.
 */
bool snap_write(const char *name, size_t more);

#endif /* SNAP_DIR_H */
