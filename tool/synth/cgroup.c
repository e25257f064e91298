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

/* A walk through the hierarchy of cgroups */
struct walk {
	struct session *s;
	char path[PATH_MAX];		/* of the current cgroup; "": the root */
	/* places in the hierarchy whose cgroups have no name in the stream */
	unsigned int unnamed;
	int unnamed_err;		/* of the first one */
	char unnamed_path[256];
};

static void leave_unnamed(struct walk *w, const char *name, int err)
{
	if (!w->unnamed++) {
		w->unnamed_err = err;
		snprintf(w->unnamed_path, sizeof(w->unnamed_path), "%.150s%s%.100s",
			 w->path, *name ? "/" : "", name);
	}
}

static int add_cgroup(struct walk *w, __u64 id)
{
	struct stream *out = &w->s->out;
	int err;

	build_begin(out, PERF_RECORD_CGROUP, 0);
	build_add_u64(out, id);
	build_add_name(out, *w->path ? w->path : "/");
	build_add_sample_id(out);
	err = build_end(out);
	if (err != -E2BIG)
		return err;
	leave_unnamed(w, "", ENAMETOOLONG);
	return 0;
}

/* Add a cgroup whose directory cannot be read. Its id can be read from the parent's directory. */
static int add_closed(struct walk *w, int parent, const char *name, int why)
{
	__u64 id;

	leave_unnamed(w, "*", why);
	return cgroups_id(parent, name, &id) ? 0 : add_cgroup(w, id);
}

/*
 * Add a cgroup and all cgroups below it. This closes @fd. Cgroups that vanish meanwhile are left
 * out, and the kernel reports new ones.
 */
static int add_tree(struct walk *w, int fd, size_t len)
{
	struct dirent *de;
	int err = 0, sub;
	DIR *dir;
	__u64 id;

	if (!cgroups_id(fd, "", &id))
		err = add_cgroup(w, id);
	dir = fdopendir(fd);
	if (!dir) {
		leave_unnamed(w, "*", errno);
		close(fd);
	}
	while (dir && !err && (de = readdir(dir))) {
		const size_t name = strlen(de->d_name);

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") ||
		    !strcmp(de->d_name, ".."))
			continue;
		if (len + 1 + name >= sizeof(w->path)) {
			leave_unnamed(w, de->d_name, ENAMETOOLONG);
			continue;
		}
		w->path[len] = '/';
		memcpy(w->path + len + 1, de->d_name, name + 1);
		sub = openat(dirfd(dir), de->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0)
			err = add_tree(w, sub, len + 1 + name);
		else if (errno != ENOENT)
			err = add_closed(w, dirfd(dir), de->d_name, errno);
		w->path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return err;
}

int synth_cgroups(struct session *s)
{
	struct walk w = { .s = s };
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
	err = add_tree(&w, fd, 0);
	if (!err && w.unnamed && !s->opt->quiet)
		say("--all-cgroups: there may be cgroups without a name, in %u places of the hierarchy; the first is %s (%s)",
		    w.unnamed, w.unnamed_path, strerror(w.unnamed_err));
	return err;
}
