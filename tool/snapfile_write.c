// SPDX-License-Identifier: GPL-2.0-only
/*
 * All that becomes of a snapshot's file. Where the disk is full old snapshots make room, as
 * long as it can be tried again.
 */
#include <errno.h>
#include <string.h>

#include "snapfile_write.h"

static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

static bool has_room_now(const struct snapfile_job *job, int err)
{
	return is_full(err) && job->no_space(job->ctx);
}

/* A file needs an inode, and an entry in the directory. */
static int begin(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	int fd;

	do {
		fd = snapfile_begin(f, job->pattern, job->base, job->trigger, job->number,
				    job->time, d);
	} while (has_room_now(job, fd));
	return fd;
}

/* So does its name. */
static int commit(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	int err;

	do {
		err = snapfile_commit(f, d);
	} while (has_room_now(job, err));
	return err;
}

/*
 * What is said at the end, by network file systems and those with quotas, is of data that are
 * lost by then, and cannot be written again. There is room for the next one.
 */
static int end(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	int err = stream_close(job->out);

	if (err)
		diag(d, err, "%s: %s", job->base, strerror(-err));
	else
		err = snapfile_sync(f, d);
	has_room_now(job, err);
	return err;
}

static int fill(struct snapfile *f, const struct snapfile_job *job, int fd,
		struct diag *d)
{
	int err = stream_open_fd(job->out, fd, d);

	if (err)
		return err;
	job->out->no_space = job->no_space;
	job->out->no_space_ctx = job->ctx;
	err = job->write(job->ctx);
	if (!err)
		return end(f, job, d);
	stream_close(job->out);
	return diag(d, err, "%s: %s", job->base, strerror(-err));
}

int snapfile_write(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	const int fd = begin(f, job, d);
	int err;

	if (fd < 0)
		return fd;
	err = fill(f, job, fd, d) ?: commit(f, job, d);
	if (err)
		snapfile_abort(f);
	return err;
}
