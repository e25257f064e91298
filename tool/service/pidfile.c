// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file that one process at a time holds, with its process id in it.
 *
 * The lock is one of flock(2). A lock of fcntl(2) would be released by the first close() of
 * the file anywhere in the process, and a child would not inherit it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/pidfile.h"

/* Does @path still name the file @fd? */
static bool is_current(int fd, const char *path)
{
	struct stat here, there;

	return !fstat(fd, &here) && !lstat(path, &there) && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Return the id that the holder has written, or 0 if it has not written it yet. */
static pid_t read_pid(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	return strtol(text, NULL, 10);
}

static int write_pid(int fd)
{
	char text[32];
	int len;

	len = snprintf(text, sizeof(text), "%d\n", getpid());
	if (ftruncate(fd, 0))
		return -errno;
	/* pwrite() can write less only if the disk is full. */
	if (pwrite(fd, text, len, 0) != len)
		return errno ? -errno : -ENOSPC;
	return 0;
}

static int refuse(int fd, const char *path, pid_t *holder, struct diag *d)
{
	const pid_t pid = read_pid(fd);

	if (holder)
		*holder = pid;
	if (!pid)
		return diag(d, -EBUSY, "%s: held by another recorder", path);
	return diag(d, -EBUSY, "%s: held by another recorder, process %d", path, pid);
}

int pidfile_take(struct pidfile *p, const char *path, pid_t *holder, struct diag *d)
{
	struct stat st;
	int fd, err;

	for (;;) {
		/*
		 * Opening a FIFO would wait, so use O_NONBLOCK. A link can lead anywhere, so use
		 * O_NOFOLLOW. A process that can open the file, even only for reading, can hold
		 * it, so the mode is 0600.
		 */
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			  0600);
		if (fd < 0)
			return diag(d, -errno, "%s: %s", path, strerror(errno));
		if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
			close(fd);
			return diag(d, -EINVAL, "%s: is not a regular file", path);
		}
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			err = errno == EWOULDBLOCK ? refuse(fd, path, holder, d) :
			      diag(d, -errno, "%s: cannot be locked: %s", path, strerror(errno));
			close(fd);
			return err;
		}
		/* The holder may have removed the file between open() and flock(). */
		if (is_current(fd, path))
			break;
		close(fd);
	}

	errno = 0;
	err = write_pid(fd);
	if (err) {
		close(fd);
		return diag(d, err, "%s: %s", path, strerror(-err));
	}
	p->path = strdup(path);
	p->fd = fd;
	p->owner = getpid();
	if (!p->path) {
		close(fd);
		return diag(d, -ENOMEM, "no memory");
	}
	return 0;
}

void pidfile_drop(struct pidfile *p)
{
	if (!p->path)
		return;
	/* Remove the file while it is held, so that nobody can have taken it over. */
	if (p->owner == getpid() && is_current(p->fd, p->path))
		unlink(p->path);
	close(p->fd);
	free(p->path);
	p->path = NULL;
}
