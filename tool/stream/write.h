/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a stream: whole records, in order. Nothing is patched later.
 */
#ifndef AUXREC_STREAM_H
#define AUXREC_STREAM_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/util.h"
#include "stream/pack.h"
#include "stream/records.h"
#include "zstd/write_frames.h"

#define STREAM_BUF	(1U << 20)
#define STREAM_IOV	512		/* below IOV_MAX, 1024 */
/*
 * Room for the ends of all samples in STREAM_BUF, and in the largest pipe of an ordinary user or in
 * a zstd frame: 1 MiB each, with samples of 32 bytes or more.
 */
#define STREAM_ENDS	65536		/* a power of two */

/* Where a sample, or a COMPRESSED record with samples, ends in the stream */
struct stream_end {
	__u32 end;		/* low 32 bits */
	__u32 samples;
};

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
	__u64 first;		/* @bytes when this file was begun, see stream_next() */
	__u64 bytes;		/* written, all of it whole records */
	__u64 stored;		/* bytes in files or pipes: @bytes, or less if compressed */
	struct write_frames *frames;	/* NULL: the stream is not compressed */
	__u64 frame;		/* part of @bytes that is in a frame that has not ended */
	__u64 frame_stored;	/* @stored when this frame was begun */
	__u64 first_stored;	/* @stored when this file was begun */
	__u64 records;
	__u64 lost;		/* bytes that could not be written at @err */
	__u64 lost_samples;	/* in @lost, and in a pipe whose reader did not take them */
	__u64 unread;		/* compressed bytes in a pipe whose reader did not take them */
	struct stream_end *ends;	/* the newest ones */
	__u32 nr_ends;		/* ends so far, modulo 2^32 */
	__u64 last_end;		/* where the newest sample ends in the stream */
	__u64 samples;		/* accepted so far */
	struct pack *pack;	/* NULL: no COMPRESSED records */
	__u64 packed;		/* bytes of records that became COMPRESSED records */
	__u64 packed_size;	/* bytes of these COMPRESSED records */
	/* bytes that are not written yet: iov[] points into buf and to callers' data */
	__u8 *buf;
	size_t len;
	struct iovec iov[STREAM_IOV];
	unsigned int nr_iov;
	size_t pending;		/* bytes in iov[] */
	const int *give_up;	/* if *give_up is not 0, do not wait for a reader */
	/* if set, this gets each record, as for stream_record_data(), in place of iov[] */
	int (*keep)(void *ctx, const void *head, size_t head_len,
		    const void *data, size_t len, size_t pad);
	/* if set, this sees each record that was accepted, except those of stream_bytes() */
	int (*note)(void *ctx, const void *head, size_t head_len,
		    const void *data, size_t len, size_t pad);
	void *keep_ctx, *ctx;	/* for @keep and @note */
	/* called when the disk is full: is there room now? NULL: no. Set this after opening. */
	bool (*no_space)(void *ctx);
	void *no_space_ctx;
	struct record_build build;
};

/*
 * Open @path ("-": stdout) and write the stream's first 16 bytes. A file that
 * exists and is not empty is renamed to PATH.old. Return 0, or -errno with a message.
 */
int stream_open(struct stream *s, const char *path, struct diag *d);

/*
 * Write a stream to @fd. The stream owns @fd from now on: stream_close() closes it,
 * or this function if it fails. Return 0, or -ENOMEM with a message.
 */
int stream_open_fd(struct stream *s, int fd, struct diag *d);

/*
 * stream/write_compressed.c: compress the stream, with this level of zstd. Called when the stream
 * is open and nothing is written. Return 0, or -ENOMEM with a message.
 */
int stream_compress(struct stream *s, int level, struct diag *d);

/*
 * Write the kernel's records as COMPRESSED records, with this level of zstd. Called when the stream
 * is open and nothing is written. Return 0, or -ENOMEM with a message.
 */
int stream_pack(struct stream *s, int level, struct diag *d);

/*
 * Write all out and close the file. Begin a stream of its own in @fd, which is an empty file.
 * Counters go on. The stream owns @fd from now on. Return 0, or -errno if data did not reach the
 * file that was closed.
 */
int stream_next(struct stream *s, int fd);

/* Write all out and close. Return 0, or -errno if data did not reach the file. */
int stream_close(struct stream *s);

/* Copy a record, whose header.size must be right. Return 0 or -errno. */
int stream_record(struct stream *s, const void *rec);

/*
 * Write a record that consists of @head, @len bytes at @data and @pad zero bytes.
 * In a PERF_RECORD_SAMPLE, header.size includes the data and the zeros; in AUXTRACE and
 * TRACING_DATA, it does not. @data must not change until stream_flush(). Return 0 or -errno.
 */
int stream_record_data(struct stream *s, const void *head, size_t head_len,
		       const void *data, size_t len, size_t pad);

/*
 * Write @len bytes, whole records. @data must not change until stream_flush(). Return 0 or
 * -errno.
 */
int stream_bytes(struct stream *s, const void *data, size_t len);

/* Write all out. Return 0 or -errno (-EPIPE, -ENOSPC, ...). */
int stream_flush(struct stream *s);

/* Like stream_flush(), and end the zstd frame, if the stream is compressed. */
int stream_end(struct stream *s);

/*
 * stream/write_compressed.c, for stream/write.c: compress what is pending, and write it with @fn.
 * @end: also end the frame. Return 0, or -errno if the frame cannot be completed.
 */
int stream_flush_compressed(struct stream *s, bool end, write_frames_fn fn);

#endif /* AUXREC_STREAM_H */
