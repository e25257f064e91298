/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of auxrec extract, which writes the AUX data of a stream to a file per
 * queue, or the raw data of samples to a file per event. A text file, the index, tells
 * what they contain. Memory follows the number of queues and threads, or of events.
 */
#ifndef AUXREC_EXTRACT_H
#define AUXREC_EXTRACT_H

#include <stdbool.h>
#include <stdio.h>

#include "stream/aux_chunk.h"
#include "stream/read.h"
#include "stream/read_attr.h"
#include "stream/read_sample.h"
#include "base/util.h"

#define EXTRACT_INDEX	"index"
#define EXTRACT_NOBODY	((__u32)-1)

/*
 * A queue has the data of one thread, or of one CPU if CPUs were recorded. If the data
 * is in chunks, the queue has the data of one event only.
 */
struct extract_queue {
	__u32	tid, cpu;	/* one of them is EXTRACT_NOBODY */
	const struct read_event *event;	/* NULL: AUXTRACE */
	__u64	bytes;
	__u64	spans;
	__u64	gaps;
	__u64	first, last;	/* ns; 0: no time is known */
};

struct extract_gap {
	size_t	queue;		/* EXTRACT_NOBODY: not known */
	__u64	offset;		/* of the first byte after the gap */
	__u64	begin, end;
	__u64	times, bytes;
	__u32	cause;
};

struct extract {
	const char *dir;
	bool	raw;		/* extract_raw() */
	int	dir_fd;
	bool	made_dir;

	struct read_stream *stream;
	struct read_attrs attrs;
	const char *problem;	/* why the file is not a stream */
	char damage[READ_PROBLEM_MAX];	/* of compressed data, in words; empty: none */
	__u64	bytes;		/* of the stream that were read */
	__u64	cut;

	bool	intel_pt;	/* AUXTRACE_INFO has this type */
	bool	per_cpu;
	bool	primed;		/* the first AUXTRACE was read */
	const struct read_event *gap_event;	/* of the last AUX that announces a gap */

	struct extract_queue *queues;
	size_t	nr_queues;
	struct read_map by_key;
	bool	numbered;	/* files' names have the numbers of events */
	unsigned int *numbers;	/* of events, by their index */
	struct read_map pids;	/* tid to pid */
	FILE	*gaps;		/* struct extract_gap, in a file without a name */
	__u64	nr_payloads;	/* that extract_raw() found, or that are lost */
	__u64	truncated;	/* AUX records with TRUNCATED that are no gap of a raw ring */

	/* the file that is open */
	int	fd;
	size_t	fd_queue;

	struct diag diag;	/* why @dir could not be written */
};

/*
 * extract_stream() - read a stream and write its AUX data to @e->dir
 *
 * After an error in the stream, the data before it is written and indexed.
 *
 * Return: as read_next(): 0, -ENODATA, -EBADMSG, -EPROTO, -errno; or -ECANCELED
 * if @e->dir cannot be written, see @e->diag.
 */
int extract_stream(struct extract *e, read_fill_t fill, void *ctx);

/*
 * extract_raw() - extract/raw.c: the same for the raw data of samples
 *
 * Return: as extract_stream().
 */
int extract_raw(struct extract *e, read_fill_t fill, void *ctx);

/* Return 0, or an error that ends the reading. */
typedef int (*extract_take_t)(void *ctx, const struct read_record *rec);

/*
 * extract_read() - read a stream and call @each with every record
 *
 * Return: as read_next(), or what @each returned.
 */
int extract_read(struct extract *e, read_fill_t fill, void *fill_ctx,
		 extract_take_t each, void *each_ctx);

/*
 * extract_dir() - extract/queue.c: make @e->dir, or use it if it exists and is empty
 *
 * Return: 0, or -errno with a message.
 */
int extract_dir(struct extract *e);
void extract_free(struct extract *e);

/* extract/queue.c. Return 0, -ENOMEM or -ECANCELED. */
int extract_write(struct extract *e, size_t queue, const void *data,
		  size_t len);
int extract_gap(struct extract *e, const struct extract_gap *gap);
/* Give all files their names, and write the index. */
int extract_finish(struct extract *e);

/*
 * Find a queue, or make it. @event is NULL for AUXTRACE. Return the queue's number or
 * -errno.
 */
ssize_t extract_queue(struct extract *e, const struct read_event *event,
		      __u32 tid, __u32 cpu);

/* Extend the time that the queue covers to @time. 0 is no time. */
void extract_time(struct extract_queue *q, __u64 time);

#endif /* AUXREC_EXTRACT_H */
