/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a stream (perf's pipe format), from a file, a pipe or memory.
 *
 * Nothing is seeked. Memory is one record, one buffer and, in a stream with
 * COMPRESSED records, zstd's window; it does not depend on what the stream
 * claims. Every byte is taken to be hostile.
 *
 * Functions return 0 or a positive value, or -errno, and print nothing. They
 * may sleep in read(2).
 */
#ifndef AUXREC_READ_H
#define AUXREC_READ_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stream/records.h"

/* One record. @data and what points into it live until the next read_next(). */
struct read_record {
	const struct perf_event_header *hdr;	/* 8-byte aligned */
	__u32	type;
	__u16	misc;
	__u32	size;		/* of the record, without a blob */
	__u64	offset;		/* in the stream; of the COMPRESSED record for
				 * what came out of one
				 */
	__u64	number;		/* 1, 2, 3 ... */
	__u64	blob;		/* bytes that follow it (types 66 and 71) */
	bool	inner;		/* came out of a COMPRESSED record */
};

static inline const void *read_body(const struct read_record *rec)
{
	return rec->hdr + 1;
}

static inline size_t read_body_size(const struct read_record *rec)
{
	return rec->size - sizeof(*rec->hdr);
}

/* Fills @buf with up to @len bytes; 0 at the end, -errno. */
typedef ssize_t (*read_fill_t)(void *ctx, void *buf, size_t len);

struct read_stream;

/*
 * read_open() - start reading
 * @fill: where bytes come from
 *
 * Return: the stream, NULL without memory. read_close() frees it (not @ctx).
 */
struct read_stream *read_open(read_fill_t fill, void *ctx);
void read_close(struct read_stream *s);

/* A read_fill_t for a file descriptor; @ctx points to the int. */
ssize_t read_fill_fd(void *ctx, void *buf, size_t len);

/*
 * read_header() - the 16 bytes before the first record
 *
 * Return: 1; -ENODATA: the stream ends in it, and what is there is right;
 * -EBADMSG: not a stream, read_header_problem() says what it is; an errno of
 * @fill.
 */
int read_header(struct read_stream *s);
const char *read_header_problem(const struct read_stream *s);

/*
 * read_next() - the next record; skips what is left of the last one's blob
 *
 * A COMPRESSED record is returned itself and then, if read_inflate() was
 * called for it, the records that come out of it.
 *
 * Return: 1; 0: the stream ends here, after a whole record; -ENODATA: it ends
 * within a record or its blob, see read_cut(); -EBADMSG: a size below that of
 * the header, so that no further record can be found (in @rec what is there);
 * -EPROTO: COMPRESSED data that zstd refuses; an errno of @fill; -ENOMEM.
 */
int read_next(struct read_stream *s, struct read_record *rec);

/*
 * read_blob() - bytes of the blob of the record last returned
 *
 * Return: number of bytes, 0 when all were read, else as read_next().
 */
ssize_t read_blob(struct read_stream *s, void *buf, size_t len);

/*
 * read_inflate() - let the following read_next() return the records inside the
 * COMPRESSED record last returned
 *
 * Return: 0, -ENOMEM.
 */
int read_inflate(struct read_stream *s);

/* Bytes that came out of the COMPRESSED record so far. */
__u64 read_inflated(const struct read_stream *s);

/* Offset of the record that the stream was cut in. */
__u64 read_cut(const struct read_stream *s);

/* Bytes taken from the stream so far. */
__u64 read_offset(const struct read_stream *s);

/* "MMAP2", "AUXTRACE", or "type 99" in a static buffer. */
const char *read_type_name(__u32 type);

#endif /* AUXREC_READ_H */
