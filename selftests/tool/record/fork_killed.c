// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for LD_PRELOAD that kills the child before fork(2) returns in the parent, as the
 * kernel's out-of-memory killer can.
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
