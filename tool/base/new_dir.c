// SPDX-License-Identifier: GPL-2.0-only
/*
 * A directory for the files of an output, which must not hold other files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_dir.h"
#include "base/util.h"

static bool is_empty(int fd)
{
	DIR *dir = fdopendir(dup(fd));
	const struct dirent *d;
	bool empty = true;

	if (!dir)
		return false;
	while (empty && (d = readdir(dir)))
		empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	closedir(dir);
	return empty;
}

int new_dir(const char *path, bool *made, struct diag *d)
{
	int fd;

	*made = !mkdir(path, 0777);
	if (!*made && errno != EEXIST)
		return diag(d, -errno, "%s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return diag(d, -errno, "%s: %s", path, strerror(errno));
	if (*made || is_empty(fd))
		return fd;
	close(fd);
	return diag(d, -ENOTEMPTY,
		    "%s: is not empty: give an empty directory, or one that does not exist yet",
		    path);
}
