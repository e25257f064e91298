/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a recording with --switch-output. The recorder writes to the file PATH. A complete
 * file gets the name that perf record gives it, PATH.YYYYmmddHHMMSShh.
 */
#ifndef AUXREC_FILE_LIST_H
#define AUXREC_FILE_LIST_H

#include <linux/types.h>
#include <stddef.h>

struct file_list {
	char **names;		/* of complete files, the oldest first */
	size_t nr;
	__u64 removed;		/* files that file_list_limit() has removed */
};

/* Give @path the name of a complete file. Return 0 or -errno; then @path has its old name. */
int file_list_complete(struct file_list *l, const char *path);

/*
 * Do what file_list_complete() does, and create the next file @path. Return its descriptor, or
 * -errno: nothing has changed.
 */
int file_list_next(struct file_list *l, const char *path);

/* Remove the oldest complete files if there are more than @most. 0: there is no limit */
void file_list_limit(struct file_list *l, __u64 most);

void file_list_free(struct file_list *l);

#endif /* AUXREC_FILE_LIST_H */
