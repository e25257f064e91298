/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUX data of a thread or a CPU, which is in pieces in the file of the recording.
 */
#ifndef VIEW_QUEUE_H
#define VIEW_QUEUE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "view/temporary/blocks.h"

struct queue_piece {
	__u64	at;		/* in the queue, not counting missing data: the key in the list */
	__u64	file_offset;
	__u64	size;
	bool	follows;	/* nothing is missing before it */
};

struct queue {
	__u32	tid;		/* TL_NOBODY: a CPU's */
	__u32	cpu;		/* TL_NOBODY: a thread's */
	struct blocks pieces;
	__u64	first_size;	/* of the first piece */
	__u64	size;
	__u64	next;		/* the recorder's offset of the next piece, if nothing is missing */
};

void queue_init(struct queue *q, struct blocks_file *f);
void queue_free(struct queue *q);

/* Add a piece. @offset: the recorder's, which counts missing data. Return 0 or -errno. */
int queue_add(struct queue *q, __u64 file_offset, __u64 size, __u64 offset);

/* Find the place up to which no data is missing from @at on. Return 0 or -errno. */
int queue_span_end(const struct queue *q, __u64 at, __u64 *end);

/* Read @size bytes from @at on. Return 0 or -errno; -ENODATA: the file has become shorter. */
int queue_read(const struct queue *q, int fd, __u64 at, void *buf, size_t size);

#endif /* VIEW_QUEUE_H */
