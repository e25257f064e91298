/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients of a control socket, and a recorder that only notes the requests it gets. All of them
 * run in one thread, so the recorder can read a request as soon as the client's send() returns.
 */
#ifndef SELFTESTS_CONTROL_CLIENT_H
#define SELFTESTS_CONTROL_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/control.h"

#define MOST_TOKENS	4096

struct recorder {
	struct control *control;
	char path[64];
	unsigned int snapshots;
	unsigned int statuses;
	unsigned int stops;
	enum facts_form form;	/* of the last status */
	bool at_once;		/* recorder_snapshot() answers before it returns */
	bool fails;
	size_t status_bytes;
	char name[CONTROL_NAME_MAX];
	__u64 tokens[MOST_TOKENS];
};

static inline int recorder_snapshot(void *ctx, const char *name, __u64 token, struct diag *d)
{
	struct recorder *r = ctx;

	snprintf(r->name, sizeof(r->name), "%s", name ? name : "(none)");
	r->tokens[r->snapshots++ % MOST_TOKENS] = token;
	if (r->fails)
		return diag(d, -ENOSPC, "the disk\nis full");
	if (r->at_once)
		control_answer(r->control, token, "ok /tmp/%s", r->name);
	return 0;
}

static inline void recorder_status(void *ctx, enum facts_form form, FILE *to)
{
	struct recorder *r = ctx;
	size_t i;

	r->statuses++;
	r->form = form;
	fprintf(to, "snapshots: %u\n", r->snapshots);
	for (i = 0; i < r->status_bytes / 8; i++)
		fputs("key: va\n", to);
}

static inline int recorder_stop(void *ctx, __u64 token)
{
	struct recorder *r = ctx;

	if (r->fails)
		return -EBUSY;
	r->stops++;
	control_answer(r->control, token, "ok");
	return 0;
}

static const struct control_ops recorder_ops = {
	.snapshot = recorder_snapshot,
	.status = recorder_status,
	.stop = recorder_stop,
};

static inline bool recorder_open(struct recorder *r, struct diag *d)
{
	r->control = control_open(r->path, &recorder_ops, r, d);
	return r->control;
}

static inline bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Run the recorder until it has nothing to do. Return false if that never happens. */
static inline bool run(struct recorder *r)
{
	int i;

	for (i = 0; i < 100000; i++) {
		if (!readable(control_fd(r->control)))
			return true;
		control_run(r->control);
	}
	return false;
}

/* Return a non-blocking descriptor or -errno. */
static inline int client_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static inline ssize_t client_send(int fd, const char *text)
{
	return send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* Send all copies in one message: small messages take much more of a socket's buffer. */
static inline ssize_t client_send_times(int fd, const char *text, unsigned int times)
{
	static char buf[65536];
	const size_t len = strlen(text);
	size_t i;

	for (i = 0; i < times && (i + 1) * len <= sizeof(buf); i++)
		memcpy(buf + i * len, text, len);
	return send(fd, buf, i * len, MSG_NOSIGNAL);
}

/* Return all that has arrived as a string. The string ends in "(end)" if the connection ended. */
static inline const char *client_read(int fd)
{
	static char buf[65536];
	size_t len = 0;
	ssize_t n;

	while ((n = recv(fd, buf + len, sizeof(buf) - 16 - len, 0)) > 0)
		len += n;
	strcpy(buf + len, !n || errno == ECONNRESET ? "(end)" : "");
	return buf;
}

static inline unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

#endif /* SELFTESTS_CONTROL_CLIENT_H */
