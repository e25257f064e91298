// SPDX-License-Identifier: GPL-2.0-only
/* Levels of detail: items, and cells that stand for several shorter ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/page/level.h"

#define COLUMNS		8

static struct level *level_at(struct levels *l, unsigned int at)
{
	if (!l->level[at]) {
		l->level[at] = calloc(1, sizeof(*l->level[at]));
		if (l->level[at])
			l->nr = at + 1;
	}
	return l->level[at];
}

static void encode(const struct levels *l, const struct level *level, struct buf *column,
		   struct chunk *desc)
{
	const struct item *item;
	__u64 before;
	__u32 i;

	*desc = (struct chunk){ .begin = ~0ULL, .nr = level->nr_items };
	for (i = 0; i < level->nr_items; i++) {
		item = &level->items[i];
		if (item->begin < desc->begin)
			desc->begin = item->begin;
		if (item->end > desc->end)
			desc->end = item->end;
	}
	before = desc->begin;
	for (i = 0; i < level->nr_items; i++) {
		item = &level->items[i];
		buf_signed(&column[0], item->begin - before);
		before = item->begin;
		buf_varint(&column[1], item->end - item->begin);
		buf_varint(&column[4], item->count);
		switch (l->kind) {
		case LEVEL_CALLS:
			buf_varint(&column[2], (__u64)item->row << 2 | item->flags);
			buf_varint(&column[3], item->name);
			break;
		case LEVEL_MARKS:
			buf_varint(&column[2], item->row);
			buf_varint(&column[5], item->value);
			break;
		case LEVEL_POINTS:
			buf_double(&column[6], item->low);
			buf_double(&column[7], item->high);
			break;
		}
	}
}

/* Write the chunk of a level. The items stay in memory, for the next level. */
static int write_chunk(struct levels *l, struct spill *s, struct level *level)
{
	struct buf columns[COLUMNS] = { 0 };
	struct chunk desc;
	unsigned int i;
	int err;

	encode(l, level, columns, &desc);
	err = spill_put(s, &level->chunks, &desc, columns, COLUMNS);
	for (i = 0; i < COLUMNS; i++)
		buf_free(&columns[i]);
	return err;
}

static int add_at(struct levels *l, struct spill *s, unsigned int at, const struct item *item);

/* Complete the chunk of a level, and give its items to the next level if @feed. */
static int cut_at(struct levels *l, struct spill *s, unsigned int at, bool feed)
{
	struct level *level = l->level[at];
	int err;
	__u32 i;

	if (!level->nr_items)
		return 0;
	err = write_chunk(l, s, level);
	if (feed && at + 1 < PAGE_LEVELS)
		for (i = 0; i < level->nr_items && !err; i++)
			err = add_at(l, s, at + 1, &level->items[i]);
	*l->pending -= level->nr_items * sizeof(*level->items);
	level->nr_items = 0;
	return err;
}

/* Add an item or a cell to the chunk of a level. */
static int emit(struct levels *l, struct spill *s, unsigned int at, const struct item *item)
{
	struct level *level = l->level[at];
	struct item *more;

	if (level->nr_items == level->size_items) {
		level->size_items = level->size_items ? level->size_items * 2 : 16;
		more = realloc(level->items, level->size_items * sizeof(*more));
		if (!more)
			return -ENOMEM;
		level->items = more;
	}
	level->items[level->nr_items++] = *item;
	*l->pending += sizeof(*item);
	level->nr++;
	return level->nr_items < PAGE_ITEMS ? 0 : cut_at(l, s, at, true);
}

/* Make room for the cell of @row. */
static int more_cells(struct level *level, __u32 row)
{
	__u32 nr = level->nr_cells ? level->nr_cells : 4;
	struct item *more;

	while (nr <= row)
		nr *= 2;
	more = realloc(level->cells, nr * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + level->nr_cells, 0, (nr - level->nr_cells) * sizeof(*more));
	level->cells = more;
	level->nr_cells = nr;
	return 0;
}

