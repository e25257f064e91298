// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a stream: whole records, in order. Nothing is patched later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/records.h"
#include "stream/write.h"

/* Up to this size it is cheaper to copy data than to refer to it in an iovec. */
#define COPY_MAX	4096

static int open_file(const char *path, struct diag *d)
{
	char old[4096];
	struct stat st;
	int fd;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size) {
		if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >=
		    sizeof(old))
			return diag(d, -ENAMETOOLONG, "%s: name too long",
				    path);
		if (rename(path, old))
			return diag(d, -errno, "cannot rename %s to %s: %s",
				    path, old, strerror(errno));
	}

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
		  0600);
	if (fd < 0)
		return diag(d, -errno, "cannot create %s: %s", path,
			    strerror(errno));
	return fd;
}

static int open_stdout(struct diag *d)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return diag(d, -EINVAL,
			    "stdout is a terminal: redirect it, or give -o FILE");
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return diag(d, -errno, "stdout: %s", strerror(errno));
	return fd;
}

int stream_open(struct stream *s, const char *path, struct diag *d)
{
	int fd;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	fd = strcmp(path, "-") ? open_file(path, d) : open_stdout(d);
	if (fd < 0)
		return fd;
	return stream_open_fd(s, fd, d);
}

/* Put the first bytes of a file into buf, which is empty. */
static void begin_file(struct stream *s)
{
	static const struct {
		char magic[8];
		__u64 size;
	} head = { "PERFILE2", 16 };

	memcpy(s->buf, &head, sizeof(head));
	s->len = sizeof(head);
	s->iov[0] = (struct iovec){ s->buf, s->len };
	s->nr_iov = 1;
	s->pending = s->len;
}

int stream_open_fd(struct stream *s, int fd, struct diag *d)
{
	struct stat st;
	off_t pos;

	memset(s, 0, sizeof(*s));
	s->fd = fd;
	pos = lseek(fd, 0, SEEK_CUR);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && pos >= 0) {
		s->regular = true;
		s->start = pos;
	}

	s->buf = malloc(STREAM_BUF);
	s->ends = calloc(STREAM_ENDS, sizeof(*s->ends));
	if (!s->buf || !s->ends) {
		free(s->buf);
		free(s->ends);
		close(fd);
		s->fd = -1;
		return diag(d, -ENOMEM, "out of memory");
	}
	begin_file(s);
	return 0;
}

/* Copy @len bytes from position @pos of iov[], for whole_records(). */
static void peek(const struct stream *s, size_t pos, void *to, size_t len)
{
	unsigned int i;

	for (i = 0; i < s->nr_iov && len; i++) {
		size_t n = s->iov[i].iov_len;

		if (pos >= n) {
			pos -= n;
			continue;
		}
		n -= pos;
		if (n > len)
			n = len;
		memcpy(to, (__u8 *)s->iov[i].iov_base + pos, n);
		to = (__u8 *)to + n;
		len -= n;
		pos = 0;
	}
}

/* Return how many of the first @written bytes of iov[] are whole records. */
static size_t whole_records(const struct stream *s, size_t written)
{
	size_t pos = s->bytes != s->first ? 0 : 16;

	if (written < pos)
		return 0;
	for (;;) {
		struct perf_event_header h;
		size_t next;

		if (pos + sizeof(h) > written)
			return pos;
		peek(s, pos, &h, sizeof(h));
		next = pos + h.size;
		if (h.type == REC_AUXTRACE) {
			struct rec_auxtrace a;

			peek(s, pos, &a, sizeof(a));
			next += a.size;
		} else if (h.type == REC_TRACING_DATA) {
			struct rec_tracing_data t;

			peek(s, pos, &t, sizeof(t));
			next += t.size;
		}
		if (next > written)
			return pos;
		pos = next;
	}
}

static void reset(struct stream *s)
{
	s->len = 0;
	s->nr_iov = 0;
	s->pending = 0;
}

/*
 * Return the number of samples that end after the first @taken bytes of the stream. ends[] has only
 * the low 32 bits of each end. They suffice, because no end is more than @most bytes after @taken.
 */
static __u64 samples_behind(const struct stream *s, __u64 taken)
{
	const __u32 nr = s->nr_ends < STREAM_ENDS ? s->nr_ends : STREAM_ENDS;
	const __u64 most = s->bytes + s->pending - taken;
	__u64 samples = 0;
	__u32 i;

	if (s->last_end <= taken)
		return 0;
	for (i = 0; i < nr; i++) {
		const struct stream_end *e = &s->ends[(s->nr_ends - 1 - i) % STREAM_ENDS];
		const __u32 behind = e->end - (__u32)taken;

		if (!behind || behind > most)
			break;
		samples += e->samples;
	}
	return samples;
}

/*
 * Return how many bytes a pipe contains that no reader has taken. If its last reader has gone,
 * these bytes are lost.
 */
static int unread(const struct stream *s)
{
	struct stat st;
	int nr = 0;

	if (fstat(s->fd, &st) || !S_ISFIFO(st.st_mode) || ioctl(s->fd, FIONREAD, &nr))
		return 0;
	return nr;
}

