// SPDX-License-Identifier: GPL-2.0-only
/* A lane, and its parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/page/lane.h"

static void init_calls(struct calls *c, size_t *pending)
{
	c->pending = pending;
	c->levels.pending = pending;
	c->levels.kind = LEVEL_CALLS;
}

struct lane *lane_new(const struct tl_lane *desc, size_t *pending)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->desc = *desc;
	l->desc.name = strdup(desc->name ? desc->name : "");
	if (!l->desc.name) {
		free(l);
		return NULL;
	}
	init_calls(&l->calls, pending);
	init_calls(&l->samples.calls, pending);
	l->marks.pending = pending;
	l->marks.levels.pending = pending;
	l->marks.levels.kind = LEVEL_MARKS;
	return l;
}

void lane_time(struct lane *l, __u64 begin, __u64 end)
{
	if (!l->any || begin < l->begin)
		l->begin = begin;
	if (!l->any || end > l->end)
		l->end = end;
	l->any = true;
}

int lane_point(struct lane *l, struct spill *s, const struct tl_point *point)
{
	struct points *p;
	__u32 i;
	int err;

	for (i = 0; i < l->nr_points; i++)
		if (!strcmp(l->points[i].what, point->what))
			return points_add(&l->points[i], s, point->time, point->value);
	err = grow((void **)&l->points, l->nr_points, sizeof(*l->points));
	if (err)
		return err;
	p = &l->points[l->nr_points];
	*p = (struct points){
		.what = strdup(point->what), .pending = l->marks.pending,
		.levels = { .kind = LEVEL_POINTS, .pending = l->marks.pending },
	};
	if (!p->what)
		return -ENOMEM;
	l->nr_points++;
	return points_add(p, s, point->time, point->value);
}

int lane_cut(struct lane *l, struct spill *s)
{
	int err = calls_cut(&l->calls, s);
	__u32 i;

	if (!err)
		err = calls_cut(&l->samples.calls, s);
	if (!err)
		err = marks_cut(&l->marks, s);
	for (i = 0; i < l->nr_points && !err; i++)
		err = points_cut(&l->points[i], s);
	return err;
}

int lane_end(struct lane *l, struct spill *s)
{
	int err = calls_end(&l->calls, s, l->end, TL_CUT);
	__u32 i;

	if (!err)
		err = samples_end(&l->samples, s, l->end);
	if (!err)
		err = marks_end(&l->marks, s);
	for (i = 0; i < l->nr_points && !err; i++)
		err = points_end(&l->points[i], s);
	return err;
}

void lane_free(struct lane *l)
{
	__u32 i;

	calls_free(&l->calls);
	calls_free(&l->samples.calls);
	marks_free(&l->marks);
	for (i = 0; i < l->nr_points; i++)
		points_free(&l->points[i]);
	free(l->points);
	free((char *)l->desc.name);
	free(l);
}
