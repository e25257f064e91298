// SPDX-License-Identifier: GPL-2.0-only
/* Ordinary users, and children in user namespaces of their own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "ring_lib.h"

int become_uid(uid_t uid)
{
	return setgroups(0, NULL) || setgid(uid) || setuid(uid) ? -errno : 0;
}

static void in_namespace_fn(void *arg)
{
	struct in_namespace *in = arg;
	char c;

	if (in->maker && become_uid(in->maker))
		_exit(100);
	/* The child reads the end of file if the parent could not write the maps. */
	close(in->mapped[1]);
	if (unshare(CLONE_NEWUSER) || write(in->made[1], "", 1) != 1 ||
	    read(in->mapped[0], &c, 1) != 1)
		_exit(101);
	in->fn(in->arg);
	_exit(0);
}

int in_namespace(struct child *child, struct in_namespace *in)
{
	char path[64], c;
	int ret;

	if (pipe2(in->made, O_CLOEXEC) || pipe2(in->mapped, O_CLOEXEC) ||
	    child_start(child, in_namespace_fn, in))
		return -errno;
	child_go(child);
	close(in->made[1]);
	close(in->mapped[0]);
	if (read(in->made[0], &c, 1) != 1)
		return -ECHILD;
	close(in->made[0]);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", child->pid);
	ret = file_write(path, in->map);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", child->pid);
	if (!ret)
		ret = file_write(path, in->map);
	if (!ret && write(in->mapped[1], "", 1) != 1)
		ret = -EPIPE;
	close(in->mapped[1]);
	return ret;
}
