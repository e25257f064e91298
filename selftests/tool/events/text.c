// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that grows, and the output of `auxrec list` as such a text.
 */
#define _GNU_SOURCE
#include <err.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "text.h"

void text_add(struct text *text, const char *fmt, ...)
{
	va_list args;
	char *more;
	int len;

	va_start(args, fmt);
	len = vasprintf(&more, fmt, args);
	va_end(args);
	if (len < 0)
		errx(2, "out of memory");
	text->s = realloc(text->s, text->len + len + 1);
	if (!text->s)
		errx(2, "out of memory");
	memcpy(text->s + text->len, more, len + 1);
	text->len += len;
	free(more);
}

/* Add the lines of @file, each after @prefix. */
static void print_lines(struct text *out, const char *prefix, FILE *file,
			const char *root)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	char *at;

	rewind(file);
	while ((len = getline(&line, &room, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at = strstr(line, root);
		if (at)
			text_add(out, "%s %.*s$ROOT%s\n", prefix,
				 (int)(at - line), line, at + strlen(root));
		else
			text_add(out, "%s%s%s\n", prefix, *line ? " " : "", line);
	}
	free(line);
	fclose(file);
}

void list_run(struct text *out, const char *dir, char *args, const char *root)
{
	char sysfs[PATH_MAX + 8], tracefs[PATH_MAX + 10];
	char *argv[16] = { "list", "--sysfs", sysfs, "--tracefs", tracefs };
	FILE *files[2] = { tmpfile(), tmpfile() };
	int saved[2] = { dup(1), dup(2) };
	int argc = 5;
	int status;

	snprintf(sysfs, sizeof(sysfs), "%s/sysfs", dir);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", dir);
	for (char *p = strtok(args, " "); p && argc < 15;
	     p = strtok(NULL, " "))
		argv[argc++] = p;
	if (!files[0] || !files[1])
		err(2, "tmpfile");
	fflush(stdout);
	dup2(fileno(files[0]), 1);
	dup2(fileno(files[1]), 2);
	status = auxrec_list_main(argc, argv);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], i + 1);
		close(saved[i]);
	}
	print_lines(out, "out", files[0], root);
	print_lines(out, "err", files[1], root);
	text_add(out, "status %d\n", status);
}
