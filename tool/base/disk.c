// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting until data and file names are on disk.
 */
#include <errno.h>
#include <unistd.h>

#include "base/disk.h"

static int result(int r)
{
	if (!r || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
		return 0;
	return -errno;
}

int disk_data(int fd)
{
	return result(fdatasync(fd));
}

int disk_names(int fd)
{
	return result(fsync(fd));
}
