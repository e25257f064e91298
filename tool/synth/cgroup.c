// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe cgroups that exist already with CGROUP records, as the kernel describes new ones.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "synth/cgroups.h"
#include "stream/build.h"
#include "synth/synth.h"

/* The path of the current cgroup from the root. Empty: the root itself */
static char path[PATH_MAX];

/* The number of places in the hierarchy whose cgroups have no name in the stream */
static unsigned int unnamed;
static int unnamed_err;
static char unnamed_path[256];

static void leave_unnamed(const char *parent, const char *name, int err)
{
	if (!unnamed++) {
		unnamed_err = err;
		snprintf(unnamed_path, sizeof(unnamed_path), "%.150s%s%.100s",
			 parent, *name ? "/" : "", name);
	}
}

static int add_cgroup(struct session *s, __u64 id)
{
	int err;

	build_begin(&s->out, PERF_RECORD_CGROUP, 0);
	build_add_u64(&s->out, id);
	build_add_name(&s->out, *path ? path : "/");
	build_add_sample_id(&s->out);
	err = build_end(&s->out);
	if (err != -E2BIG)
		return err;
	leave_unnamed(path, "", ENAMETOOLONG);
	return 0;
}

/* Add a cgroup whose directory cannot be read. Its id can be read from the parent's directory. */
static int add_closed(struct session *s, int parent, const char *name, int why)
{
	__u64 id;

	leave_unnamed(path, "*", why);
	return cgroups_id(parent, name, &id) ? 0 : add_cgroup(s, id);
}

/*
 * Add a cgroup and all cgroups below it. This closes @fd. Cgroups that vanish meanwhile are left
 * out, and the kernel reports new ones.
 */
static int add_tree(struct session *s, int fd, size_t len)
{
	struct dirent *de;
	int err = 0, sub;
	DIR *dir;
	__u64 id;

	if (!cgroups_id(fd, "", &id))
		err = add_cgroup(s, id);
	dir = fdopendir(fd);
	if (!dir) {
		leave_unnamed(path, "*", errno);
		close(fd);
	}
	while (dir && !err && (de = readdir(dir))) {
		const size_t name = strlen(de->d_name);

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") ||
		    !strcmp(de->d_name, ".."))
			continue;
		if (len + 1 + name >= sizeof(path)) {
			leave_unnamed(path, de->d_name, ENAMETOOLONG);
			continue;
		}
		path[len] = '/';
		memcpy(path + len + 1, de->d_name, name + 1);
		sub = openat(dirfd(dir), de->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0)
			err = add_tree(s, sub, len + 1 + name);
		else if (errno != ENOENT)
			err = add_closed(s, dirfd(dir), de->d_name, errno);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return err;
}

int synth_cgroups(struct session *s)
{
	int fd, err;

	if (!s->opt->cgroups)
		return 0;
	fd = cgroups_open();
	if (fd < 0) {
		if (!s->opt->quiet)
			say("--all-cgroups: the hierarchy of cgroups is not mounted or cannot be read (%s): only cgroups that are created now have names",
			    strerror(-fd));
		return 0;
	}
	*path = '\0';
	err = add_tree(s, fd, 0);
	if (!err && unnamed && !s->opt->quiet)
		say("--all-cgroups: there may be cgroups without a name, in %u places of the hierarchy; the first is %s (%s)",
		    unnamed, unnamed_path, strerror(unnamed_err));
	return err;
}
