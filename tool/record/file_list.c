// SPDX-License-Identifier: GPL-2.0-only
/*
 * Name, create and remove the files of a recording with --switch-output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "record/file_list.h"

/* Rename a file, but not over another one. Return 0 or -errno. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* This file system does not have the flag, NFS for example. */
	if (!access(to, F_OK))
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

/*
 * Rename @path to the name of a complete file, which goes to @name. If there is a file of that
 * name, maybe of the same hundredth of a second, add a number. Return 0 or -errno.
 */
static int rename_complete(const char *path, char *name, size_t size)
{
	struct timespec now;
	char stamp[32];
	struct tm tm;
	int i, n, err;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	n = snprintf(name, size, "%s.%s%02ld", path, stamp, now.tv_nsec / 10000000);
	for (i = 1; n >= 0 && (size_t)n < size; i++) {
		err = rename_new(path, name);
		if (err != -EEXIST)
			return err;
		n = snprintf(name, size, "%s.%s%02ld-%d", path, stamp, now.tv_nsec / 10000000, i);
	}
	return -ENAMETOOLONG;
}

int file_list_complete(struct file_list *l, const char *path)
{
	char name[PATH_MAX];
	int err;

	if (grow((void **)&l->names, l->nr, sizeof(*l->names)))
		return -ENOMEM;
	err = rename_complete(path, name, sizeof(name));
	if (err)
		return err;
	l->names[l->nr] = strdup(name);
	if (l->names[l->nr]) {
		l->nr++;
		return 0;
	}
	rename_new(name, path);
	return -ENOMEM;
}

int file_list_next(struct file_list *l, const char *path)
{
	int fd, err = file_list_complete(l, path);

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd >= 0)
		return fd;
	err = -errno;
	if (!rename_new(l->names[l->nr - 1], path))
		free(l->names[--l->nr]);
	return err;
}

void file_list_limit(struct file_list *l, __u64 most)
{
	while (most && l->nr > most) {
		if (unlink(l->names[0]) && errno != ENOENT)
			say("--switch-max-files: cannot remove %s: %s", l->names[0],
			    strerror(errno));
		else
			l->removed++;
		free(l->names[0]);
		l->nr--;
		memmove(l->names, l->names + 1, l->nr * sizeof(*l->names));
	}
}

void file_list_free(struct file_list *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		free(l->names[i]);
	free(l->names);
	*l = (struct file_list){ .names = NULL };
}
