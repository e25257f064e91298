/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunks (format.h) that are complete. Their bytes wait in a temporary file until the page is
 * written, and only their places in the file are in memory.
 */
#ifndef VIEW_PAGE_CHUNK_H
#define VIEW_PAGE_CHUNK_H

#include <linux/types.h>
#include <stddef.h>

#include "view/page/buf.h"

struct chunk {
	__u64	begin;		/* absolute */
	__u64	end;
	__u64	offset;		/* in the temporary file */
	__u32	len;
	__u32	nr;
	__u32	low;
};

struct chunks {
	struct chunk	*list;
	size_t		nr;
};

struct spill {
	int		fd;
	__u64		end;
	struct buf	lengths;
};

/* Open the temporary file, beside @path or else in TMPDIR or /tmp. Return 0 or -errno. */
int spill_open(struct spill *s, const char *path);
void spill_close(struct spill *s);

/*
 * Add a chunk to @c: begin, end, nr and low are those of @desc. Empty the @nr_columns buffers of
 * @columns. Return 0 or -errno.
 */
int spill_put(struct spill *s, struct chunks *c, const struct chunk *desc, struct buf *columns,
	      unsigned int nr_columns);

/* Read the bytes of a chunk into @out. Return 0 or -errno. */
int spill_get(const struct spill *s, const struct chunk *chunk, struct buf *out);

void chunks_free(struct chunks *c);

#endif
