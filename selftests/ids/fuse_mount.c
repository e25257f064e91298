// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command while the ELF files of the tests are on a FUSE file system:
 * fuse_mount [--forget] DIR CMD...
 *
 * The files are on DIR. The exit status is that of CMD. With --forget, opening a
 * file drops its page cache.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse_server.h"

int main(int argc, char **argv)
{
	struct fuse_server server = { .mode = FUSE_NORMAL };
	struct elf_set set;
	int status, ret;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "--forget")) {
		server.mode = FUSE_FORGETS;
		argv++;
		argc--;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: fuse_mount [--forget] DIR CMD...\n");
		return 2;
	}
	server.set = &set;
	server.dir = argv[1];
	ret = elf_set_read(&set);
	if (!ret && unshare(CLONE_NEWNS))
		ret = -1;
	if (!ret && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		ret = -1;
	if (!ret)
		ret = fuse_start(&server);
	if (ret) {
		fprintf(stderr, "fuse_mount: cannot mount on %s (%d)\n",
			argv[1], ret);
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = -1;
	fuse_kill(&server);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
