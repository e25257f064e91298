// SPDX-License-Identifier: GPL-2.0-only
/* The output of a time line as an HTML file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/page/format.h"
#include "view/page/html.h"
#include "view/page/lane.h"
#include "view/page/names.h"
#include "view/page/page.h"
#include "view/page/write.h"
#include "view/timeline/timeline.h"

struct page {
	struct timeline	timeline;	/* must be first */
	char		*title;
	struct html	html;
	struct spill	spill;
	struct lane	**lanes;
	__u32		nr_lanes;
	struct names	names;
	size_t		pending;	/* bytes of chunks that are not complete */
};

static struct page *page_of(struct timeline *t)
{
	return (struct page *)t;
}

static struct lane *lane_of(struct page *p, __u32 lane)
{
	return lane < p->nr_lanes ? p->lanes[lane] : NULL;
}

/*
 * If too much is in memory, write it to the temporary file. Return @err, or an error of the write.
 */
static int limit(struct page *p, int err)
{
	__u32 i;

	if (p->pending <= PAGE_PENDING)
		return err;
	for (i = 0; i < p->nr_lanes && !err; i++)
		err = lane_cut(p->lanes[i], &p->spill);
	return err;
}

static int page_lane(struct timeline *t, __u32 lane, const struct tl_lane *desc)
{
	struct page *p = page_of(t);
	int err;

	if (lane != p->nr_lanes)
		return -EINVAL;
	err = grow((void **)&p->lanes, p->nr_lanes, sizeof(*p->lanes));
	if (err)
		return err;
	p->lanes[lane] = lane_new(desc, &p->pending);
	if (!p->lanes[lane])
		return -ENOMEM;
	p->nr_lanes++;
	return 0;
}

static int page_name(struct timeline *t, __u32 name, const struct tl_name *desc)
{
	struct page *p = page_of(t);

	return name == p->names.nr_all ? names_add(&p->names, &p->spill, desc) : -EINVAL;
}

static int page_enter(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	struct page *p = page_of(t);
	struct lane *l = lane_of(p, lane);

	if (!l || name >= p->names.nr_all)
		return -EINVAL;
	lane_time(l, time, time);
	p->names.count[name]++;
	return limit(p, calls_enter(&l->calls, &p->spill, time, name, flags & TL_BEGAN_EARLIER));
}

static int page_leave(struct timeline *t, __u32 lane, __u64 time, unsigned int flags)
{
	struct page *p = page_of(t);
	struct lane *l = lane_of(p, lane);

	if (!l)
		return -EINVAL;
	lane_time(l, time, time);
	return calls_leave(&l->calls, &p->spill, time, flags & TL_CUT);
}

static int page_stack(struct timeline *t, __u32 lane, __u64 time, const __u32 *names,
		      unsigned int nr, __u64 weight)
{
	struct page *p = page_of(t);
	struct lane *l = lane_of(p, lane);
	unsigned int i;
	int err;

	if (!l)
		return -EINVAL;
	for (i = 0; i < nr; i++)
		if (names[i] >= p->names.nr_all)
			return -EINVAL;
	lane_time(l, time, time);
	err = samples_add(&l->samples, &p->spill, time, names, nr, weight, &i);
	for (; !err && i < nr; i++)
		p->names.count[names[i]]++;
	return limit(p, err);
}

static int page_mark(struct timeline *t, __u32 lane, const struct tl_mark *mark)
{
	struct page *p = page_of(t);
	struct lane *l = lane_of(p, lane);

	if (!l || (unsigned int)mark->kind >= MARK_KINDS || mark->end < mark->begin)
		return -EINVAL;
	lane_time(l, mark->begin, mark->end);
	return limit(p, marks_add(&l->marks, &p->spill, mark));
}

static int page_point(struct timeline *t, __u32 lane, const struct tl_point *point)
{
	struct page *p = page_of(t);
	struct lane *l = lane_of(p, lane);

	if (!l)
		return -EINVAL;
	lane_time(l, point->time, point->time);
	return limit(p, lane_point(l, &p->spill, point));
}

static int page_end(struct timeline *t)
{
	struct page *p = page_of(t);
	struct page_parts parts = {
		.title = p->title, .lanes = p->lanes, .nr_lanes = p->nr_lanes, .names = &p->names,
		.spill = &p->spill,
	};
	int err = names_end(&p->names, &p->spill);
	__u32 i;

	for (i = 0; i < p->nr_lanes && !err; i++)
		err = lane_end(p->lanes[i], &p->spill);
	return err ? err : page_write(&p->html, &parts);
}

static void page_free(struct timeline *t)
{
	struct page *p = page_of(t);
	__u32 i;

	for (i = 0; i < p->nr_lanes; i++)
		lane_free(p->lanes[i]);
	free(p->lanes);
	names_free(&p->names);
	html_close(&p->html);
	spill_close(&p->spill);
	free(p->title);
	free(p);
}

static const struct timeline_ops page_ops = {
	.lane = page_lane,
	.name = page_name,
	.enter = page_enter,
	.leave = page_leave,
	.stack = page_stack,
	.mark = page_mark,
	.point = page_point,
	.end = page_end,
	.free = page_free,
};

struct timeline *page_new(const char *path, const char *title)
{
	struct page *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return NULL;
	p->timeline.ops = &page_ops;
	p->spill.fd = -1;
	p->title = strdup(title ? title : "");
	p->timeline.title = p->title;
	if (p->title)
		err = html_open(&p->html, path);
	if (!err)
		err = spill_open(&p->spill, path);
	if (err) {
		page_free(&p->timeline);
		errno = -err;
		return NULL;
	}
	return &p->timeline;
}