/* Can @item become a part of @cell, at a resolution of @r? */
static bool joins(const struct item *cell, const struct item *item, __u64 r)
{
	__u64 begin = item->begin < cell->begin ? item->begin : cell->begin;
	__u64 end = item->end > cell->end ? item->end : cell->end;

	return end - begin <= r;
}

static __u64 sum(__u64 a, __u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

static void join(enum level_kind kind, struct item *cell, const struct item *item)
{
	if (item->begin < cell->begin)
		cell->begin = item->begin;
	if (item->end > cell->end)
		cell->end = item->end;
	cell->count = sum(cell->count, item->count);
	cell->flags = 0;
	if (kind == LEVEL_MARKS) {
		cell->value = sum(cell->value, item->value);
	} else if (item->value > cell->value) {
		cell->value = item->value;
		cell->name = item->name;
	}
	if (item->low < cell->low)
		cell->low = item->low;
	if (item->high > cell->high)
		cell->high = item->high;
}

static int flush_cell(struct levels *l, struct spill *s, unsigned int at, struct item *cell)
{
	struct item full = *cell;

	cell->count = 0;
	return full.count ? emit(l, s, at, &full) : 0;
}

static int add_at(struct levels *l, struct spill *s, unsigned int at, const struct item *item)
{
	__u64 r = 1ULL << level_exponent(at);
	struct level *level = level_at(l, at);
	struct item *cell;
	int err;

	if (!level)
		return -ENOMEM;
	if (item->row >= level->nr_cells) {
		err = more_cells(level, item->row);
		if (err)
			return err;
	}
	cell = &level->cells[item->row];
	if (item->end - item->begin >= r) {
		err = flush_cell(l, s, at, cell);
		return err ? err : emit(l, s, at, item);
	}
	if (cell->count && joins(cell, item, r)) {
		join(l->kind, cell, item);
		return 0;
	}
	err = flush_cell(l, s, at, cell);
	*cell = *item;
	return err;
}

int levels_add(struct levels *l, struct spill *s, const struct item *item)
{
	return item->row < PAGE_LEVEL_ROWS ? add_at(l, s, 0, item) : 0;
}

static void free_items(struct level *level)
{
	free(level->items);
	level->items = NULL;
	level->size_items = 0;
}

int levels_cut(struct levels *l, struct spill *s)
{
	unsigned int at;
	int err = 0;

	for (at = 0; at < l->nr && !err; at++) {
		err = cut_at(l, s, at, true);
		free_items(l->level[at]);
	}
	return err;
}

int levels_end(struct levels *l, struct spill *s)
{
	struct level *level;
	unsigned int at;
	int err = 0;
	__u32 row;

	for (at = 0; at < l->nr && !err; at++) {
		level = l->level[at];
		for (row = 0; row < level->nr_cells && !err; row++)
			err = flush_cell(l, s, at, &level->cells[row]);
		/* A level with few items needs no further one. */
		if (!err)
			err = cut_at(l, s, at, level->nr > PAGE_ITEMS / 4 || at + 1 < l->nr);
		free_items(level);
		free(level->cells);
		level->cells = NULL;
		level->nr_cells = 0;
	}
	return err;
}

bool level_needed(const struct levels *l, unsigned int level, __u64 *nr)
{
	__u64 mine = l->level[level]->nr;

	if (*nr <= PAGE_LEVEL_FEW || !mine || mine > *nr / PAGE_LEVEL_RATIO)
		return false;
	*nr = mine;
	return true;
}

void levels_free(struct levels *l)
{
	unsigned int at;

	for (at = 0; at < l->nr; at++) {
		chunks_free(&l->level[at]->chunks);
		free(l->level[at]->items);
		free(l->level[at]->cells);
		free(l->level[at]);
	}
	l->nr = 0;
}
