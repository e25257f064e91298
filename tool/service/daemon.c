// SPDX-License-Identifier: GPL-2.0-only
/*
 * --daemon: recording in the background.
 *
 * One fork(), not two: the parent wants the child's exit status. The second one would only
 * keep a session's leader from getting a terminal by opening it, and terminals are opened
 * with O_NOCTTY here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/daemon.h"
#include "service/log.h"
#include "service/pidfile.h"

static struct pidfile pid_file;
static int parent = -1;		/* the socket to it, until daemon_ready() */
static int terminal = -1;	/* its stderr, likewise */

static void say_both(const char *text)
{
	/* Nobody is left to be told that it did not work. */
	if (terminal >= 0)
		dprintf(terminal, "auxrec: %s\n", text);
	log_write(text);
}

/* Else what is opened next would be taken for stdio, and be replaced. */
static int fill_stdio(struct diag *d)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return diag(d, -errno, "/dev/null: %s", strerror(errno));
	} while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

static _Noreturn void wait_for(pid_t child, int from_child)
{
	ssize_t r;
	int status;
	char c;

	do {
		r = read(from_child, &c, 1);
	} while (r < 0 && errno == EINTR);
	/* Neither buffers nor handlers: those are the child's. */
	if (r == 1)
		_exit(0);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		say("the daemon was killed by signal %d (%s) before recording began",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
		_exit(128 + WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

static int detach(struct diag *d)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int null, i;

	setsid();
	sigaction(SIGHUP, &ignore, NULL);
	terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return diag(d, -errno, "/dev/null: %s", strerror(errno));
	/*
	 * Not only when it is ready: the command that is recorded has them by then. Whoever
	 * waits for the end of a pipe (ssh) shall not wait for the daemon's.
	 */
	for (i = 0; i < 3; i++)
		dup2(null, i);
	if (null > 2)
		close(null);
	return 0;
}

int daemon_begin(const struct daemon_options *opt, struct diag *d)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	int pair[2], err;
	pid_t pid;

	err = fill_stdio(d);
	if (err)
		return err;
	/* Ignored, as it may be inherited, there would be no status to wait for. */
	sigaction(SIGCHLD, &dfl, NULL);
	/* Not a pipe: a write to one whose reader has gone would be a SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return diag(d, -errno, "socketpair: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		err = diag(d, -errno, "fork: %s", strerror(errno));
		close(pair[0]);
		close(pair[1]);
		return err;
	}
	if (pid) {
		close(pair[1]);
		wait_for(pid, pair[0]);
	}
	close(pair[0]);
	parent = pair[1];
	atexit(daemon_end);
	err = detach(d);
	say_to(say_both);
	if (!err && opt->log)
		err = log_to_file(opt->log, d);
	else if (!err)
		err = log_to_syslog(d);
	if (!err && opt->pid_file)
		err = pidfile_take(&pid_file, opt->pid_file, NULL, d);
	return err;
}

int daemon_ready(struct diag *d)
{
	int err = 0;

	if (parent < 0)
		return 0;
	if (send(parent, "r", 1, MSG_NOSIGNAL) != 1)
		err = diag(d, -ECANCELED, "who started the daemon has gone before recording began");
	close(parent);
	parent = -1;
	if (terminal >= 0)
		close(terminal);
	terminal = -1;
	return err;
}

void daemon_end(void)
{
	pidfile_drop(&pid_file);
	log_close();
}
