// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up cgroups in their file system: ids of directories.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "synth/cgroups.h"

/* The id of the root, which is the first directory of a hierarchy */
#define ROOT_ID		1

/*
 * Is the controller perf_event in a hierarchy of version 1? The hierarchy does not have to be
 * mounted here. /proc/PID/cgroup has these lines, see cgroups(7): "4:perf_event:/",
 * "5:cpu,cpuacct:/", "0::/"
 */
static bool is_version_1(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *from = strchr(line, ':');
		char *end = from ? strchr(from + 1, ':') : NULL;

		if (!end)
			continue;
		*end = 0;
		found = hasmntopt(&(struct mntent){ .mnt_opts = (char *)from + 1 },
				  "perf_event");
	}
	if (f)
		fclose(f);
	return found;
}

static int open_mount(const char *type, const char *option)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	int fd = -ENOENT;

	while (f && fd < 0 && (m = getmntent(f))) {
		if (strcmp(m->mnt_type, type) || (option && !hasmntopt(m, option)))
			continue;
		fd = open(m->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	if (f)
		endmntent(f);
	return fd;
}

int cgroups_open(void)
{
	return is_version_1() ? open_mount("cgroup", "perf_event") : open_mount("cgroup2", NULL);
}

int cgroups_id(int dir, const char *path, __u64 *id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(*id)];
	} h = { .handle = { .handle_bytes = sizeof(*id) } };
	int mount;

	if (name_to_handle_at(dir, path, &h.handle, &mount, *path ? 0 : AT_EMPTY_PATH))
		return -errno;
	if (h.handle.handle_bytes != sizeof(*id))
		return -EOVERFLOW;
	memcpy(id, h.handle.f_handle, sizeof(*id));
	return 0;
}

bool cgroups_is_root(int dir)
{
	__u64 id = 0;

	return !cgroups_id(dir, "", &id) && id == ROOT_ID;
}

/* A cgroup that was made later with the same path has another id. */
bool cgroups_is_there(void *ctx, __u64 id, const char *path)
{
	const int *dir = ctx;
	__u64 now;
	int err;

	err = cgroups_id(*dir, path + strspn(path, "/"), &now);
	if (err)
		return err != -ENOENT && err != -ENOTDIR;
	return now == id;
}
