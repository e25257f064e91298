/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks: a line for each different call stack, with the time in its newest function. Flame
 * graph tools read them.
 */
#ifndef VIEW_FOLDED_H
#define VIEW_FOLDED_H

#include "view/timeline/timeline.h"

/* @path: a file, or "-": standard output. Return NULL, with errno set. */
struct timeline *folded_new(const char *path, const char *title);

#endif /* VIEW_FOLDED_H */
