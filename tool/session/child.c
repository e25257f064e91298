// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find, start and end the command that is recorded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/session.h"
#include "session/signals.h"

/* In the child: wait until the events are open, then execute the command. */
static _Noreturn void become(struct session *s, int go, int report)
{
	char c = 0;
	int err;

	while (read(go, &c, 1) < 0 && errno == EINTR)
		;
	/* The recorder closed the pipe without writing to it: the recorder has given up. */
	if (c != 'g')
		_exit(125);

	/* The stream must not be mixed with what the command prints. */
	if (!strcmp(s->opt->output, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(s->opt->cmd[0], s->opt->cmd);
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(125);
	_exit(err == ENOENT ? 127 : 126);
}

/*
 * The recorder's handlers would swallow a Ctrl-C that comes before the command is
 * executed. The recorder would then wait for a command that has not seen the signal.
 * So child_fork() blocks signals until the child has called this.
 */
static void default_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	struct sigaction hup;

	sigaction(SIGINT, &dfl, NULL);
	sigaction(SIGTERM, &dfl, NULL);
	sigaction(SIGCHLD, &dfl, NULL);
	sigaction(SIGPIPE, &dfl, NULL);
	sigaction(SIGXFSZ, &dfl, NULL);
	/* If nohup(1) has set SIGHUP to be ignored, that is for the command as well. */
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &dfl, NULL);
}

/* Return 0, or -errno, which tells why the file cannot be executed. */
static int may_execute(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return access(path, X_OK) ? -errno : 0;
}

/* Search as execvp(3) does: skip a file without permission, but remember -EACCES. */
static int search_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX], dflt[64];
	int err, found = -ENOENT;

	if (!path) {
		confstr(_CS_PATH, dflt, sizeof(dflt));
		path = dflt;
	}
	for (;; path++) {
		const size_t len = strcspn(path, ":");

		/* An empty part is the working directory. */
		if ((size_t)snprintf(file, sizeof(file), "%.*s%s%s", (int)len,
				     path, len ? "/" : "", name) <
		    sizeof(file)) {
			err = may_execute(file);
			if (!err)
				return 0;
			if (err == -EACCES)
				found = err;
		}
		path += len;
		if (!*path)
			return found;
	}
}

int child_find(struct session *s, struct diag *d)
{
	const char *name = s->opt->cmd[0];
	const bool is_path = strchr(name, '/');
	int err = is_path ? may_execute(name) : search_path(name);

	if (!err)
		return 0;
	s->child_errno = -err;
	if (err == -ENOENT && !is_path)
		return diag(d, err,
			    "cannot run %s: there is no such command in PATH",
			    name);
	return diag(d, err, "cannot run %s: %s", name, strerror(-err));
}

int child_fork(struct session *s, struct diag *d)
{
	sigset_t all, old;
	int go[2], report[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return diag(d, -errno, "pipe: %s", strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (pid)
		sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return diag(d, -errno, "fork: %s", strerror(errno));
	if (!pid) {
		default_signals();
		sigprocmask(SIG_SETMASK, &old, NULL);
		/* With a copy of the write end, the child would not notice the recorder's death. */
		close(go[1]);
		close(report[0]);
		become(s, go[0], report[1]);
	}
	close(go[0]);
	close(report[1]);
	s->child = pid;
	s->go_fd = go[1];
	s->exec_fd = report[0];
	return 0;
}

int child_start(struct session *s, struct diag *d)
{
	ssize_t r;
	int err;

	if (!s->child)
		return 0;
	/* A signal that ends the recording may have come before there was a child. */
	if (signals_stop())
		child_stop(s);
	s->child_started = true;
	r = write(s->go_fd, "g", 1);
	child_dismiss(s);
	if (r != 1)
		return diag(d, -EPIPE, "%s: ended before it began",
			    s->opt->cmd[0]);

	/* At end of file, exec has closed the other end. */
	do {
		r = read(s->exec_fd, &err, sizeof(err));
	} while (r < 0 && errno == EINTR);
	close(s->exec_fd);
	s->exec_fd = -1;
	if (r != sizeof(err))
		return 0;
	s->child_errno = err;
	return diag(d, -err, "cannot run %s: %s", s->opt->cmd[0],
		    strerror(err));
}

void child_dismiss(struct session *s)
{
	if (s->go_fd >= 0)
		close(s->go_fd);
	s->go_fd = -1;
}

int child_explain(struct session *s, int err, struct diag *d)
{
	/* ESRCH means that the child has ended only if the child is the only recorded task. */
	if (err != -ESRCH || !s->child || !session_per_task(s) ||
	    s->opt->nr_targets)
		return err;
	/* The child is ending: find_get_context() refuses a task with PF_EXITING. */
	child_dismiss(s);
	if (waitpid(s->child, &s->child_status, 0) != s->child)
		return err;
	s->child_done = true;
	if (!WIFSIGNALED(s->child_status))
		return err;
	return diag(d, err, "%s: killed by signal %d (%s) before it began",
		    s->opt->cmd[0], WTERMSIG(s->child_status),
		    strsignal(WTERMSIG(s->child_status)));
}

void child_reap(struct session *s)
{
	if (!s->child || s->child_done)
		return;
	if (waitpid(s->child, &s->child_status, WNOHANG) == s->child)
		s->child_done = true;
}

void child_kill(struct session *s, int sig)
{
	if (s->child && !s->child_done)
		kill(s->child, sig);
}

/* SIGUSR2 has a meaning only for auxrec, so the command gets SIGTERM. */
void child_stop(struct session *s)
{
	child_kill(s, signals_stop() == SIGUSR2 ? SIGTERM : signals_stop());
}
