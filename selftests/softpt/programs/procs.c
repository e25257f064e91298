// SPDX-License-Identifier: GPL-2.0-only
/* A program that creates children and executes other programs in all ways. */
#define _GNU_SOURCE
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

MARK(0, parent)
MARK(1, forked)
MARK(2, vforked)
MARK(3, executed)
MARK(4, last)

extern char **environ;

static void await(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
	mark_parent();
}

int main(int argc, char **argv)
{
	char *args[3] = { argv[0], "child", NULL };
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "child")) {
		mark_executed();
		marks_print();
		return 0;
	}
	marks_share();
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			mark_forked();
			_exit(0);
		}
		await(pid);
		pid = fork();
		if (!pid) {
			mark_forked();
			execv(argv[0], args);
			_exit(1);
		}
		await(pid);
		pid = vfork();
		if (!pid) {
			mark_vforked();
			execv(argv[0], args);
			_exit(1);
		}
		await(pid);
		CHECK(!posix_spawn(&pid, argv[0], NULL, NULL, args, environ));
		await(pid);
	}
	mark_last();
	marks_print();
	args[1] = "child";
	execv(argv[0], args);
	return 1;
}
