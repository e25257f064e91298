// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups that are there already: their numbers and names, as the kernel tells of new ones.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cgroups.h"
#include "synth.h"

static struct synth_rec rec;

/* Its path from the root, which is "/" */
static char path[PATH_MAX];

static int add_cgroup(struct session *s, __u64 id)
{
	int err;

	synth_begin(&rec, PERF_RECORD_CGROUP, 0);
	synth_add_u64(&rec, id);
	synth_add_name(&rec, *path ? path : "/");
	synth_add_sample_id(&rec);
	err = synth_end(s, &rec);
	return err == -E2BIG ? 0 : err;
}

/* @fd is closed. What vanishes meanwhile is none; the kernel tells of what is new. */
static int add_tree(struct session *s, int fd, size_t len)
{
	struct dirent *de;
	int err = 0, sub;
	DIR *dir;
	__u64 id;

	if (!cgroups_id(fd, "", &id))
		err = add_cgroup(s, id);
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	while (dir && !err && (de = readdir(dir))) {
		const size_t name = strlen(de->d_name);

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") ||
		    !strcmp(de->d_name, "..") || len + 1 + name >= sizeof(path))
			continue;
		sub = openat(dirfd(dir), de->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		path[len] = '/';
		memcpy(path + len + 1, de->d_name, name + 1);
		err = add_tree(s, sub, len + 1 + name);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return err;
}

int synth_cgroups(struct session *s)
{
	int fd;

	if (!s->opt->cgroups)
		return 0;
	fd = cgroups_open();
	if (fd < 0) {
		if (!s->opt->quiet)
			say("--all-cgroups: the hierarchy of cgroups is not mounted or cannot be read (%s): only those that are made now have names",
			    strerror(-fd));
		return 0;
	}
	*path = '\0';
	return add_tree(s, fd, 0);
}
