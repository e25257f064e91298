// SPDX-License-Identifier: GPL-2.0-only
/* Chunks of points. */
#include <errno.h>
#include <stdlib.h>

#include "view/page/format.h"
#include "view/page/points.h"

enum column {
	TIMES,
	VALUES,
};

#define POINT_BYTES	16

static int end_chunk(struct points *p, struct spill *s)
{
	struct chunk desc = { .begin = p->begin, .end = p->last, .nr = p->nr };
	int err = 0;

	if (p->nr)
		err = spill_put(s, &p->chunks, &desc, p->column, POINTS_COLUMNS);
	*p->pending -= p->nr * POINT_BYTES;
	p->nr = 0;
	return err;
}

int points_add(struct points *p, struct spill *s, __u64 time, double value)
{
	struct item item = {
		.begin = time, .end = time, .count = 1, .low = value, .high = value,
	};
	int err;

	if (p->nr_all && time < p->last)
		return -EINVAL;
	if (!p->nr) {
		p->begin = time;
		p->last = time;
	}
	if (!p->nr_all || value < p->low)
		p->low = value;
	if (!p->nr_all || value > p->high)
		p->high = value;
	buf_signed(&p->column[TIMES], time - p->last);
	buf_double(&p->column[VALUES], value);
	p->last = time;
	p->nr++;
	p->nr_all++;
	*p->pending += POINT_BYTES;
	if (p->nr >= PAGE_ITEMS) {
		err = end_chunk(p, s);
		if (err)
			return err;
	}
	return levels_add(&p->levels, s, &item);
}

int points_cut(struct points *p, struct spill *s)
{
	int err = end_chunk(p, s);
	unsigned int i;

	for (i = 0; i < POINTS_COLUMNS; i++)
		buf_free(&p->column[i]);
	return err ? err : levels_cut(&p->levels, s);
}

int points_end(struct points *p, struct spill *s)
{
	int err = end_chunk(p, s);

	return err ? err : levels_end(&p->levels, s);
}

void points_free(struct points *p)
{
	unsigned int i;

	for (i = 0; i < POINTS_COLUMNS; i++)
		buf_free(&p->column[i]);
	chunks_free(&p->chunks);
	levels_free(&p->levels);
	free(p->what);
}
