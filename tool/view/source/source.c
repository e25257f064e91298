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
	*s = (struct source) { .options = *o, .fd = fd, .out = out };
	s->spaces.objects = &s->objects;
	names_init(&s->names, out);
	threads_init(&s->threads, &s->names);
	return objects_init(&s->objects, &o->places);
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

const struct source_cpu *source_cpu(const struct source *s, __u32 cpu)
{
	size_t i;

	for (i = 0; i < s->nr_cpus; i++)
		if (s->cpus[i].cpu == cpu)
			return &s->cpus[i];
	return NULL;
}

struct thread *source_on_cpu(const struct source *s, const struct source_cpu *cpu, __u64 time)
{
	size_t low = 0, high = cpu ? cpu->nr : 0, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (cpu->list[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? threads_find(&s->threads, cpu->list[low - 1].tid) : NULL;
}
