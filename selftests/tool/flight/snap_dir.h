/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory for a test's snapshots, and what is in it.
 */
#ifndef SNAP_DIR_H
#define SNAP_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a new directory, in TMPDIR or /tmp, the current one. */
bool snap_dir_enter(char *dir, size_t size);
/* Mounts a tmpfs of @size ("1m") on a new directory and makes that the current one. */
bool snap_dir_small(const char *size);
void snap_dir_leave(const char *dir);

/* Names in the current directory, sorted, a blank behind each */
const char *snap_dir_list(void);
unsigned int snap_dir_count(void);

/* A stream's 16 bytes and @more zeros; a time in the name leaves the file's alone. */
bool snap_write(const char *name, size_t more);

#endif /* SNAP_DIR_H */
