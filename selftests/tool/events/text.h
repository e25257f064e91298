/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that grows, and what `auxrec list` prints as such.
 */
#ifndef EVENTS_TEXT_H
#define EVENTS_TEXT_H

#include <stddef.h>

struct text {
	char *s;
	size_t len;
};

void text_add(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Runs `auxrec list @args` on the tree @dir: lines "out ...", "err ..." and
 * "status N", in which @root is $ROOT. @args is cut to pieces.
 */
void list_run(struct text *out, const char *dir, char *args, const char *root);

#endif /* EVENTS_TEXT_H */
