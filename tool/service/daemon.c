// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording in the background (--daemon).
 *
 * The daemon forks once, not twice, because the parent needs the child's exit status. A second
 * fork() would only keep a session leader from getting a terminal when it opens one, and auxrec
 * opens terminals with O_NOCTTY.
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
static int parent = -1;		/* the socket to the parent, until daemon_ready() */
static int terminal = -1;	/* the parent's stderr, until daemon_ready() */

static void say_both(const char *text)
{
	/* If writing to the terminal fails, nobody is left who could be told. */
	if (terminal >= 0)
		dprintf(terminal, "auxrec: %s\n", text);
	log_write(text);
}

/* If a descriptor of stdio were free, the next file would get it, and detach() would replace it. */
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
	/* _exit() flushes no buffers and runs no exit handlers: these belong to the child. */
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
	 * Replace stdio now, not in daemon_ready(): the recorded command would have inherited it
	 * by then. A program that waits for the end of a pipe (ssh) must not wait for the daemon
	 * to end.
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
	/* If the parent inherited an ignored SIGCHLD, waitpid() would get no status. */
	sigaction(SIGCHLD, &dfl, NULL);
	/* In a pipe without a reader, a write would raise SIGPIPE. So use a socket. */
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
		err = diag(d, -ECANCELED, "the process that started the daemon ended before recording began");
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
