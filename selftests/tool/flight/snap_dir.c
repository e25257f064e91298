// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a test's snapshots: make it, list it and remove it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snap_dir.h"

bool snap_dir_enter(char *dir, size_t size)
{
	const char *where = getenv("TMPDIR");

	setenv("TZ", "UTC0", 1);
	snprintf(dir, size, "%s/snap_dir.XXXXXX", where ? where : "/tmp");
	return mkdtemp(dir) && !chdir(dir);
}

bool snap_dir_small(const char *size)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%s", size);
	return !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mkdir("small", 0700) &&
	       !mount("none", "small", "tmpfs", 0, options) && !chdir("small");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void snap_dir_leave(const char *dir)
{
	char small[256];

	if (chdir("/"))
		return;
	snprintf(small, sizeof(small), "%s/small", dir);
	umount2(small, MNT_DETACH);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int is_name(const struct dirent *e)
{
	return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

const char *snap_dir_list(void)
{
	static char list[65536];
	struct dirent **e;
	size_t len = 0;
	int i, nr;

	list[0] = '\0';
	nr = scandir(".", &e, is_name, alphasort);
	for (i = 0; i < nr; i++) {
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s ",
					e[i]->d_name);
		free(e[i]);
	}
	if (nr >= 0)
		free(e);
	return list;
}

unsigned int snap_dir_count(void)
{
	const char *list = snap_dir_list();
	unsigned int nr = 0;

	for (; *list; list++)
		nr += *list == ' ';
	return nr;
}

bool snap_write(const char *name, size_t more)
{
	static const char head[16] = "PERFILE2\x10";
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, head, sizeof(head)) == sizeof(head) &&
	     !ftruncate(fd, sizeof(head) + more);
	close(fd);
	return ok;
}
