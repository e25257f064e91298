// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files and directories for the sysfs and tracefs trees that cases.txt describes.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

/* Make the directories of @path up to the last slash. */
static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			err(2, "%s", path);
		*p = '/';
	}
}

void tree_dir(const char *dir, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s/", dir, path);
	make_parents(full);
}

void tree_file(const char *dir, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	make_parents(full);
	file = fopen(full, "w");
	if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file))
		err(2, "%s", full);
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void tree_remove(const char *dir)
{
	nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
