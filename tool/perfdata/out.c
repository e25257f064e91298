// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the perf.data file, under a temporary name until it is complete.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/same_file.h"
#include "perfdata/parts.h"

#define BUFFER_SIZE	(1U << 20)
/* Sync each time this much was written, so that the wait at the end is short. */
#define SYNC_SIZE	(256U << 20)
/* perf pads strings to this size (NAME_ALIGN in tools/perf/util/header.c). */
#define STRING_ALIGN	64U

static int check_path(const char *path, int in, struct diag *d)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (!S_ISREG(st.st_mode))
		return diag(d, -EINVAL,
			    "%s: perf.data needs an ordinary file, because its header is written last; for a pipe, use the recording itself",
			    path);
	if (same_file(in, path))
		return diag(d, -EINVAL, "%s: is the recording itself: give another name", path);
	return 0;
}

int pd_out_open(struct pd_out *o, const char *path, int in, struct diag *d)
{
	int err = check_path(path, in, d);

	*o = (struct pd_out){ .fd = -1, .path = path };
	if (err)
		return err;
	o->buf = malloc(BUFFER_SIZE);
	if (!o->buf || asprintf(&o->tmp, "%s.XXXXXX", path) < 0) {
		free(o->buf);
		*o = (struct pd_out){ .fd = -1 };
		return diag(d, -ENOMEM, "out of memory");
	}
	o->fd = mkostemp(o->tmp, O_CLOEXEC);
	if (o->fd < 0) {
		err = diag(d, -errno, "cannot create %s: %s", path, strerror(errno));
		free(o->tmp);
		free(o->buf);
		*o = (struct pd_out){ .fd = -1 };
	}
	return err;
}

static void write_at(struct pd_out *o, const void *data, size_t len, __u64 offset)
{
	const char *from = data;

	while (!o->err && len) {
		const ssize_t n = pwrite(o->fd, from, len, offset);

		if (n > 0) {
			from += n;
			len -= n;
			offset += n;
		} else if (!n || errno != EINTR) {
			o->err = n ? -errno : -EIO;
		}
	}
}

static void flush(struct pd_out *o)
{
	write_at(o, o->buf, o->len, o->bytes - o->len);
	o->len = 0;
	if (!o->err && o->bytes - o->synced >= SYNC_SIZE) {
		o->err = disk_data(o->fd);
		o->synced = o->bytes;
	}
}

void pd_out_add(struct pd_out *o, const void *data, size_t len)
{
	const __u8 *from = data;

	while (!o->err && len) {
		size_t n = BUFFER_SIZE - o->len;

		if (n > len)
			n = len;
		memcpy(o->buf + o->len, from, n);
		o->len += n;
		o->bytes += n;
		from += n;
		len -= n;
		if (o->len == BUFFER_SIZE)
			flush(o);
	}
}

void pd_out_string(struct pd_out *o, const char *s)
{
	static const char zeros[STRING_ALIGN];
	const size_t len = strlen(s) + 1;
	const __u32 size = ALIGN_UP(len, STRING_ALIGN);

	pd_out_add(o, &size, sizeof(size));
	pd_out_add(o, s, len);
	pd_out_add(o, zeros, size - len);
}

void pd_out_cut(struct pd_out *o, __u64 bytes)
{
	flush(o);
	if (!o->err && ftruncate(o->fd, bytes))
		o->err = -errno;
	o->bytes = bytes;
	if (o->synced > bytes)
		o->synced = bytes;
}

void pd_out_patch(struct pd_out *o, __u64 offset, const void *data, size_t len)
{
	flush(o);
	write_at(o, data, len, offset);
}

static int finish(struct pd_out *o, struct diag *d)
{
	flush(o);
	/* Sync before the rename: after a power cut the file is the old one or complete. */
	if (!o->err)
		o->err = disk_data(o->fd);
	if (!o->err && rename(o->tmp, o->path))
		o->err = -errno;
	if (!o->err)
		return 0;
	return diag(d, o->err, "cannot write %s: %s", o->path, strerror(-o->err));
}

int pd_out_close(struct pd_out *o, int err, struct diag *d)
{
	if (o->fd < 0)
		return err;
	if (!err)
		err = finish(o, d);
	if (err)
		unlink(o->tmp);
	close(o->fd);
	free(o->tmp);
	free(o->buf);
	*o = (struct pd_out){ .fd = -1 };
	return err;
}
