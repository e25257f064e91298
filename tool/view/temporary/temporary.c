// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files without a name, for what does not fit in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "view/temporary/temporary.h"

int temporary_open(void)
{
	FILE *file = tmpfile();
	int fd;

	if (!file)
		return -errno;
	/* Not 0, which structs have that were not initialized */
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		fd = -errno;
	fclose(file);
	return fd;
}

int temporary_write(int fd, const void *data, size_t size, __u64 at)
{
	ssize_t n;

	for (; size; size -= n, at += n, data = (const char *)data + n) {
		n = pwrite(fd, data, size, at);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			n = 0;
	}
	return 0;
}

int temporary_read(int fd, void *data, size_t size, __u64 at)
{
	ssize_t n;

	for (; size; size -= n, at += n, data = (char *)data + n) {
		n = pread(fd, data, size, at);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ENODATA;
		if (n < 0)
			n = 0;
	}
	return 0;
}
