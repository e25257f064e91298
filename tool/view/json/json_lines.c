// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a time line as lines of JSON.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "view/json/json_lines.h"
#include "view/timeline/file.h"

struct json_lines {
	struct timeline timeline;
	struct json json;
};

static struct json *begin(struct timeline *t, const char *type)
{
	struct json *j = &((struct json_lines *)t)->json;

	json_object(j, NULL, JSON_TIGHT);
	json_string(j, "type", type);
	return j;
}

static int end_line(struct json *j)
{
	json_end_object(j);
	return ferror(j->f) ? -EIO : 0;
}

static void number_if(struct json *j, const char *key, __u32 value)
{
	if (value != TL_NOBODY)
		json_u64(j, key, value);
}

static int lane(struct timeline *t, __u32 number, const struct tl_lane *desc)
{
	static const char * const kinds[] = { "thread", "cpu", "recording" };
	struct json *j = begin(t, "lane");

	json_u64(j, "lane", number);
	json_string(j, "kind", kinds[desc->kind]);
	number_if(j, "pid", desc->pid);
	number_if(j, "tid", desc->tid);
	number_if(j, "cpu", desc->cpu);
	json_string(j, "name", desc->name);
	return end_line(j);
}

static int name(struct timeline *t, __u32 number, const struct tl_name *desc)
{
	struct json *j = begin(t, "name");

	json_u64(j, "name", number);
	json_string(j, "function", desc->function);
	json_string(j, "object", desc->object);
	if (desc->address)
		json_u64(j, "address", desc->address);
	return end_line(j);
}

static int enter(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	struct json *j = begin(t, "enter");

	json_u64(j, "lane", lane);
	json_u64(j, "time", time);
	json_u64(j, "name", name);
	if (flags & TL_BEGAN_EARLIER)
		json_bool(j, "began_earlier", true);
	return end_line(j);
}

static int leave(struct timeline *t, __u32 lane, __u64 time, unsigned int flags)
{
	struct json *j = begin(t, "leave");

	json_u64(j, "lane", lane);
	json_u64(j, "time", time);
	if (flags & TL_CUT)
		json_bool(j, "cut", true);
	return end_line(j);
}

static int stack(struct timeline *t, __u32 lane, __u64 time, const __u32 *names, unsigned int nr,
		 __u64 weight)
{
	struct json *j = begin(t, "stack");
	unsigned int i;

	json_u64(j, "lane", lane);
	json_u64(j, "time", time);
	json_u64(j, "weight", weight);
	json_array(j, "names", JSON_TIGHT);
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, names[i]);
	json_end_array(j);
	return end_line(j);
}

static int mark(struct timeline *t, __u32 lane, const struct tl_mark *m)
{
	static const char * const kinds[] = {
		"gap", "lost", "error", "trigger", "start", "comm", "exit", "runs", "sample", "raw"
	};
	struct json *j = begin(t, "mark");

	json_u64(j, "lane", lane);
	json_string(j, "kind", kinds[m->kind]);
	json_u64(j, "begin", m->begin);
	json_u64(j, "end", m->end);
	json_u64(j, "value", m->value);
	json_string(j, "text", m->text);
	return end_line(j);
}

static int point(struct timeline *t, __u32 lane, const struct tl_point *p)
{
	struct json *j = begin(t, "point");

	json_u64(j, "lane", lane);
	json_u64(j, "time", p->time);
	json_double(j, "value", p->value);
	json_string(j, "what", p->what);
	return end_line(j);
}

static int end(struct timeline *t)
{
	return timeline_file_flush(((struct json_lines *)t)->json.f);
}

static void release(struct timeline *t)
{
	timeline_file_close(((struct json_lines *)t)->json.f);
	free(t);
}

static const struct timeline_ops ops = {
	.lane = lane, .name = name, .enter = enter, .leave = leave, .stack = stack, .mark = mark,
	.point = point, .end = end, .free = release,
};

struct timeline *json_lines_new(const char *path, const char *title)
{
	struct json_lines *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->timeline = (struct timeline) { .ops = &ops, .title = title };
	new->json.f = timeline_file_open(path);
	if (!new->json.f) {
		free(new);
		return NULL;
	}
	return &new->timeline;
}
