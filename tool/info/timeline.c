// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time line of a recording, as buckets of time.
 */
#include "info/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* 256 ns, so that even a very short recording fills the columns */
#define FIRST_SHIFT	8

static void merge(struct timeline_bucket *to, const struct timeline_bucket *from)
{
	to->bytes += from->bytes;
	to->samples += from->samples;
	to->gaps += from->gaps;
}

/*
 * Double the width of the buckets. A bucket begins at a multiple of its width.
 */
static void widen(struct timeline *t)
{
	__u64 odd = t->base & 1;
	size_t r, i;

	for (r = 0; r < t->nr; r++) {
		struct timeline_bucket *b = t->rows[r]->bucket;
		struct timeline_bucket old[TIMELINE_BUCKETS];

		memcpy(old, b, sizeof(old));
		memset(b, 0, sizeof(old));
		for (i = 0; i < TIMELINE_BUCKETS; i++)
			merge(&b[(i + odd) / 2], &old[i]);
	}
	t->base >>= 1;
	t->shift++;
}

/*
 * Let the buckets begin earlier. Buckets that are moved out at the end must be
 * empty.
 */
static void move_base(struct timeline *t, __u64 base)
{
	__u64 by = t->base - base;
	size_t r;

	for (r = 0; r < t->nr; r++) {
		struct timeline_bucket *b = t->rows[r]->bucket;

		memmove(b + by, b, (TIMELINE_BUCKETS - by) * sizeof(*b));
		memset(b, 0, by * sizeof(*b));
	}
	t->base = base;
}

/*
 * Make room for @time, which can be before or after all others. The base is
 * always the bucket of the first time.
 */
static void cover(struct timeline *t, __u64 time)
{
	if (!t->any) {
		t->any = true;
		t->shift = FIRST_SHIFT;
		t->base = time >> t->shift;
		t->first = time;
		t->last = time;
	}
	if (time < t->first)
		t->first = time;
	if (time > t->last)
		t->last = time;
	while ((t->last >> t->shift) - (t->first >> t->shift) >=
	       TIMELINE_BUCKETS)
		widen(t);
	if (t->first >> t->shift < t->base)
		move_base(t, t->first >> t->shift);
}

static struct timeline_row *find_row(struct timeline *t, __u64 key)
{
	struct timeline_row **rows, *row;
	__u32 i;

	if (read_map_get(&t->by_key, key, &i))
		return t->rows[i];
	if (t->nr >= TIMELINE_ROWS && key != TIMELINE_OTHERS)
		return find_row(t, TIMELINE_OTHERS);
	if (!(t->nr & (t->nr - 1))) {
		size_t room = t->nr ? t->nr * 2 : 1;

		rows = realloc(t->rows, room * sizeof(*rows));
		if (!rows)
			return NULL;
		t->rows = rows;
	}
	row = calloc(1, sizeof(*row));
	if (!row || read_map_set(&t->by_key, key, t->nr)) {
		free(row);
		return NULL;
	}
	row->key = key;
	t->rows[t->nr++] = row;
	return row;
}

int timeline_add(struct timeline *t, __u64 key, enum timeline_what what,
		 __u64 begin, __u64 end, double amount)
{
	struct timeline_row *row;
	__u64 from, to, i;

	if (!begin || begin == ~0ULL)
		return 0;
	if (end < begin)
		end = begin;
	cover(t, begin);
	cover(t, end);
	row = find_row(t, key);
	if (!row)
		return -ENOMEM;
	from = (begin >> t->shift) - t->base;
	to = (end >> t->shift) - t->base;
	for (i = from; i <= to && i < TIMELINE_BUCKETS; i++) {
		struct timeline_bucket *b = &row->bucket[i];

		if (what == TIMELINE_BYTES)
			b->bytes += amount / (to - from + 1);
		else if (what == TIMELINE_SAMPLE)
			b->samples++;
		else
			b->gaps++;
	}
	if (what == TIMELINE_BYTES)
		row->bytes += amount;
	else if (what == TIMELINE_SAMPLE)
		row->samples++;
	else
		row->gaps++;
	return 0;
}

void timeline_columns(const struct timeline *t, const struct timeline_row *row,
		      struct timeline_bucket *columns, int nr)
{
	__u64 first = (t->first >> t->shift) - t->base;
	__u64 used = (t->last >> t->shift) - t->base - first + 1, i;

	memset(columns, 0, nr * sizeof(*columns));
	for (i = 0; i < used; i++) {
		const struct timeline_bucket *b = &row->bucket[first + i];
		__u64 from = i * nr / used, to = (i + 1) * nr / used, col;

		/*
		 * With fewer buckets than columns, one bucket covers several
		 * columns.
		 */
		if (to <= from)
			to = from + 1;
		for (col = from; col < to; col++) {
			struct timeline_bucket part = *b;

			part.bytes /= to - from;
			merge(&columns[col], &part);
		}
	}
}

void timeline_free(struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->rows[i]);
	free(t->rows);
	read_map_free(&t->by_key);
	*t = (struct timeline) { 0 };
}
