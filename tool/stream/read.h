/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read a stream (perf's pipe format), from a file, a pipe or memory.
 *
 * The reader does not seek. It needs memory for two records, one buffer and, in a
 * stream with COMPRESSED records, zstd's window. Sizes in the stream do not change
 * that: the reader trusts no byte of the stream.
 *
 * If the input begins with a zstd frame, the reader decompresses all of it (see
 * zstd/read_frames.h), and needs memory for another window and buffer. All offsets are
 * those of the decompressed stream.
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

/* One record. @hdr, and pointers into the record, are valid until the next read_next(). */
struct read_record {
	const struct perf_event_header *hdr;	/* 8-byte aligned */
	__u32	type;
	__u16	misc;
	__u32	size;		/* of the record, without a blob */
	__u64	offset;		/* in the stream; for an inner record, that of
				 * its COMPRESSED record
				 */
	__u64	number;		/* 1, 2, 3 ... */
	__u64	blob;		/* bytes that follow the record (types 66 and 71) */
	bool	inner;		/* from inside a COMPRESSED record */
};

static inline const void *read_body(const struct read_record *rec)
{
	return rec->hdr + 1;
}

static inline size_t read_body_size(const struct read_record *rec)
{
	return rec->size - sizeof(*rec->hdr);
}

/*
 * Put up to @len bytes into @buf. Return the number of bytes, 0 at the end of the stream, or
 * -errno.
 */
typedef ssize_t (*read_fill_t)(void *ctx, void *buf, size_t len);

struct read_stream;

/*
 * read_open() - start reading
 * @fill: gets the stream's bytes
 *
 * Return: the stream, or NULL if there is no memory. read_close() frees the
 * stream, but not @ctx.
 */
struct read_stream *read_open(read_fill_t fill, void *ctx);
void read_close(struct read_stream *s);

/* A read_fill_t for a file descriptor; @ctx points to the int. */
ssize_t read_fill_fd(void *ctx, void *buf, size_t len);

/*
 * read_header() - read the 16 bytes before the first record
 *
 * Return: 1; -ENODATA: the stream ends within the header, and the bytes up to
 * there are right; -EBADMSG: this is not a stream, and read_problem() tells why; or
 * an error as in read_next().
 *
 * read_problem() - return a text that tells more about -EBADMSG of read_header(), and about
 *	-EPROTO and -ENODATA if the stream is compressed as a whole; or NULL. The text is valid
 *	until read_close()
 */
#define READ_PROBLEM_MAX	160	/* bytes of such a text, as READ_FRAMES_PROBLEM */
int read_header(struct read_stream *s);
const char *read_problem(const struct read_stream *s);

/*
 * read_next() - read the next record, and skip the rest of the last record's blob
 *
 * read_next() returns a COMPRESSED record itself. If read_inflate() is then called,
 * the next calls return the records inside the COMPRESSED record.
 *
 * Return: 1; 0: the stream ends here, after a whole record; -ENODATA: the stream
 * ends within a record or its blob, or within a zstd frame, see read_cut();
 * -EBADMSG: the record's size is smaller than a header, so that no further record can
 * be found (@rec is that record); -EPROTO: zstd refuses compressed data, or has no memory for a
 * COMPRESSED record; -ENOMEM; or -errno of @fill.
 */
int read_next(struct read_stream *s, struct read_record *rec);

/*
 * read_blob() - read bytes of the last record's blob
 *
 * Return: number of bytes; 0: all were read; or an error as in read_next().
 */
ssize_t read_blob(struct read_stream *s, void *buf, size_t len);

/*
 * read_inflate() - let the following read_next() return the records inside the last
 * record, which must be COMPRESSED
 *
 * Return: 0 or -ENOMEM.
 */
int read_inflate(struct read_stream *s);

/* Return how many bytes were taken out of the COMPRESSED record so far. */
__u64 read_inflated(const struct read_stream *s);

/* After -ENODATA: return the offset of the record within which the stream ends. */
__u64 read_cut(const struct read_stream *s);

/* Return how many bytes of the stream were consumed so far. */
__u64 read_offset(const struct read_stream *s);

/* Return "MMAP2", "AUXTRACE" and so on, or NULL. */
const char *read_known_type(__u32 type);

/* The same, or "type 99" in a static buffer. */
const char *read_type_name(__u32 type);

#endif /* AUXREC_READ_H */
