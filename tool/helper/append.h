/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Append lines to a file that several processes write to.
 */
#ifndef AUXREC_HELPER_APPEND_H
#define AUXREC_HELPER_APPEND_H

#include "base/util.h"

/* A file that would be larger is renamed to FILE.old first, which replaces an older FILE.old. */
#define APPEND_MAX	(16U << 20)

/*
 * Append @line, which has no newline, and a newline, and wait until both are on disk. If the file
 * ends within a line, because the machine crashed, that line is ended first. After an error of
 * the write, the file is as it was; the name of a new file may not be on disk.
 *
 * Return: 0, -EBUSY if another process holds the file's lock (flock(2)) for 5 s, or another
 * -errno, with a message.
 */
int append_line(const char *path, const char *line, struct diag *d);

#endif /* AUXREC_HELPER_APPEND_H */
