/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxrec extract: the AUX data of a stream, a file for each queue, or the raw data of
 * its samples, a file for each event; and a text file that says what they are. Memory
 * follows the number of queues and threads, or of events.
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
 * Of one thread, or of one CPU if all of it was recorded, and of one event if
 * the data are chunks.
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
	size_t	queue;		/* EXTRACT_NOBODY: nobody knows whose */
	__u64	offset;		/* of the byte behind it */
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
	const char *problem;	/* why the stream is none */
	__u64	bytes;		/* of the stream, read */
	__u64	cut;

	bool	intel_pt;	/* by AUXTRACE_INFO */
	bool	per_cpu;
	bool	primed;		/* the first AUXTRACE was there */
	const struct read_event *gap_event;	/* of the last AUX that announces one */

	struct extract_queue *queues;
	size_t	nr_queues;
	struct read_map by_key;
	bool	numbered;	/* at the end: names have numbers of events */
	unsigned int *numbers;	/* of events, by their index */
	struct read_map pids;	/* of tids */
	FILE	*gaps;		/* struct extract_gap, in a file without a name */
	__u64	nr_payloads;	/* of extract_raw(), found or lost */
	__u64	truncated;	/* AUX records that say so, and are no gap of a raw ring */

	/* the file being written */
	int	fd;
	size_t	fd_queue;

	struct diag diag;	/* why @dir could not be written */
};

/*
 * extract_stream() - read a stream and write its AUX data to @e->dir
 *
 * What can be read before an error is written, and indexed.
 *
 * Return: as read_next(): 0, -ENODATA, -EBADMSG, -EPROTO, -errno; or -ECANCELED
 * if @e->dir cannot be written, see @e->diag.
 */
int extract_stream(struct extract *e, read_fill_t fill, void *ctx);

/*
 * extract_raw() - likewise, the raw data of samples
 *
 * Return: as extract_stream().
 */
int extract_raw(struct extract *e, read_fill_t fill, void *ctx);

/* Return 0, or what ends the reading. */
typedef int (*extract_take_t)(void *ctx, const struct read_record *rec);

/*
 * extract_read() - what these two share: call @each with every record
 *
 * Return: as read_next(), or what @each returned.
 */
int extract_read(struct extract *e, read_fill_t fill, void *fill_ctx,
		 extract_take_t each, void *each_ctx);

/*
 * extract_dir() - make @e->dir, or take it if it is there and empty
 *
 * Return: 0, -errno with a message.
 */
int extract_dir(struct extract *e);
void extract_free(struct extract *e);

/* extract/queue.c. Return: 0, -ENOMEM, -ECANCELED */
int extract_write(struct extract *e, size_t queue, const void *data,
		  size_t len);
int extract_gap(struct extract *e, const struct extract_gap *gap);
/* Names all files and writes the index. */
int extract_finish(struct extract *e);

/*
 * The number of the queue, which is made if it is new, or -errno. @event is NULL
 * for AUXTRACE.
 */
ssize_t extract_queue(struct extract *e, const struct read_event *event,
		      __u32 tid, __u32 cpu);

/* A time that belongs to the queue; 0 is none. */
void extract_time(struct extract_queue *q, __u64 time);

#endif /* AUXREC_EXTRACT_H */
