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

struct queue_piece {
	__u64	at;		/* in the queue, without what is missing */
	__u64	file_offset;
	__u64	size;
	bool	follows;	/* nothing is missing before it */
};

struct queue {
	__u32	tid;		/* TL_NOBODY: a CPU's */
	__u32	cpu;		/* TL_NOBODY: a thread's */
	struct queue_piece *pieces;
	size_t	nr;
	__u64	size;
	__u64	next;		/* the offset that recorder would give the next piece */
};

void queue_free(struct queue *q);

/* Add a piece, whose offset in the queue is @offset. Return 0 or -ENOMEM. */
int queue_add(struct queue *q, __u64 file_offset, __u64 size, __u64 offset);

/* Return the index of the piece with the byte @at. */
size_t queue_piece(const struct queue *q, __u64 at);

/* Return the end of the data from @at on in which nothing is missing. */
__u64 queue_span_end(const struct queue *q, __u64 at);

/* Read @size bytes from @at on. Return 0 or -errno; -ENODATA: the file has become shorter. */
int queue_read(const struct queue *q, int fd, __u64 at, void *buf, size_t size);

#endif /* VIEW_QUEUE_H */
