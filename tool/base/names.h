/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of names, and reading the directories and small files of sysfs and tracefs.
 */
#ifndef AUXREC_NAMES_H
#define AUXREC_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **list;
	size_t nr;
	size_t room;
};

/* Append a copy of @name. Return 0 or -ENOMEM. */
int names_add(struct names *names, const char *name);
void names_free(struct names *names);

/*
 * Append the entries of directory @path, in the order of strverscmp(), except names that begin with
 * a dot. With @dirs_only, append directories only. Return 0 or -errno.
 */
int names_read_dir(struct names *names, const char *path, bool dirs_only);

/*
 * Read the first line of a small file, without its newline. A line that does
 * not fit is cut. Return 0 or -errno.
 */
int read_line_file(const char *path, char *buf, size_t size);

#endif /* AUXREC_NAMES_H */
