/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Levels of detail (format.h): what the browser draws instead of millions of calls, marks or
 * points.
 *
 * A level has a resolution R. An item that lasts R or longer stays an item. Shorter items of one
 * row that follow each other are joined to a cell, which lasts R at most. If a pixel is R or more,
 * a picture of the level differs from a picture of the items only inside of pixels. The next
 * level, with a larger R, is made of the items and cells of this level.
 */
#ifndef VIEW_PAGE_LEVEL_H
#define VIEW_PAGE_LEVEL_H

#include <linux/types.h>
#include <stdbool.h>

#include "view/page/chunk.h"
#include "view/page/format.h"

struct item {
	__u64	begin;
	__u64	end;
	__u64	count;		/* calls, marks or points in it; 0: this cell is empty */
	__u64	value;		/* see enum level_kind */
	__u32	row;
	__u32	flags;		/* of a call, if count is 1 */
	__u32	name;
	double	low;
	double	high;
};

enum level_kind {
	LEVEL_CALLS,		/* value: length of the longest call, which gives the name */
	LEVEL_MARKS,		/* value: the sum of the marks' values */
	LEVEL_POINTS,
};

struct level {
	struct chunks	chunks;
	__u64		nr;		/* items of the chunks */
	struct item	*items;		/* of the chunk that is not complete */
	__u32		nr_items;
	__u32		size_items;
	struct item	*cells;		/* by row */
	__u32		nr_cells;
};

struct levels {
	enum level_kind	kind;
	struct level	*level[PAGE_LEVELS];
	unsigned int	nr;
	size_t		*pending;	/* bytes of all chunks of the page that are not complete */
};

/* Exponent of the resolution of a level */
static inline unsigned int level_exponent(unsigned int level)
{
	return PAGE_LEVEL_FIRST + PAGE_LEVEL_STEP * level;
}

/*
 * Add an item to the first level. If the items do not come in the order of their ends, there are
 * more cells than necessary. Return 0 or -errno.
 */
int levels_add(struct levels *l, struct spill *s, const struct item *item);

/* End the incomplete chunks, to free memory. Return 0 or -errno. */
int levels_cut(struct levels *l, struct spill *s);

/* There are no more items. Return 0 or -errno. */
int levels_end(struct levels *l, struct spill *s);

/*
 * Return whether the page needs a level, see PAGE_LEVEL_FEW. The caller asks about one level after
 * the other, first with @nr = the number of all items. If the level is needed, @nr becomes its
 * number of items.
 */
bool level_needed(const struct levels *l, unsigned int level, __u64 *nr);

void levels_free(struct levels *l);

#endif
