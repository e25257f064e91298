// SPDX-License-Identifier: GPL-2.0-only
/* Copy all chunks from the temporary file to the page, and write the index at the same time. */
#include <errno.h>
#include <stdio.h>

#include "view/page/format.h"
#include "view/page/write.h"

struct writer {
	struct html	*html;
	struct spill	*spill;
	struct buf	index;
	struct buf	chunk;		/* the one that is copied */
	__u64		base;		/* the first time of all lanes */
};

static int write_chunks(struct writer *w, const struct chunks *c)
{
	__u64 before = w->base;
	__u32 len = 0;
	size_t i;
	int err;

	buf_varint(&w->index, c->nr);
	for (i = 0; i < c->nr; i++) {
		const struct chunk *chunk = &c->list[i];

		err = spill_get(w->spill, chunk, &w->chunk);
		if (!err)
			err = html_blob(w->html, &w->chunk, &len);
		if (err)
			return err;
		buf_signed(&w->index, chunk->begin - before);
		before = chunk->begin;
		buf_varint(&w->index, chunk->end - chunk->begin);
		buf_varint(&w->index, chunk->nr);
		buf_varint(&w->index, chunk->low);
		buf_varint(&w->index, len);
	}
	return 0;
}

static int write_levels(struct writer *w, const struct levels *l, __u64 nr)
{
	unsigned int level, needed = 0;
	__u64 left = nr;
	int err = 0;

	for (level = 0; level < l->nr; level++)
		needed += level_needed(l, level, &left);
	buf_varint(&w->index, needed);
	left = nr;
	for (level = 0; level < l->nr && !err; level++) {
		if (!level_needed(l, level, &left))
			continue;
		buf_varint(&w->index, level_exponent(level));
		err = write_chunks(w, &l->level[level]->chunks);
	}
	return err;
}

static int write_calls(struct writer *w, const struct calls *c)
{
	int err;

	buf_varint(&w->index, c->nr_calls);
	buf_varint(&w->index, c->nr_samples);
	buf_varint(&w->index, c->weight);
	buf_varint(&w->index, c->depth);
	err = write_chunks(w, &c->chunks);
	if (!err)
		err = write_chunks(w, &c->groups);
	return err ? err : write_levels(w, &c->levels, c->nr_calls);
}

static int write_points(struct writer *w, const struct points *p)
{
	int err;

	buf_string(&w->index, p->what);
	buf_varint(&w->index, p->nr_all);
	buf_double(&w->index, p->low);
	buf_double(&w->index, p->high);
	err = write_chunks(w, &p->chunks);
	return err ? err : write_levels(w, &p->levels, p->nr_all);
}

static int write_lane(struct writer *w, const struct lane *l)
{
	unsigned int kind;
	__u32 i;
	int err;

	buf_varint(&w->index, l->desc.kind);
	buf_varint(&w->index, (__u32)(l->desc.pid + 1));
	buf_varint(&w->index, (__u32)(l->desc.tid + 1));
	buf_varint(&w->index, (__u32)(l->desc.cpu + 1));
	buf_string(&w->index, l->desc.name);
	err = write_calls(w, &l->calls);
	if (!err)
		err = write_calls(w, &l->samples.calls);
	if (err)
		return err;
	for (kind = 0; kind < MARK_KINDS; kind++) {
		buf_varint(&w->index, l->marks.sum[kind].nr);
		buf_varint(&w->index, l->marks.sum[kind].value);
		buf_varint(&w->index, l->marks.sum[kind].length);
	}
	err = write_chunks(w, &l->marks.chunks);
	if (!err)
		err = write_levels(w, &l->marks.levels, l->marks.nr_all);
	buf_varint(&w->index, l->nr_points);
	for (i = 0; i < l->nr_points && !err; i++)
		err = write_points(w, &l->points[i]);
	return err;
}

static int write_names(struct writer *w, const struct names *n)
{
	__u32 i;
	int err;

	buf_varint(&w->index, n->nr_objects);
	for (i = 0; i < n->nr_objects; i++)
		buf_string(&w->index, n->object[i]);
	buf_varint(&w->index, n->nr_all);
	err = write_chunks(w, &n->chunks);
	return err ? err : write_chunks(w, &n->counts);
}

/* Find the first and the last time of all lanes. */
static void find_times(const struct page_parts *parts, __u64 *begin, __u64 *end)
{
	bool any = false;
	__u32 i;

	*begin = 0;
	*end = 0;
	for (i = 0; i < parts->nr_lanes; i++) {
		const struct lane *l = parts->lanes[i];

		if (!l->any)
			continue;
		if (!any || l->begin < *begin)
			*begin = l->begin;
		if (!any || l->end > *end)
			*end = l->end;
		any = true;
	}
}

int page_write(struct html *h, const struct page_parts *parts)
{
	struct writer w = { .html = h, .spill = parts->spill };
	char base[32];
	__u64 end;
	__u32 i, len;
	int err;

	find_times(parts, &w.base, &end);
	snprintf(base, sizeof(base), "%llu", w.base);
	buf_varint(&w.index, PAGE_VERSION);
	buf_string(&w.index, parts->title);
	buf_string(&w.index, base);
	buf_varint(&w.index, end - w.base);
	err = html_begin(h);
	if (!err)
		err = write_names(&w, parts->names);
	buf_varint(&w.index, parts->nr_lanes);
	for (i = 0; i < parts->nr_lanes && !err; i++)
		err = write_lane(&w, parts->lanes[i]);
	if (!err)
		err = html_index(h);
	if (!err)
		err = html_blob(h, &w.index, &len);
	if (!err)
		err = html_end(h);
	buf_free(&w.index);
	buf_free(&w.chunk);
	return err;
}
