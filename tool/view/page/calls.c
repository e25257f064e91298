// SPDX-License-Identifier: GPL-2.0-only
/* Chunks of calls, with the open calls at the begin of each, the sums of groups, and levels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/page/calls.h"
#include "view/page/format.h"
#include "view/timeline/timeline.h"

enum column {
	OPENED,
	KINDS,
	TIMES,
	NAMES,
	WEIGHTS,
};

static void begin_chunk(struct calls *c)
{
	struct buf *opened = &c->column[OPENED];
	__u32 i;

	c->chunk_begun = true;
	c->chunk_begin = c->last;
	c->low = c->nr_open;
	c->nr_events = 0;
	/* Each chunk repeats the open calls. The more there are, the longer is the chunk. */
	c->most_events = PAGE_CALLS + 2 * c->nr_open;
	for (i = 0; i < c->nr_open; i++) {
		buf_varint(opened, c->open[i].name);
		buf_varint(opened, c->chunk_begin - c->open[i].begin);
		buf_varint(opened, c->open[i].flags);
	}
}

/* Begin a new group. The open calls are in its tree, too. */
static int begin_group(struct calls *c)
{
	__u32 node = 0, i;
	int err = 0;

	c->group_begin = c->last;
	c->group_chunks = 0;
	for (i = 0; i < c->nr_open && !err; i++) {
		err = sums_child(&c->sums, node, c->open[i].name, &node);
		c->open[i].node = node;
	}
	return err;
}

/* Add the part of a call that is in this group to the call's node. */
static void add_time(struct calls *c, const struct open_call *call)
{
	__u64 begin = call->begin > c->group_begin ? call->begin : c->group_begin;

	c->sums.nodes[call->node].time += c->last - begin;
}

static int end_group(struct calls *c, struct spill *s)
{
	struct buf columns[SUMS_COLUMNS] = { 0 };
	struct chunk desc = {
		.begin = c->group_begin, .end = c->last, .nr = c->group_chunks,
	};
	__u32 i;
	int err;

	for (i = 0; i < c->nr_open; i++)
		add_time(c, &c->open[i]);
	err = sums_write(&c->sums, columns);
	if (!err)
		err = spill_put(s, &c->groups, &desc, columns, SUMS_COLUMNS);
	for (i = 0; i < SUMS_COLUMNS; i++)
		buf_free(&columns[i]);
	sums_clear(&c->sums);
	return err ? err : begin_group(c);
}

static int end_chunk(struct calls *c, struct spill *s, bool group)
{
	struct chunk desc = {
		.begin = c->chunk_begin, .end = c->last, .nr = c->nr_events, .low = c->low,
	};
	int err;

	if (c->chunk_begun) {
		c->chunk_begun = false;
		err = spill_put(s, &c->chunks, &desc, c->column, CALLS_COLUMNS);
		if (err)
			return err;
		c->group_chunks++;
		*c->pending -= c->counted;
		c->counted = 0;
	}
	if (c->group_chunks && (group || c->group_chunks >= PAGE_GROUP_CHUNKS ||
				c->sums.nr > PAGE_GROUP_NODES))
		return end_group(c, s);
	return 0;
}

static int event(struct calls *c, struct spill *s, __u64 time, enum page_event kind,
		 unsigned int flags)
{
	__u64 before = c->last;
	int err;

	if (c->begun && time < c->last)
		return -EINVAL;
	if (c->chunk_begun && c->nr_events >= c->most_events) {
		err = end_chunk(c, s, false);
		if (err)
			return err;
	}
	if (!c->begun) {
		c->begun = true;
		c->last = time;
		c->group_begin = time;
		before = time;
	}
	if (!c->chunk_begun)
		begin_chunk(c);
	buf_byte(&c->column[KINDS], kind | flags << 2);
	buf_varint(&c->column[TIMES], time - before);
	c->last = time;
	c->nr_events++;
	/* An event takes about this many bytes in the columns and in the tree. */
	c->counted += 16;
	*c->pending += 16;
	return 0;
}

int calls_enter(struct calls *c, struct spill *s, __u64 time, __u32 name, unsigned int flags)
{
	__u32 size = c->size_open ? c->size_open * 2 : 32;
	struct open_call *open;
	int err;

	err = event(c, s, time, PAGE_ENTER, flags);
	if (err)
		return err;
	buf_varint(&c->column[NAMES], name);
	if (c->nr_open == c->size_open) {
		open = realloc(c->open, size * sizeof(*open));
		if (!open)
			return -ENOMEM;
		c->open = open;
		c->size_open = size;
	}
	open = &c->open[c->nr_open];
	*open = (struct open_call){ .begin = time, .name = name, .flags = flags };
	err = sums_child(&c->sums, c->nr_open ? open[-1].node : 0, name, &open->node);
	if (err)
		return err;
	c->sums.nodes[open->node].count++;
	c->nr_open++;
	if (c->nr_open > c->depth)
		c->depth = c->nr_open;
	c->nr_calls++;
	return 0;
}

int calls_leave(struct calls *c, struct spill *s, __u64 time, unsigned int flags)
{
	struct open_call *call;
	struct item item;
	int err;

	if (!c->nr_open)
		return -EINVAL;
	err = event(c, s, time, PAGE_LEAVE, flags);
	if (err)
		return err;
	call = &c->open[--c->nr_open];
	if (c->nr_open < c->low)
		c->low = c->nr_open;
	add_time(c, call);
	item = (struct item){
		.begin = call->begin, .end = time, .count = 1, .value = time - call->begin,
		.row = c->nr_open, .flags = call->flags | flags, .name = call->name,
	};
	return levels_add(&c->levels, s, &item);
}

int calls_sample(struct calls *c, struct spill *s, __u64 time, __u64 weight)
{
	int err = event(c, s, time, PAGE_SAMPLE, 0);
	__u32 node = 0;

	if (err)
		return err;
	buf_varint(&c->column[WEIGHTS], weight);
	c->nr_samples++;
	c->weight += weight;
	if (c->nr_open)
		node = c->open[c->nr_open - 1].node;
	if (node)
		c->sums.nodes[node].weight += weight;
	return 0;
}

int calls_cut(struct calls *c, struct spill *s)
{
	int err = end_chunk(c, s, true);
	unsigned int i;

	for (i = 0; i < CALLS_COLUMNS; i++)
		buf_free(&c->column[i]);
	return err ? err : levels_cut(&c->levels, s);
}

int calls_end(struct calls *c, struct spill *s, __u64 time, unsigned int flags)
{
	int err = 0;

	while (c->nr_open && !err)
		err = calls_leave(c, s, time, flags);
	if (!err)
		err = end_chunk(c, s, true);
	if (!err)
		err = levels_end(&c->levels, s);
	return err;
}

void calls_free(struct calls *c)
{
	unsigned int i;

	for (i = 0; i < CALLS_COLUMNS; i++)
		buf_free(&c->column[i]);
	chunks_free(&c->chunks);
	chunks_free(&c->groups);
	levels_free(&c->levels);
	sums_clear(&c->sums);
	free(c->open);
}
