/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that grows, and the output of `auxrec list` as such a text.
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
 * Run `auxrec list @args` on the tree @dir and add its output: lines "out ...", "err ..." and
 * "status N", with $ROOT instead of @root. @args is cut into pieces.
 */
void list_run(struct text *out, const char *dir, char *args, const char *root);

#endif /* EVENTS_TEXT_H */
