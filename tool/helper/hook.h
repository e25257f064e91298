/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run a command for each snapshot, in a process of its own. The recorder only sends a message to
 * that process, and never waits for it while it records.
 */
#ifndef AUXREC_HELPER_HOOK_H
#define AUXREC_HELPER_HOOK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/util.h"

#define HOOK_RUNNING	4	/* commands that run at the same time */
#define HOOK_WAITING	64	/* snapshots that wait for a command, at most */
#define HOOK_LINE_MAX	(128U << 10)

struct hook {
	pid_t pid;		/* 0: there is no such process */
	int fd;
};

/*
 * Start the process. It is a copy of the caller, so start it while the caller is small. @cmd is a
 * command for sh(1), whose $1 is the snapshot and whose standard input is the snapshot's line.
 *
 * Return: 0, or -errno with a message.
 */
int hook_open(struct hook *h, const char *cmd, struct diag *d);

/*
 * Request a run for a snapshot. @line: without a newline. Return 0, -EAGAIN if too many wait, or
 * another -errno.
 */
int hook_run(struct hook *h, const char *path, const char *line);

/* No more snapshots will come. The process ends when all commands have ended. */
void hook_finish(struct hook *h);
/* After hook_finish(): wait for at most @ms. Return whether the process has ended. */
bool hook_has_ended(struct hook *h, int ms);
/* Forget the process, whether it has ended or not. */
void hook_close(struct hook *h);

#endif /* AUXREC_HELPER_HOOK_H */
