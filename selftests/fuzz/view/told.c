// SPDX-License-Identifier: GPL-2.0-only
/*
 * A time line that checks the rules for sources, see view/timeline/timeline.h.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "../scratch.h"
#include "base/util.h"
#include "told.h"

struct told {
	struct timeline timeline;
	struct timeline *next;
	struct told_lane {
		__u64 time;
		__u64 depth;
	} *lanes;
	__u32	nr_lanes;
	__u32	nr_names;
	bool	ended;
};

static struct told *told_of(struct timeline *t)
{
	struct told *told = (struct told *)t;

	must(!told->ended);
	return told;
}

static struct told_lane *lane_at(struct told *t, __u32 lane, __u64 time)
{
	must(lane < t->nr_lanes);
	must(t->lanes[lane].time <= time);
	t->lanes[lane].time = time;
	return &t->lanes[lane];
}

static int lane(struct timeline *timeline, __u32 number, const struct tl_lane *desc)
{
	struct told *t = told_of(timeline);

	must(number == t->nr_lanes && desc->name);
	must(!grow((void **)&t->lanes, t->nr_lanes, sizeof(*t->lanes)));
	t->lanes[t->nr_lanes++] = (struct told_lane) { 0, 0 };
	return t->next->ops->lane(t->next, number, desc);
}

static int name(struct timeline *timeline, __u32 number, const struct tl_name *desc)
{
	struct told *t = told_of(timeline);

	must(number == t->nr_names++ && desc->function && desc->object);
	return t->next->ops->name(t->next, number, desc);
}

static int enter(struct timeline *timeline, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	struct told *t = told_of(timeline);

	must(name < t->nr_names);
	lane_at(t, lane, time)->depth++;
	return t->next->ops->enter(t->next, lane, time, name, flags);
}

static int leave(struct timeline *timeline, __u32 lane, __u64 time, unsigned int flags)
{
	struct told *t = told_of(timeline);

	must(lane_at(t, lane, time)->depth--);
	return t->next->ops->leave(t->next, lane, time, flags);
}

static int stack(struct timeline *timeline, __u32 lane, __u64 time, const __u32 *names,
		 unsigned int nr, __u64 weight)
{
	struct told *t = told_of(timeline);
	unsigned int i;

	lane_at(t, lane, time);
	for (i = 0; i < nr; i++)
		must(names[i] < t->nr_names);
	return t->next->ops->stack(t->next, lane, time, names, nr, weight);
}

static int mark(struct timeline *timeline, __u32 lane, const struct tl_mark *m)
{
	struct told *t = told_of(timeline);

	lane_at(t, lane, m->begin);
	must(m->end >= m->begin && m->text);
	return t->next->ops->mark(t->next, lane, m);
}

static int point(struct timeline *timeline, __u32 lane, const struct tl_point *p)
{
	struct told *t = told_of(timeline);

	lane_at(t, lane, p->time);
	must(p->what);
	return t->next->ops->point(t->next, lane, p);
}

static int end(struct timeline *timeline)
{
	struct told *t = told_of(timeline);

	t->ended = true;
	return t->next->ops->end(t->next);
}

static void release(struct timeline *timeline)
{
	struct told *t = (struct told *)timeline;

	t->next->ops->free(t->next);
	free(t->lanes);
	free(t);
}

static const struct timeline_ops ops = {
	.lane = lane, .name = name, .enter = enter, .leave = leave, .stack = stack, .mark = mark,
	.point = point, .end = end, .free = release,
};

struct timeline *told_new(struct timeline *next)
{
	struct told *t = next ? calloc(1, sizeof(*t)) : NULL;

	if (!t)
		return NULL;
	t->timeline = (struct timeline) { .ops = &ops, .title = next->title };
	t->next = next;
	return &t->timeline;
}
