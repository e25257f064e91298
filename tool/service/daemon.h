/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording in the background (--daemon).
 *
 *	err = daemon_begin(&opt, &d);		before threads, signals_init(), any output
 *	... open events, the control socket, start the command; report errors by
 *	    say() and call exit(), as in the foreground ...
 *	err = daemon_ready(&d);			recording has begun
 *	...
 *	daemon_end();				call it last; exit() calls it, too
 *
 * Between daemon_begin() and daemon_ready(), say() writes to the terminal and the log.
 *
 * The daemon keeps its working directory, so that relative paths go on working: paths of
 * options, of control sockets (which must be short), of snapshots that are named by a
 * pattern. If the daemon made each path absolute instead, a new option could be forgotten. The
 * price is that the file system of the working directory cannot be unmounted. The daemon keeps
 * its umask, too, as the user set it.
 */
#ifndef AUXREC_DAEMON_H
#define AUXREC_DAEMON_H

#include "base/util.h"

struct daemon_options {
	const char *pid_file;	/* --pid-file=PATH, or NULL */
	const char *log;	/* --log=FILE, or NULL: syslog */
};

/*
 * daemon_begin() - go on in a child, in a session of its own, with /dev/null as stdio
 *
 * Only the child returns. The parent exits with status 0 when the child is ready. If the
 * child ends earlier, the parent exits with the child's status (128 + N for signal N).
 *
 * SIGHUP is ignored from here on, because there is no terminal that could hang up.
 * signals_init() does not change that. Output of the recorded command goes to /dev/null.
 *
 * Return: 0, or -errno with a message. An error is returned in the child, which must report
 * it and exit, so that the parent exits too, or in the parent if there is no child.
 */
int daemon_begin(const struct daemon_options *opt, struct diag *d);

/*
 * daemon_ready() - let the parent exit; messages only go to the log from here on
 *
 * Return: 0, also without daemon_begin(), or -ECANCELED with a message if the parent was
 * killed (Ctrl-C). In this case nobody knows that the daemon runs, so it should end.
 */
int daemon_ready(struct diag *d);

/* Remove the pid file and close the log. Without daemon_begin(), this does nothing. */
void daemon_end(void);

#endif /* AUXREC_DAEMON_H */
