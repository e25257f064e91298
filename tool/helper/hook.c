// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and feed the process that runs a command for each snapshot. helper/runner.c is what the
 * process does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper/hook.h"
#include "helper/runner.h"

int hook_open(struct hook *h, const char *cmd, struct diag *d)
{
	int fds[2];

	*h = (struct hook){ .fd = -1 };
	/* A message is a path and a line. The kernel keeps a few of them for a slow reader. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return diag(d, -errno, "--on-snapshot: socketpair: %s", strerror(errno));
	h->pid = fork();
	if (!h->pid)
		runner_main(fds[1], cmd);
	close(fds[1]);
	if (h->pid < 0) {
		const int err = -errno;

		h->pid = 0;
		close(fds[0]);
		return diag(d, err, "--on-snapshot: fork: %s", strerror(-err));
	}
	h->fd = fds[0];
	return 0;
}

int hook_run(struct hook *h, const char *path, const char *line)
{
	struct iovec iov[] = {
		{ (void *)path, strlen(path) + 1 }, { (void *)line, strlen(line) },
	};
	const struct msghdr msg = { .msg_iov = iov, .msg_iovlen = ARRAY_LEN(iov) };

	if (!h->pid)
		return -EPIPE;
	return sendmsg(h->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void hook_finish(struct hook *h)
{
	if (h->pid)
		shutdown(h->fd, SHUT_WR);
}

bool hook_has_ended(struct hook *h, int ms)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };

	if (!h->pid)
		return true;
	/* The process writes nothing, so an event means that it has ended. */
	if (poll(&p, 1, ms) <= 0)
		return false;
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
	return true;
}

void hook_close(struct hook *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	h->pid = 0;
}