static void fail(struct stream *s, int err, size_t written)
{
	size_t whole = whole_records(s, written);
	__u64 taken = s->bytes + written;

	if (s->regular)
		taken = s->bytes + whole;
	else if (err == -EPIPE)
		taken -= unread(s);
	s->lost_samples += samples_behind(s, taken);
	s->err = err;
	s->bytes += whole;
	s->lost += s->pending - whole;
	/* Remove the part of a record at the end of the file, so that the file is valid. */
	if (s->regular && ftruncate(s->fd, s->start + s->bytes - s->first))
		s->regular = false;
}

/*
 * The frame that is open cannot be completed: it is lost. If the output is a pipe, its unread
 * frames are lost, too. The number of their samples is not known.
 */
static void cut_frame(struct stream *s, int err)
{
	const __u64 pending = s->pending + s->frame;

	s->lost_samples += samples_behind(s, s->bytes - s->frame);
	if (err == -EPIPE)
		s->unread = unread(s);
	s->err = err;
	s->bytes -= s->frame;
	s->lost += pending;
	if (s->regular && ftruncate(s->fd, s->start + s->frame_stored - s->first_stored))
		s->regular = false;
	if (s->regular)
		s->stored = s->frame_stored;
}

/* Write all @len bytes of @iov, which changes. @written is valid also after an error. */
static int write_all(struct stream *s, struct iovec *iov, unsigned int nr, size_t len,
		     size_t *written)
{
	unsigned int i = 0;

	*written = 0;
	while (*written < len) {
		ssize_t r = writev(s->fd, iov + i, nr - i);

		if (r < 0 && errno == EINTR) {
			if (s->give_up &&
			    __atomic_load_n(s->give_up, __ATOMIC_RELAXED))
				return -EINTR;
			continue;
		}
		if (r < 0 && (errno == ENOSPC || errno == EDQUOT) &&
		    s->no_space) {
			const int err = -errno;

			if (s->no_space(s->no_space_ctx))
				continue;
			return err;
		}
		if (r <= 0)
			return r ? -errno : -EIO;

		*written += r;
		while (i < nr && (size_t)r >= iov[i].iov_len)
			r -= iov[i++].iov_len;
		if (i < nr) {
			iov[i].iov_base = (__u8 *)iov[i].iov_base + r;
			iov[i].iov_len -= r;
		}
	}
	return 0;
}

/* For stream_flush_compressed() */
static int write_output(void *ctx, const void *data, size_t len)
{
	struct iovec iov = { (void *)data, len };
	struct stream *s = ctx;
	size_t written;
	const int err = write_all(s, &iov, 1, len, &written);

	s->stored += written;
	return err;
}

/* Write out what is in iov[]. */
static int write_pending(struct stream *s, bool end)
{
	struct iovec iov[STREAM_IOV];
	size_t written;
	int err;

	if (s->err)
		return s->err;
	if (s->frames) {
		err = stream_flush_compressed(s, end, write_output);
		if (err)
			cut_frame(s, err);
	} else {
		memcpy(iov, s->iov, s->nr_iov * sizeof(*iov));
		err = write_all(s, iov, s->nr_iov, s->pending, &written);
		if (err)
			fail(s, err, written);
		else
			s->bytes += written;
		s->stored = s->bytes;
	}
	reset(s);
	return err;
}

/* Make room for @len bytes in buf, and for three more elements in iov. */
static int make_room(struct stream *s, size_t len)
{
	if (s->err)
		return s->err;
	if (s->len + len > STREAM_BUF || s->nr_iov + 3 > STREAM_IOV)
		return write_pending(s, false);
	return 0;
}

static void put(struct stream *s, const void *data, size_t len)
{
	__u8 *to = s->buf + s->len;

	if (data)
		memcpy(to, data, len);
	else
		memset(to, 0, len);
	s->len += len;
	s->pending += len;

	if (s->nr_iov) {
		struct iovec *last = &s->iov[s->nr_iov - 1];

		if ((__u8 *)last->iov_base + last->iov_len == to) {
			last->iov_len += len;
			return;
		}
	}
	s->iov[s->nr_iov++] = (struct iovec){ to, len };
}

static bool is_sample(const struct perf_event_header *h)
{
	__u64 id;

	if (h->type != PERF_RECORD_SAMPLE)
		return false;
	memcpy(&id, h + 1, sizeof(id));
	return id < REC_MADE_ID;
}

/* Note that the stream has @samples samples up to here. */
static void put_end(struct stream *s, __u32 samples)
{
	if (!samples)
		return;
	s->last_end = s->bytes + s->pending;
	s->ends[s->nr_ends++ % STREAM_ENDS] = (struct stream_end){ s->last_end, samples };
}

