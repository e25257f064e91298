// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages about old snapshots that a flight recorder removes.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flight/flight.h"

/*
 * Make @path absolute: a daemon's log does not tell its working directory. getcwd(2) reads the
 * name from the kernel's memory, so this does not wait for a disk that does not answer.
 */
static const char *absolute(const char *path, char buf[PATH_MAX + NAME_MAX])
{
	size_t len;

	if (*path == '/' || !getcwd(buf, PATH_MAX))
		return path;
	while (!strncmp(path, "./", 2))
		path += 2;
	len = strlen(buf);
	snprintf(buf + len, PATH_MAX + NAME_MAX - len, "/%s", path);
	return buf;
}

void flight_say_removed(const char *path, const char *why, int err)
{
	char full[PATH_MAX + NAME_MAX];

	path = absolute(path, full);
	if (err)
		say("%s cannot be removed (%s): %s", path, why, strerror(-err));
	else
		say("%s removed: %s", path, why);
}
