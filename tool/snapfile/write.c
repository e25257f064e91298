// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the file of a snapshot, from creating it to giving it its name. If the disk is full and
 * the failed step can be tried again, remove old snapshots to make room.
 */
#include <errno.h>
#include <string.h>

#include "snapfile/room.h"

static bool is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

/* Create the file, which needs an inode and an entry in the directory. */
static int begin(struct snapfile *f, struct snapfile_room *room, struct diag *d)
{
	const struct snapfile_job *job = room->job;
	int fd;

	do {
		fd = snapfile_begin(f, job->pattern, job->base, job->trigger, job->number,
				    job->time, d);
	} while (is_full(fd) && snapfile_room(room));
	return fd;
}

/* Give the file its name, which can need room, too. */
static int commit(struct snapfile *f, struct snapfile_room *room, struct diag *d)
{
	int err;

	room->phase = SNAPFILE_NAME;
	do {
		err = snapfile_commit(f, d);
	} while (is_full(err) && snapfile_room(room));
	return err;
}

static int cannot_write(const struct snapfile *f, int err, struct diag *d)
{
	return diag(d, err, "cannot write a snapshot to %.500s: %s", f->where, strerror(-err));
}

/*
 * Close the file and wait for the disk. Network file systems, and those with quotas, may report
 * only here that there was no room. The data is lost then and cannot be written again, but make
 * room for the next snapshot.
 */
static int end(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	int err = stream_close(job->out);

	if (err)
		cannot_write(f, err, d);
	else
		err = snapfile_sync(f, d);
	if (is_full(err))
		job->no_space(job->ctx, NULL);
	return err;
}

static bool no_space(void *ctx)
{
	return snapfile_room(ctx);
}

static int fill(struct snapfile *f, struct snapfile_room *room, int fd, struct diag *d)
{
	const struct snapfile_job *job = room->job;
	int err = stream_open_fd(job->out, fd, d);

	if (err)
		return err;
	room->phase = SNAPFILE_DATA;
	job->out->no_space = no_space;
	job->out->no_space_ctx = room;
	err = job->write(job->ctx);
	snapfile_room_counted(room, err);
	if (!err)
		return end(f, job, d);
	stream_close(job->out);
	return cannot_write(f, err, d);
}

int snapfile_write(struct snapfile *f, const struct snapfile_job *job, struct diag *d)
{
	struct snapfile_room room = { .job = job, .file = f, .report = -1 };
	const int fd = begin(f, &room, d);
	int err;

	if (fd < 0)
		return fd;
	err = fill(f, &room, fd, d) ?: commit(f, &room, d);
	if (err)
		snapfile_abort(f);
	return err;
}
