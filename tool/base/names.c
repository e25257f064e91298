// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of names, and reading the small files of sysfs and tracefs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"

int names_add(struct names *names, const char *name)
{
	char **list;

	if (names->nr == names->room) {
		size_t room = names->room ? names->room * 2 : 16;

		list = reallocarray(names->list, room, sizeof(*list));
		if (!list)
			return -ENOMEM;
		names->list = list;
		names->room = room;
	}
	names->list[names->nr] = strdup(name);
	if (!names->list[names->nr])
		return -ENOMEM;
	names->nr++;
	return 0;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->list[i]);
	free(names->list);
	memset(names, 0, sizeof(*names));
}

static int compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Sort in the order of strverscmp(): imc_2 before imc_10. */
static void sort(struct names *names)
{
	if (names->nr)
		qsort(names->list, names->nr, sizeof(*names->list), compare);
}

/* fstatat() follows links here, because sysfs has links to directories. */
static bool is_dir(int dirfd, const char *name)
{
	struct stat st;

	return !fstatat(dirfd, name, &st, 0) && S_ISDIR(st.st_mode);
}

int names_read_dir(struct names *names, const char *path, bool dirs_only)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (dirs_only && !is_dir(dirfd(dir), entry->d_name))
			continue;
		ret = names_add(names, entry->d_name);
	}
	closedir(dir);
	sort(names);
	return ret;
}

int read_line_file(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t got;
	int fd;

	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buf + len, size - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			got = -errno;
			close(fd);
			buf[0] = '\0';
			return got;
		}
		len += got;
	} while (got && len < size - 1);
	close(fd);
	buf[len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}
