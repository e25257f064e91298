// SPDX-License-Identifier: GPL-2.0-only
/*
 * Append lines to a file that several processes write to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "helper/append.h"

/* Another recorder holds the lock for a moment only. After 5 s, append_line() fails. */
#define LOCK_LOOK_US	10000
#define LOCK_LOOKS	500

/* The file may have been renamed while this process waited for the lock. */
static bool is_same(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Open and lock the file. Return a descriptor or -errno. */
static int open_locked(const char *path)
{
	unsigned int looks = 0;
	int fd, err;

	for (;;) {
		fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		while (flock(fd, LOCK_EX | LOCK_NB)) {
			if (errno == EINTR)
				continue;
			if (errno == EWOULDBLOCK && looks++ < LOCK_LOOKS) {
				usleep(LOCK_LOOK_US);
				continue;
			}
			err = errno == EWOULDBLOCK ? -EBUSY : -errno;
			close(fd);
			return err;
		}
		if (is_same(fd, path))
			return fd;
		close(fd);
	}
}

/* Return 1 if the file was renamed, 0 if there was no need, or -errno. */
static int rotate(int fd, const char *path, size_t len)
{
	char old[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!st.st_size || st.st_size + len <= APPEND_MAX)
		return 0;
	if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old))
		return -ENAMETOOLONG;
	return rename(path, old) ? -errno : 1;
}

static int write_line(int fd, const char *line, size_t len)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	char last = '\n';
	struct iovec iov[] = {
		{ "\n", 0 }, { (void *)line, len }, { "\n", 1 },
	};
	ssize_t n;

	if (size < 0 || (size && pread(fd, &last, 1, size - 1) < 0))
		return -errno;
	iov[0].iov_len = last != '\n';
	n = writev(fd, iov, ARRAY_LEN(iov));
	if (n == (ssize_t)(iov[0].iov_len + len + 1))
		return fdatasync(fd) ? -errno : 0;
	/* A full disk may take only a part of the line. */
	n = n < 0 ? -errno : -ENOSPC;
	return ftruncate(fd, size) ? -errno : n;
}

int append_line(const char *path, const char *line, struct diag *d)
{
	const size_t len = strlen(line);
	int fd, err;

	do {
		fd = open_locked(path);
		if (fd < 0)
			return diag(d, fd, "%.500s: %s", path, fd == -EBUSY ?
				    "another process holds its lock" : strerror(-fd));
		err = rotate(fd, path, len + 2);
		if (!err)
			err = write_line(fd, line, len);
		close(fd);
	} while (err > 0);
	return err ? diag(d, err, "%.500s: %s", path, strerror(-err)) : 0;
}
