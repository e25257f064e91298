// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a stream: its header, its records, and the records inside COMPRESSED records. The stream can
 * be compressed as a whole.
 */
#include "stream/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zstd/read_frames.h"
#include "zstd/read_zstd.h"

#define BUFFER_SIZE	(256 * 1024)
#define RECORD_SIZE	65536		/* holds any size that a u16 can have */

struct read_stream {
	read_fill_t fill;
	void *ctx;
	bool begun;		/* the first bytes were read */
	size_t first;		/* how many of these are in the buffer, until then */
	struct read_frames *frames;	/* NULL: the stream is not compressed as a whole */
	__u64 offset;		/* bytes consumed */
	__u64 record;		/* offset of the current outer record */
	__u64 number;
	__u64 blob_left;
	size_t head, tail;	/* unread bytes in buffer */
	bool inflating;
	size_t inner_len;	/* bytes that inner has of its record */
	bool inner_done;	/* the record in inner was returned */
	__u64 inflated;
	struct read_zstd *zstd;
	const char *problem;
	__u64 outer[RECORD_SIZE / 8];
	__u64 inner[RECORD_SIZE / 8];
	__u8 buffer[BUFFER_SIZE];
};

ssize_t read_fill_fd(void *ctx, void *buf, size_t len)
{
	ssize_t n;

	do {
		n = read(*(int *)ctx, buf, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

struct read_stream *read_open(read_fill_t fill, void *ctx)
{
	struct read_stream *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	memset(s, 0, offsetof(struct read_stream, outer));
	s->fill = fill;
	s->ctx = ctx;
	return s;
}

void read_close(struct read_stream *s)
{
	if (!s)
		return;
	read_zstd_free(s->zstd);
	read_frames_free(s->frames);
	free(s);
}

/* Get the first bytes, which tell whether the stream is compressed. Return as get_bytes(). */
static ssize_t get_first(struct read_stream *s)
{
	ssize_t n = 1;

	while (n > 0 && s->first < READ_FRAMES_MAGIC) {
		/* A pipe with packets (O_DIRECT) discards what a read leaves of a packet. */
		n = s->fill(s->ctx, s->buffer + s->first, READ_FRAMES_FIRST - s->first);
		if (n > 0)
			s->first += n;
	}
	/* The caller may try again, so keep the bytes that came before the error. */
	if (n < 0)
		return n;
	s->begun = true;
	if (s->first < READ_FRAMES_MAGIC || !read_frames_begin(s->buffer))
		return s->first;
	s->frames = read_frames_new(s->fill, s->ctx, s->buffer, s->first);
	return s->frames ? read_frames_get(s->frames, s->buffer, sizeof(s->buffer)) : -ENOMEM;
}

/* Fill the buffer. Return the number of bytes, 0 at the end, or -errno. */
static ssize_t get_bytes(struct read_stream *s)
{
	if (!s->begun)
		return get_first(s);
	return s->frames ? read_frames_get(s->frames, s->buffer, sizeof(s->buffer)) :
			   s->fill(s->ctx, s->buffer, sizeof(s->buffer));
}

/* Make at least one byte available. Return 1, or 0 at the end of the stream, or -errno. */
static int refill(struct read_stream *s)
{
	ssize_t n;

	if (s->head < s->tail)
		return 1;
	n = get_bytes(s);
	if (n <= 0)
		return n;
	s->head = 0;
	s->tail = n;
	return 1;
}

/* Return how many bytes were read, fewer than @len only at the end of the stream; or -errno. */
static ssize_t get(struct read_stream *s, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		size_t n = len - got;
		int rc = refill(s);

		if (rc < 0)
			return rc;
		if (!rc)
			break;
		if (n > s->tail - s->head)
			n = s->tail - s->head;
		memcpy((char *)buf + got, s->buffer + s->head, n);
		s->head += n;
		s->offset += n;
		got += n;
	}
	return got;
}

static const char *header_problem(__u64 magic, __u64 size)
{
	if (magic == REC_MAGIC_SWAPPED)
		return "a stream of a machine with the other byte order: read it there";
	if (magic != REC_MAGIC)
		return "not a stream: it does not begin with PERFILE2";
	if (size != REC_HEADER_SIZE)
		return "an ordinary perf.data file, not a stream: read it with perf report";
	return NULL;
}

int read_header(struct read_stream *s)
{
	const __u64 right[2] = { REC_MAGIC, REC_HEADER_SIZE };
	__u64 header[2] = { 0, 0 };
	ssize_t n = get(s, header, sizeof(header));

	if (n < 0)
		return n;
	if (n < (ssize_t)sizeof(header)) {
		if (!memcmp(header, right, n))
			return -ENODATA;
		s->problem = "not a stream: it does not begin with PERFILE2";
		return -EBADMSG;
	}
	s->problem = header_problem(header[0], header[1]);
	return s->problem ? -EBADMSG : 1;
}

const char *read_problem(const struct read_stream *s)
{
	return s->problem ?: s->frames ? read_frames_problem(s->frames) : NULL;
}

ssize_t read_blob(struct read_stream *s, void *buf, size_t len)
{
	ssize_t n;

	if (len > s->blob_left)
		len = s->blob_left;
	if (!len)
		return 0;
	n = get(s, buf, len);
	if (n < 0)
		return n;
	s->blob_left -= n;
	return n < (ssize_t)len ? -ENODATA : n;
}

static int skip_blob(struct read_stream *s)
{
	while (s->blob_left) {
		size_t n;
		int rc = refill(s);

		if (rc <= 0)
			return rc ? rc : -ENODATA;
		n = s->tail - s->head;
		if (n > s->blob_left)
			n = s->blob_left;
		s->head += n;
		s->offset += n;
		s->blob_left -= n;
	}
	return 0;
}

static void describe(struct read_stream *s, struct read_record *rec,
		     const void *data, bool inner)
{
	const struct perf_event_header *hdr = data;

	*rec = (struct read_record) {
		.hdr = hdr,
		.type = hdr->type,
		.misc = hdr->misc,
		.size = hdr->size,
		.offset = s->record,
		.number = ++s->number,
		.inner = inner,
	};
}

/* Take the blob's size only from a record that is long enough to contain it. */
static __u64 blob_size(const struct read_record *rec)
{
	const struct rec_auxtrace *aux = (const void *)rec->hdr;
	__u32 tracing;

	if (rec->type == REC_AUXTRACE && rec->size >= sizeof(*rec->hdr) + 8)
		return aux->size;
	if (rec->type == REC_TRACING_DATA && rec->size >= sizeof(*rec->hdr) + 4) {
		memcpy(&tracing, read_body(rec), sizeof(tracing));
		return tracing;
	}
	return 0;
}

static int outer_next(struct read_stream *s, struct read_record *rec)
{
	struct perf_event_header *hdr = (void *)s->outer;
	ssize_t n;

	s->record = s->offset;
	n = get(s, hdr, sizeof(*hdr));
	if (n < 0)
		return n;
	/* An inner record continues in the next COMPRESSED record, but there is none. */
	if (!n && s->inner_len && !s->inner_done)
		return -ENODATA;
	if (!n)
		return 0;
	if (n < (ssize_t)sizeof(*hdr))
		return -ENODATA;
	if (hdr->size < sizeof(*hdr)) {
		describe(s, rec, hdr, false);
		return -EBADMSG;
	}
	n = get(s, hdr + 1, hdr->size - sizeof(*hdr));
	if (n < 0)
		return n;
	if (n < (ssize_t)(hdr->size - sizeof(*hdr)))
		return -ENODATA;
	describe(s, rec, hdr, false);
	rec->blob = blob_size(rec);
	s->blob_left = rec->blob;
	return 1;
}

/*
 * Complete the inner record up to @want bytes. Return 1, or 0 if there is no more input, or -errno.
 */
static int inner_get(struct read_stream *s, size_t want)
{
	while (s->inner_len < want) {
		ssize_t n = read_zstd_get(s->zstd, (char *)s->inner + s->inner_len,
					  want - s->inner_len);

		if (n <= 0)
			return n;
		s->inner_len += n;
		s->inflated += n;
	}
	return 1;
}

static int inner_next(struct read_stream *s, struct read_record *rec)
{
	struct perf_event_header *hdr = (void *)s->inner;
	int rc;

	if (s->inner_done) {
		s->inner_len = 0;
		s->inner_done = false;
	}
	rc = inner_get(s, sizeof(*hdr));
	if (rc <= 0)
		return rc;
	if (hdr->size < sizeof(*hdr)) {
		describe(s, rec, hdr, true);
		return -EBADMSG;
	}
	rc = inner_get(s, hdr->size);
	if (rc <= 0)
		return rc;
	s->inner_done = true;
	describe(s, rec, hdr, true);
	return 1;
}

int read_next(struct read_stream *s, struct read_record *rec)
{
	int rc;

	if (s->inflating) {
		rc = inner_next(s, rec);
		if (rc)
			return rc;
		s->inflating = false;
	}
	rc = skip_blob(s);
	if (rc)
		return rc;
	return outer_next(s, rec);
}

int read_inflate(struct read_stream *s)
{
	const struct perf_event_header *hdr = (void *)s->outer;

	if (!s->zstd)
		s->zstd = read_zstd_new();
	if (!s->zstd)
		return -ENOMEM;
	read_zstd_feed(s->zstd, hdr + 1, hdr->size - sizeof(*hdr));
	s->inflating = true;
	s->inflated = 0;
	return 0;
}

__u64 read_inflated(const struct read_stream *s)
{
	return s->inflated;
}

__u64 read_cut(const struct read_stream *s)
{
	return s->record;
}

__u64 read_offset(const struct read_stream *s)
{
	return s->offset;
}

const char *read_known_type(__u32 type)
{
	static const char * const names[REC_NR_TYPES] = {
		[1] = "MMAP", "LOST", "COMM", "EXIT", "THROTTLE", "UNTHROTTLE",
		"FORK", "READ", "SAMPLE", "MMAP2", "AUX", "ITRACE_START",
		"LOST_SAMPLES", "SWITCH", "SWITCH_CPU_WIDE", "NAMESPACES",
		"KSYMBOL", "BPF_EVENT", "CGROUP", "TEXT_POKE",
		"AUX_OUTPUT_HW_ID", "CALLCHAIN_DEFERRED",
		[REC_ATTR] = "ATTR", "EVENT_TYPE", "TRACING_DATA", "BUILD_ID",
		"FINISHED_ROUND", "ID_INDEX", "AUXTRACE_INFO", "AUXTRACE",
		"AUXTRACE_ERROR", "THREAD_MAP", "CPU_MAP", "STAT_CONFIG",
		"STAT", "STAT_ROUND", "EVENT_UPDATE", "TIME_CONV", "FEATURE",
		"COMPRESSED", "FINISHED_INIT",
	};

	return type < REC_NR_TYPES ? names[type] : NULL;
}

const char *read_type_name(__u32 type)
{
	static char other[24];
	const char *name = read_known_type(type);

	if (name)
		return name;
	snprintf(other, sizeof(other), "type %u", type);
	return other;
}
