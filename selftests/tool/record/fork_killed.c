// SPDX-License-Identifier: GPL-2.0-only
/*
 * To preload: the first child is killed before fork(2) returns to its parent, as
 * the kernel's out-of-memory killer may do it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fork(void)
{
	typeof(fork) *next = dlsym(RTLD_NEXT, "fork");
	const pid_t pid = next();
	siginfo_t info;

	if (!pid)
		raise(SIGKILL);
	else if (pid > 0)
		waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	return pid;
}
