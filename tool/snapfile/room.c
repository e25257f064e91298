// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out how much room a snapshot still needs on a full disk, and whether there would be enough.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snapfile/room.h"

/* A directory may need a block for a name, and a file a block for the list of its blocks. */
#define MARGIN		(16U << 10)

/* --- how large will the file be? --- */

void snapfile_room_counted(const struct snapfile_room *r, int err)
{
	const __u64 size = r->job->out->stored;

	if (r->report < 0)
		return;
	_exit(err || write(r->report, &size, sizeof(size)) != sizeof(size));
}

/* In a child: go on from where the writer is, but only count the bytes. */
static void count(struct snapfile_room *r, pid_t writer, int report)
{
	const struct snapfile_job *job = r->job;
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct diag d;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r->report = report;
	if (null < 0 || getppid() != writer || (job->count && job->count(job->ctx)))
		_exit(1);
	if (r->phase == SNAPFILE_BEGIN)
		snapfile_room_counted(r, stream_open_fd(job->out, null, &d) ?:
					 job->write(job->ctx));
	if (dup2(null, job->out->fd) < 0)
		_exit(1);
}

/* Return true in the child, which counts. */
static bool count_in_child(struct snapfile_room *r)
{
	const pid_t writer = getpid();
	pid_t pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		count(r, writer, fds[1]);
		return true;
	}
	close(fds[1]);
	if (pid < 0 || read(fds[0], &r->size, sizeof(r->size)) != sizeof(r->size))
		r->size = 0;
	close(fds[0]);
	/*
	 * The child has copies of all our descriptors. While it exits, a snapshot that one of them
	 * is open on counts as in use.
	 */
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return false;
}

/* --- would there be room for the file? --- */

static __u64 available(const struct statvfs *st)
{
	return (__u64)st->f_bavail * st->f_frsize;
}

/*
 * Would there be room for the file itself, or for its name? Only the numbers of the file system
 * tell what is missing. If they are sufficient, it is not known what would help.
 */
static int fits_later(const struct snapfile_room *r, __u64 need, __u64 freed)
{
	struct statvfs st;

	if (statvfs(r->file->name.dir, &st))
		return -1;
	if ((!st.f_files || st.f_favail) && available(&st) >= need + MARGIN)
		return -1;
	return available(&st) + freed >= need;
}

/* Would there be room for the rest of the data? */
static int fits_now(const struct snapfile_room *r, __u64 have, __u64 need, __u64 freed)
{
	struct statvfs st;

	need += MARGIN;
	if (need <= freed || !fallocate(r->file->fd, FALLOC_FL_KEEP_SIZE, have, need - freed))
		return 1;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return 0;
	if (fstatvfs(r->file->fd, &st))
		return -1;
	return available(&st) + freed >= need;
}

static int fits(void *ctx, __u64 freed)
{
	const struct snapfile_room *r = ctx;
	struct stat st = { .st_size = 0 };

	if (!r->size)
		return -1;
	if (r->phase != SNAPFILE_BEGIN && fstat(r->file->fd, &st))
		return -1;
	if (r->phase == SNAPFILE_DATA)
		return fits_now(r, st.st_size, r->size - st.st_size, freed);
	return fits_later(r, r->size - st.st_size, freed);
}

bool snapfile_room(struct snapfile_room *r)
{
	const struct keep_new new = { fits, r };

	if (r->phase == SNAPFILE_NAME)
		r->size = r->job->out->stored;
	else if (!r->size && r->job->may_go(r->job->ctx) && count_in_child(r))
		return true;
	return r->job->no_space(r->job->ctx, &new);
}
