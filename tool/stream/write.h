/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output: whole records, written in order, nothing patched later.
 */
#ifndef AUXREC_STREAM_H
#define AUXREC_STREAM_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/util.h"
#include "stream/records.h"

#define STREAM_BUF	(1U << 20)
#define STREAM_IOV	512		/* below IOV_MAX, 1024 */
/* Samples of 56 bytes and more in STREAM_BUF and in the largest pipe of an ordinary user */
#define STREAM_ENDS	65536		/* a power of two */

/* A record that is being put together, see stream/build.h. */
struct record_build {
	union {
		struct perf_event_header header;
		__u8 bytes[REC_SIZE_MAX + 8];
		__u64 align;
	};
	size_t len;
	bool too_long;
};

struct stream {
	int fd;
	bool regular;		/* can be cut back to whole records */
	int err;		/* first failure; nothing is written after it */
	__u64 start;		/* of the stream in the file */
	__u64 bytes;		/* written, all of it whole records */
	__u64 records;
	__u64 lost;		/* bytes that were to be written at @err */
	__u64 lost_samples;	/* in them, and those that the reader of a pipe did not take */
	__u32 *ends;		/* low bits of where the newest samples end in the stream */
	__u32 nr_ends;		/* samples so far, modulo 2^32 */
	/* what is not written yet: iov[] points into buf and to callers' data */
	__u8 *buf;
	size_t len;
	struct iovec iov[STREAM_IOV];
	unsigned int nr_iov;
	size_t pending;		/* bytes in iov[] */
	const int *give_up;	/* do not wait for a reader */
	/* if set, records go there, in the parts of stream_record_data(); no file */
	int (*keep)(void *ctx, const void *head, size_t head_len,
		    const void *data, size_t len, size_t pad);
	void *ctx;		/* of it */
	/* The disk is full: is there room now? NULL: no. To be set once it is open. */
	bool (*no_space)(void *ctx);
	void *no_space_ctx;
	struct record_build build;
};

/*
 * Opens @path ("-": stdout) and writes the stream's first 16 bytes. A file
 * that exists is renamed to PATH.old. Returns 0 or -errno.
 */
int stream_open(struct stream *s, const char *path, struct diag *d);

/*
 * The same to @fd, which is the stream's from now on: it is closed with it, or
 * if this fails. Returns 0 or -ENOMEM.
 */
int stream_open_fd(struct stream *s, int fd, struct diag *d);

/* Closes; says whether the data reached the file. Returns 0 or -errno. */
int stream_close(struct stream *s);

/* Copies a record; header.size must be right. Returns 0 or -errno. */
int stream_record(struct stream *s, const void *rec);

/*
 * A record of which the last @len bytes are at @data and @pad zero bytes
 * follow, either inside of header.size (PERF_RECORD_SAMPLE) or outside
 * (AUXTRACE, TRACING_DATA). @data must stay as it is until stream_flush().
 */
int stream_record_data(struct stream *s, const void *head, size_t head_len,
		       const void *data, size_t len, size_t pad);

/* Whole records, as they are. @data must stay so until stream_flush(). */
int stream_bytes(struct stream *s, const void *data, size_t len);

/* Writes all out. Returns 0 or -errno (-EPIPE, -ENOSPC, ...). */
int stream_flush(struct stream *s);

#endif /* AUXREC_STREAM_H */
