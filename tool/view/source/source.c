// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that both passes over a recording use.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/source/source.h"

int source_init(struct source *s, int fd, struct timeline *out, const struct source_options *o)
{
	int rc;

	*s = (struct source) { .options = *o, .fd = fd, .out = out };
	spaces_init(&s->spaces, &s->objects, &s->lists);
	names_init(&s->names, out);
	threads_init(&s->threads, &s->names);
	rc = objects_init(&s->objects, &o->places);
	rc = rc ?: blocks_open(&s->lists);
	rc = rc ?: ends_init(&s->ends);
	return rc ?: cpus_init(&s->cpus);
}

void source_warn(struct source *s, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	s->options.warn(text);
	free(text);
}

struct view *source_view(struct source *s, __u32 pid, __u64 time)
{
	const struct space *space = spaces_find(&s->spaces, pid);
	struct view *v;
	__u32 i;

	if (!space || !read_map_get(&s->spaces.by_pid, pid, &i))
		return NULL;
	v = &s->views[i];
	if (!v->spaces)
		view_init(v, &s->spaces);
	return view_move(v, space, time) ? NULL : v;
}
