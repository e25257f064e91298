/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of an output that is text.
 */
#ifndef VIEW_TIMELINE_FILE_H
#define VIEW_TIMELINE_FILE_H

#include <stdio.h>

/*
 * @path: "-" is standard output, which timeline_file_close() leaves open. Return NULL with
 * errno.
 */
FILE *timeline_file_open(const char *path);
/* Return 0, or -errno if something was not written. */
int timeline_file_flush(FILE *file);
void timeline_file_close(FILE *file);

#endif /* VIEW_TIMELINE_FILE_H */
