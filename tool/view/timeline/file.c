// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open and close the file of an output that is text.
 */
#include <errno.h>
#include <string.h>

#include "view/timeline/file.h"

FILE *timeline_file_open(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "we") : stdout;
}

int timeline_file_flush(FILE *file)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

void timeline_file_close(FILE *file)
{
	if (file != stdout)
		fclose(file);
}