/* Put the records that are in s->pack into the stream. */
static int put_packed(struct stream *s)
{
	const size_t records = pack_bytes(s->pack);
	const void *rec;
	__u32 samples;
	size_t len;
	int err;

	if (!records)
		return 0;
	samples = pack_samples(s->pack);
	len = pack_take(s->pack, &rec);
	err = make_room(s, len);
	if (err) {
		s->lost += records;
		s->lost_samples += samples;
		return err;
	}
	put(s, rec, len);
	put_end(s, samples);
	s->packed += records;
	s->packed_size += len;
	return 0;
}

static int flush(struct stream *s, bool end)
{
	const int err = s->pack ? put_packed(s) : 0;

	return err ?: write_pending(s, end);
}

int stream_flush(struct stream *s)
{
	return flush(s, false);
}

int stream_end(struct stream *s)
{
	return flush(s, true);
}

/* Put a record whose @len bytes of data follow @head into s->pack, if this record goes there. */
static bool add_to_pack(struct stream *s, const struct perf_event_header *h, size_t head_len,
			const void *data, size_t len, size_t pad)
{
	if (h->type >= REC_ATTR || !pack_has_room(s->pack, head_len + len + pad))
		return false;
	pack_add(s->pack, h, head_len);
	if (len)
		pack_add(s->pack, data, len);
	if (pad)
		pack_add(s->pack, NULL, pad);
	if (is_sample(h))
		pack_count(s->pack);
	return true;
}

static void note_record(struct stream *s, const void *rec)
{
	s->records++;
	if (!is_sample(rec))
		return;
	s->samples++;
	put_end(s, 1);
}

/* As stream_record_data(), without s->keep */
static int write_record(struct stream *s, const void *head, size_t head_len, const void *data,
			size_t len, size_t pad)
{
	bool copy = len <= COPY_MAX;
	int err;

	err = make_room(s, head_len + pad + (copy ? len : 0));
	if (err)
		return err;
	put(s, head, head_len);
	if (copy && len) {
		put(s, data, len);
	} else if (len) {
		s->iov[s->nr_iov++] = (struct iovec){ (void *)data, len };
		s->pending += len;
	}
	if (pad)
		put(s, NULL, pad);
	note_record(s, head);
	return s->note ? s->note(s->ctx, head, head_len, data, len, pad) : 0;
}

/* For s->keep: let s->pack take the record, or write the record behind what s->pack has. */
static int pack_record(void *ctx, const void *head, size_t head_len, const void *data, size_t len,
		       size_t pad)
{
	struct stream *s = ctx;
	int err;

	if (s->err)
		return s->err;
	if (!add_to_pack(s, head, head_len, data, len, pad)) {
		err = put_packed(s);
		if (err)
			return err;
		if (!add_to_pack(s, head, head_len, data, len, pad))
			return write_record(s, head, head_len, data, len, pad);
	}
	s->records++;
	s->samples += is_sample(head);
	return s->note ? s->note(s->ctx, head, head_len, data, len, pad) : 0;
}

int stream_pack(struct stream *s, int level, struct diag *d)
{
	s->pack = pack_new(level);
	s->keep = pack_record;
	s->keep_ctx = s;
	return s->pack ? 0 : diag(d, -ENOMEM, "out of memory");
}

int stream_record(struct stream *s, const void *rec)
{
	const struct perf_event_header *h = rec;
	int err;

	if (s->keep)
		return s->keep(s->keep_ctx, rec, h->size, NULL, 0, 0);
	err = make_room(s, h->size);
	if (err)
		return err;
	put(s, rec, h->size);
	note_record(s, rec);
	return s->note ? s->note(s->ctx, rec, h->size, NULL, 0, 0) : 0;
}

int stream_record_data(struct stream *s, const void *head, size_t head_len,
		       const void *data, size_t len, size_t pad)
{
	if (s->keep)
		return s->keep(s->keep_ctx, head, head_len, data, len, pad);
	return write_record(s, head, head_len, data, len, pad);
}

int stream_bytes(struct stream *s, const void *data, size_t len)
{
	const int err = (s->pack ? put_packed(s) : 0) ?: make_room(s, 0);

	if (err || !len)
		return err;
	s->iov[s->nr_iov++] = (struct iovec){ (void *)data, len };
	s->pending += len;
	return 0;
}

int stream_next(struct stream *s, int fd)
{
	int err = flush(s, true);

	if (close(s->fd) && !err && errno != EINTR)
		err = -errno;
	s->err = err;
	s->fd = fd;
	s->start = 0;
	s->first = s->bytes;
	s->first_stored = s->stored;
	begin_file(s);
	if (s->pack)
		pack_restart(s->pack);
	return err;
}

int stream_close(struct stream *s)
{
	int err;

	if (s->fd < 0)
		return 0;
	err = flush(s, true);
	/* Network and quota file systems report only here that the disk is full. */
	if (close(s->fd) && !err && errno != EINTR)
		err = -errno;
	s->fd = -1;
	free(s->buf);
	free(s->ends);
	write_frames_free(s->frames);
	pack_free(s->pack);
	s->buf = NULL;
	s->ends = NULL;
	s->frames = NULL;
	s->pack = NULL;
	return err;
}
