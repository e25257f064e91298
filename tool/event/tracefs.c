// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading tracefs: the names and ids of tracepoints.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/tracefs.h"

static int copy_path(char *buf, size_t size, const char *path)
{
	if (strlen(path) >= size)
		return -ENAMETOOLONG;
	memcpy(buf, path, strlen(path) + 1);
	return 0;
}

int tracepoint_find_tracefs(char *buf, size_t size)
{
	struct mntent *entry;
	int ret = -ENOENT;
	FILE *mounts;

	mounts = setmntent("/proc/mounts", "r");
	if (!mounts)
		return copy_path(buf, size, "/sys/kernel/tracing");
	while (ret == -ENOENT && (entry = getmntent(mounts))) {
		if (!strcmp(entry->mnt_type, "tracefs"))
			ret = copy_path(buf, size, entry->mnt_dir);
	}
	endmntent(mounts);
	return ret;
}

int tracepoint_systems(const char *tracefs, struct names *names)
{
	char path[PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "%s/events", tracefs);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return names_read_dir(names, path, true);
}

/* Refuse a name that is not one path component: it could lead out of events/. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

int tracepoint_events(const char *tracefs, const char *system,
		      struct names *names)
{
	char path[PATH_MAX];
	int len;

	if (!is_plain(system))
		return -ENOENT;
	len = snprintf(path, sizeof(path), "%s/events/%s", tracefs, system);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return names_read_dir(names, path, true);
}

int tracepoint_id(const char *tracefs, const char *system, const char *name,
		  __u64 *id)
{
	char path[PATH_MAX];
	char buf[32];
	char *end;
	int ret;

	if (!is_plain(system) || !is_plain(name))
		return -ENOENT;
	ret = snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs,
		       system, name);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENOENT;
	ret = read_line_file(path, buf, sizeof(buf));
	if (ret)
		return ret == -ENAMETOOLONG ? -ENOENT : ret;
	if (!isdigit((unsigned char)buf[0]))
		return -EIO;
	errno = 0;
	*id = strtoull(buf, &end, 10);
	return *end || errno ? -EIO : 0;
}
