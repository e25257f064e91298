/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of a lane (MARKS in format.h), with sums for each kind and levels.
 */
#ifndef VIEW_PAGE_MARKS_H
#define VIEW_PAGE_MARKS_H

#include "view/page/level.h"
#include "view/timeline/timeline.h"

#define MARKS_COLUMNS	6
#define MARK_KINDS	(TL_MARK_RAW + 1)
#define MARKS_RECENT	64

struct mark_sum {
	__u64	nr;
	__u64	value;
	__u64	length;
};

struct marks {
	struct chunks	chunks;
	struct levels	levels;
	struct buf	column[MARKS_COLUMNS];
	struct mark_sum	sum[MARK_KINDS];
	__u64		begin;		/* of this chunk */
	__u64		end;
	__u64		first;		/* begin of the first mark that was told */
	__u64		before;		/* begin of the previous mark */
	__u64		nr_all;
	__u32		nr;		/* in this chunk */
	__u32		nr_texts;
	/* Some texts of this chunk, by hash: number + 1, and place in the column */
	struct {
		__u32	number;
		__u32	offset;
	} recent[MARKS_RECENT];
	size_t		counted;
	size_t		*pending;
};

/* All return 0 or -errno. */
int marks_add(struct marks *m, struct spill *s, const struct tl_mark *mark);
int marks_cut(struct marks *m, struct spill *s);
int marks_end(struct marks *m, struct spill *s);
void marks_free(struct marks *m);

#endif
