// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that runs a command for each snapshot. It has a session of its own: Ctrl-C at the
 * recorder's terminal ends the recorder, and commands go on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/close_fds.h"
#include "helper/hook.h"
#include "helper/runner.h"
#include "service/log.h"

/* Without a signalfd, nothing tells that a command has ended. */
#define NO_SIGNALS_MS	100

struct job {
	char *path;		/* the line follows the path's NUL */
	size_t size;
	pid_t pid;
};

struct runner {
	const char *cmd;
	int fd;			/* the recorder's socket, or -1 after its end */
	struct job running[HOOK_RUNNING];
	struct job waiting[HOOK_WAITING];
	size_t nr_running, nr_waiting;
	__u64 dropped;		/* since the last message about them */
};

static void reset_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * The recorder may be one of the last processes that the kernel kills when memory is short. A
 * command must not be. This fails where /proc cannot be written, as in auxrec-flight.service.
 */
static void reset_oom_score(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[16] = "";

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0 && text[0] == '-' && pwrite(fd, "0", 1, 0) < 0)
		text[0] = '\0';
	close(fd);
}

/* A reader of the recorder's output must see its end, although this process goes on. */
static void leave_terminal(void)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* The line is in a file and not in a pipe, because a command does not have to read it. */
static int line_fd(const struct job *job)
{
	const size_t path = strlen(job->path) + 1;
	const int fd = memfd_create("line", 0);

	if (fd < 0)
		return -1;
	if (write(fd, job->path + path, job->size - path) < 0 || write(fd, "\n", 1) < 0 ||
	    lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return -1;
	}
	return fd;
}

static _Noreturn void run_command(const struct runner *r, const struct job *job)
{
	const int fd = line_fd(job);

	reset_signals();
	reset_oom_score();
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(126);
	close_fds(NULL, 0);
	execl("/bin/sh", "sh", "-c", r->cmd, "auxrec", job->path, NULL);
	_exit(127);
}

static void start(struct runner *r)
{
	while (r->nr_waiting && r->nr_running < HOOK_RUNNING) {
		struct job job = r->waiting[0];

		memmove(r->waiting, r->waiting + 1, --r->nr_waiting * sizeof(job));
		job.pid = fork();
		if (!job.pid)
			run_command(r, &job);
		if (job.pid > 0) {
			r->running[r->nr_running++] = job;
			continue;
		}
		say("--on-snapshot: %s: no command was started: %s", job.path, strerror(errno));
		free(job.path);
	}
}

static void tell(const struct job *job, int status)
{
	if (WIFSIGNALED(status))
		say("--on-snapshot: %s: the command was killed by signal %d", job->path,
		    WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say("--on-snapshot: %s: the command failed, exit status %d", job->path,
		    WEXITSTATUS(status));
}

static void reap(struct runner *r)
{
	int status;
	pid_t pid;
	size_t i;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < r->nr_running && r->running[i].pid != pid; i++)
			;
		if (i == r->nr_running)
			continue;
		tell(&r->running[i], status);
		free(r->running[i].path);
		r->running[i] = r->running[--r->nr_running];
	}
	if (r->dropped && r->nr_waiting < HOOK_WAITING / 2) {
		say("--on-snapshot: %llu snapshots had no command, because too many waited",
		    (unsigned long long)r->dropped);
		r->dropped = 0;
	}
}

static void take(struct runner *r)
{
	static char buf[PATH_MAX + HOOK_LINE_MAX + 1];
	const ssize_t n = recv(r->fd, buf, sizeof(buf) - 1, MSG_TRUNC);
	char *copy;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		/* Closing the socket would tell the recorder that this process has ended. */
		r->fd = -1;
		return;
	}
	if (n >= (ssize_t)sizeof(buf)) {
		say("--on-snapshot: %s: no command: the line is too long", buf);
		return;
	}
	buf[n] = '\0';
	copy = r->nr_waiting < HOOK_WAITING ? malloc(n + 1) : NULL;
	if (!copy) {
		if (!r->dropped++)
			say("--on-snapshot: %s: no command, because too many snapshots wait for theirs",
			    buf);
		return;
	}
	memcpy(copy, buf, n + 1);
	r->waiting[r->nr_waiting++] = (struct job){ .path = copy, .size = n };
}

void runner_main(int fd, const char *cmd)
{
	int keep[] = { log_inherited(), fd };
	struct runner r = { .cmd = cmd, .fd = fd };
	struct signalfd_siginfo info;
	struct pollfd p[2];
	sigset_t child;

	setsid();
	leave_terminal();
	reset_signals();
	/* This process ends only if the recorder's socket is closed and all commands have ended. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	close_fds(keep, ARRAY_LEN(keep));
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	p[1] = (struct pollfd){ .fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK),
				.events = POLLIN };
	while (r.fd >= 0 || r.nr_running || r.nr_waiting) {
		p[0] = (struct pollfd){ .fd = r.fd, .events = POLLIN };
		if (poll(p, ARRAY_LEN(p), p[1].fd < 0 ? NO_SIGNALS_MS : -1) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			take(&r);
		while (read(p[1].fd, &info, sizeof(info)) > 0)
			;
		reap(&r);
		start(&r);
	}
	reap(&r);
	_exit(0);
}
