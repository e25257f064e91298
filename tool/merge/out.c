// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the merged file, under a temporary name until it is complete.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "merge/parts.h"
#include "service/notify.h"
#include "zstd/write_frames.h"

#define BUFFER_SIZE	(1U << 20)
/* Even the slowest disks write this many bytes in less than NOTIFY_BUSY_S. */
#define SYNC_SIZE	(256U << 20)

static int open_stdout(struct merge_out *o, struct diag *d)
{
	if (isatty(STDOUT_FILENO))
		return diag(d, -EOPNOTSUPP,
			    "stdout is a terminal: redirect it, or give -o FILE");
	o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (o->fd < 0)
		return diag(d, -errno, "stdout: %s", strerror(errno));
	return 0;
}

/* A pipe or /dev/null is no regular file and is not replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int open_file(struct merge_out *o, struct diag *d)
{
	const char *name = o->path;
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;

	if (!is_special(o->path)) {
		if (asprintf(&o->tmp, "%s.%d.tmp", o->path, (int)getpid()) < 0) {
			o->tmp = NULL;
			return diag(d, -ENOMEM, "out of memory");
		}
		name = o->tmp;
		/* Remove the file of a killed process that had the same process id. */
		unlink(name);
		flags |= O_CREAT | O_EXCL;
	}
	o->fd = open(name, flags, 0600);
	if (o->fd < 0) {
		const int err = -errno;

		/* The file may be another user's, so do not remove it. */
		free(o->tmp);
		o->tmp = NULL;
		return diag(d, err, "cannot create %s: %s", o->path, strerror(-err));
	}
	return 0;
}

int merge_out_open(struct merge_out *o, const char *path, struct diag *d)
{
	*o = (struct merge_out){ .fd = -1, .path = path };
	o->buf = malloc(BUFFER_SIZE);
	if (o->buf && write_frames_name(path))
		o->frames = write_frames_new(WRITE_FRAMES_LEVEL);
	if (!o->buf || (!o->frames && write_frames_name(path)))
		return diag(d, -ENOMEM, "out of memory");
	return strcmp(path, "-") ? open_file(o, d) : open_stdout(o, d);
}

/*
 * Write data to disk now and then. At the end fdatasync() waits for the rest in one go,
 * and the service manager is not told meanwhile that the recorder is busy.
 */
static void sync_some(struct merge_out *o)
{
	notify_busy();
	if (o->err || !o->tmp || o->bytes - o->synced < SYNC_SIZE)
		return;
	o->err = disk_data(o->fd);
	o->synced = o->bytes;
}

static int write_all(void *ctx, const void *data, size_t len)
{
	const struct merge_out *o = ctx;
	const __u8 *at = data;
	size_t done = 0;

	while (done < len) {
		const ssize_t n = write(o->fd, at + done, len - done);

		if (n > 0)
			done += n;
		else if (!n || errno != EINTR)
			return n ? -errno : -EIO;
	}
	return 0;
}

static void flush(struct merge_out *o)
{
	if (!o->err)
		o->err = o->frames ? write_frames_put(o->frames, o->buf, o->len, write_all, o) :
				     write_all(o, o->buf, o->len);
	o->frame += o->len;
	o->len = 0;
	sync_some(o);
}

static void end_frame(struct merge_out *o)
{
	flush(o);
	if (o->frames && !o->err)
		o->err = write_frames_flush(o->frames, true, write_all, o);
	o->frame = 0;
}

void merge_out_boundary(struct merge_out *o)
{
	if (o->frames && o->fd >= 0 && o->frame + o->len >= BUFFER_SIZE)
		end_frame(o);
}

void merge_out_add(struct merge_out *o, const void *data, size_t len)
{
	const __u8 *from = data;

	o->bytes += len;
	while (o->fd >= 0 && !o->err && len) {
		size_t n = BUFFER_SIZE - o->len;

		if (n > len)
			n = len;
		memcpy(o->buf + o->len, from, n);
		o->len += n;
		from += n;
		len -= n;
		if (o->len == BUFFER_SIZE)
			flush(o);
	}
}

static int write_error(struct merge_out *o, struct diag *d)
{
	return diag(d, o->err, "%s: %s; nothing was merged", o->path,
		    o->err == -ENOSPC ? "no space left" : strerror(-o->err));
}

int merge_out_close(struct merge_out *o, int err, struct diag *d)
{
	if (o->fd >= 0) {
		if (!err)
			end_frame(o);
		/* Sync before the rename: after a power cut the file is the old one or complete. */
		if (!err && !o->err && o->tmp) {
			notify_busy();
			o->err = disk_data(o->fd);
		}
		/* Network and quota file systems can report a full disk when a file is closed. */
		if (close(o->fd) && !o->err && errno != EINTR)
			o->err = -errno;
		if (!err && o->err)
			err = write_error(o, d);
		if (!err && o->tmp && rename(o->tmp, o->path))
			err = diag(d, -errno, "cannot rename %s to %s: %s",
				   o->tmp, o->path, strerror(errno));
		if (err && o->tmp)
			unlink(o->tmp);
	}
	write_frames_free(o->frames);
	free(o->tmp);
	free(o->buf);
	*o = (struct merge_out){ .fd = -1 };
	return err;
}
