// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether an output is the input, which writing would destroy.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/same_file.h"

bool same_file(int fd, const char *path)
{
	struct stat in, out;

	if (strcmp(path, "-") ? stat(path, &out) : fstat(STDOUT_FILENO, &out))
		return false;
	/* A terminal or a pipe can be both, and loses nothing. */
	return !fstat(fd, &in) && S_ISREG(in.st_mode) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino;
}
