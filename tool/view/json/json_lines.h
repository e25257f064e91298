/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A time line as lines of JSON, one object on each line. auxrec-export(1) describes the objects.
 */
#ifndef VIEW_JSON_LINES_H
#define VIEW_JSON_LINES_H

#include "view/timeline/timeline.h"

/* @path: a file, or "-": standard output. Return NULL, with errno set. */
struct timeline *json_lines_new(const char *path, const char *title);

#endif /* VIEW_JSON_LINES_H */
