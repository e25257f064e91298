// SPDX-License-Identifier: GPL-2.0-only
/* A task that only exists to be recorded by events of another task or of a cgroup. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "fuzz.h"

static pid_t other = -1;
static int cgroup = -1;

static void run(void)
{
	const char * const names[] = { "other", "another" };
	unsigned int i;

	if (opt.user)
		become_user(USER_CALLS);
	/* After become_user(), because the kernel clears this setting when the user changes. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Cause samples of task:task_rename and context switches. */
	for (i = 0;; i++) {
		prctl(PR_SET_NAME, names[i % 2]);
		usleep(5000);
	}
}

void other_task_start(void)
{
	char text[16];

	other = fork();
	if (!other)
		run();
	if (mkdir(OTHER_CGROUP, 0755) && errno != EEXIST)
		return;
	cgroup = open(OTHER_CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(text, sizeof(text), "%d", other);
	file_write(OTHER_CGROUP "/cgroup.procs", text);
}

void other_task_end(void)
{
	if (other > 0)
		kill(other, SIGKILL);
}

pid_t other_task(struct caller *c)
{
	pid_t child = shared->last_child;

	/* Sometimes return a child of a caller. This child may have ended. */
	return one_in(c, 4) && child ? child : other;
}

int other_cgroup(void)
{
	return cgroup;
}
