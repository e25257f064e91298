/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of names, as directories of sysfs and tracefs give them.
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

/* Appends a copy of @name. Returns 0 or -ENOMEM. */
int names_add(struct names *names, const char *name);
void names_free(struct names *names);

/* In the order of strverscmp(): imc_2 before imc_10. */
void names_sort(struct names *names);

/*
 * Appends the entries of directory @path, sorted, without those that begin
 * with a dot. With @dirs_only, directories only. Returns 0 or -errno.
 */
int names_read_dir(struct names *names, const char *path, bool dirs_only);

/*
 * Reads a small file and cuts the newline off; what does not fit is cut too.
 * Returns 0 or -errno.
 */
int read_line_file(const char *path, char *buf, size_t size);

#endif /* AUXREC_NAMES_H */
