/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --daemon: recording in the background.
 *
 *	err = daemon_begin(&opt, &d);		before threads, signals_init(), any output
 *	... opens events, the control socket, starts the command: what fails is said by
 *	    say() and ends in exit(), as in the foreground ...
 *	err = daemon_ready(&d);			recording has begun
 *	...
 *	daemon_end();				the last thing; exit() does it, too
 *
 * Between the first two, say() reaches both the terminal and the log.
 *
 * The working directory stays what it was. Paths relative to it go on working: those of
 * the options, of control sockets (which must be short), of snapshots that are named by a
 * pattern; to resolve each of them would be easy to forget for the next one. The price is that
 * the file system it is on cannot be unmounted, which the one that is recorded to could not be
 * anyway. So it is with the umask.
 */
#ifndef AUXREC_DAEMON_H
#define AUXREC_DAEMON_H

#include "base/util.h"

struct daemon_options {
	const char *pid_file;	/* --pid-file=PATH, or NULL */
	const char *log;	/* --log=FILE, or NULL: syslog */
};

/*
 * daemon_begin() - goes on in a child, in a session of its own, with /dev/null as stdio
 *
 * Only the child returns. The parent exits when the child is ready, with status 0, or when
 * the child has ended before, with its status (128 + N for signal N).
 *
 * SIGHUP is ignored from here on, which signals_init() leaves alone: no terminal is there
 * to hang up. What the recorded command prints goes to /dev/null.
 *
 * Return: 0, or -errno with a message, in the child (which shall say it and exit, so that
 * the parent does) or in the parent (without a child).
 */
int daemon_begin(const struct daemon_options *opt, struct diag *d);

/*
 * daemon_ready() - lets the parent exit; messages only go to the log from here on
 *
 * Return: 0, also without daemon_begin(); -ECANCELED with a message if the parent was
 * killed (Ctrl-C): nobody knows of this daemon, and it should end.
 */
int daemon_ready(struct diag *d);

/* Remove the pid file, closes the log. Nothing, without daemon_begin(). */
void daemon_end(void);

#endif /* AUXREC_DAEMON_H */
