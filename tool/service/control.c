// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control socket of a recorder: accept clients, carry out their requests, answer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/control.h"
#include "service/control_client.h"
#include "service/control_socket.h"

#define CLIENTS_MAX	32
/* The epoll data of the listening socket; clients have their index */
#define LISTENER	CLIENTS_MAX

struct control {
	const struct control_ops *ops;
	void *ctx;
	int epoll;
	int spare;		/* a descriptor that is closed to refuse a client */
	__u64 serial;
	bool has_group;
	gid_t group;		/* whose members may use the socket, too, if @has_group */
	struct control_socket socket;
	struct control_client clients[CLIENTS_MAX];
};

static void answer_error(struct control_client *cl, int err, const struct diag *d)
{
	control_client_putf(cl, "error %s", d->msg[0] ? d->msg : strerror(-err));
}

static void answer_status(struct control *c, struct control_client *cl, enum facts_form form)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;
	bool ok;

	/* A page of metrics takes longer than any other answer. */
	cl->had_turn = true;
	f = open_memstream(&text, &len);
	if (f) {
		c->ops->status(c->ctx, form, f);
		ok = !ferror(f);
		if (fclose(f) || !ok) {
			control_client_putf(cl, "error no memory");
		} else if (len > CONTROL_STATUS_MAX) {
			control_client_putf(cl, "error the status is too long");
		} else {
			control_client_put(cl, text, len);
			if (len && text[len - 1] != '\n')
				control_client_put(cl, "\n", 1);
			control_client_putf(cl, "ok");
		}
	} else {
		control_client_putf(cl, "error no memory");
	}
	free(text);
}

static void execute(void *ctx, struct control_client *cl, const char *line, size_t len)
{
	struct diag d = { .msg = "" };
	struct control_request rq;
	struct control *c = ctx;
	int err;

	err = control_parse(line, len, &rq, &d);
	if (err) {
		answer_error(cl, err, &d);
		return;
	}
	if (rq.verb == CONTROL_STATUS || rq.verb == CONTROL_METRICS) {
		answer_status(c, cl, rq.verb == CONTROL_METRICS ? FACTS_METRICS :
			      rq.json ? FACTS_JSON : FACTS_TEXT);
		return;
	}
	if (rq.verb == CONTROL_STOP && !cl->may_stop) {
		control_client_putf(cl, "error only root and the user who records may end the recording");
		return;
	}
	/* Count the request first, because the operation may answer it before it returns. */
	cl->pending++;
	if (rq.verb == CONTROL_SNAPSHOT)
		err = c->ops->snapshot(c->ctx, rq.name[0] ? rq.name : NULL, cl->serial, &d);
	else
		err = c->ops->stop(c->ctx, cl->serial);
	if (err && cl->pending) {
		cl->pending--;
		answer_error(cl, err, &d);
	}
}

/* Close a client that is done, or tell epoll which events the client needs now. */
static void settle(struct control *c, struct control_client *cl)
{
	struct epoll_event ev = { .data.u32 = cl - c->clients };

	if (control_client_done(cl)) {
		/* A child that writes a snapshot has the descriptor too: close() is not enough. */
		epoll_ctl(c->epoll, EPOLL_CTL_DEL, cl->fd, NULL);
		control_client_free(cl);
		return;
	}
	ev.events = control_client_events(cl);
	if (ev.events == cl->events)
		return;
	cl->events = ev.events;
	epoll_ctl(c->epoll, EPOLL_CTL_MOD, cl->fd, &ev);
}

/* A new connection has room for a line, so sending does not wait. */
static void refuse(int fd, const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), "error %s\n", why);
	send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

/* The kernel tells the groups that the peer had when it connected (SO_PEERGROUPS). */
static bool in_group(int fd, gid_t primary, gid_t group)
{
	gid_t *groups = NULL;
	socklen_t len = 0, i;
	bool is = primary == group;

	if (is)
		return true;
	/* With too little room, the kernel returns ERANGE and the length. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) && errno == ERANGE)
		groups = malloc(len);
	if (groups && !getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		for (i = 0; !is && i < len / sizeof(*groups); i++)
			is = groups[i] == group;
	free(groups);
	return is;
}

/* May the peer use the socket, and may it also end the recording? */
static bool may_control(const struct control *c, int fd, bool *may_stop)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return false;
	*may_stop = cred.uid == 0 || cred.uid == geteuid();
	return *may_stop || (c->has_group && in_group(fd, cred.gid, c->group));
}

static void add_client(struct control *c, int fd)
{
	struct control_client *cl = NULL;
	struct epoll_event ev = { .events = EPOLLIN };
	bool may_stop;
	int i;

	if (!may_control(c, fd, &may_stop)) {
		refuse(fd, c->has_group ?
		       "only root, the user who records and the --control-group may do this" :
		       "only root and the user who records may do this");
		return;
	}
	for (i = 0; i < CLIENTS_MAX && !cl; i++) {
		if (c->clients[i].fd < 0)
			cl = &c->clients[i];
	}
	if (!cl) {
		refuse(fd, "too many clients");
		return;
	}
	ev.data.u32 = cl - c->clients;
	if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &ev)) {
		refuse(fd, "no memory");
		return;
	}
	cl->fd = fd;
	cl->serial = ++c->serial;
	cl->may_stop = may_stop;
	cl->events = ev.events;
}

/*
 * If no file descriptor is free, a client would stay in the queue, and the poll loop would
 * find it there again and again. So close the spare descriptor and refuse the client.
 */
static bool refuse_with_spare(struct control *c)
{
	int fd;

	if (c->spare < 0)
		return false;
	close(c->spare);
	fd = accept4(c->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		refuse(fd, "the recorder has too many open files");
	c->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

static void accept_clients(struct control *c)
{
	int fd, i;

	for (i = 0; i < CLIENTS_MAX; i++) {
		fd = accept4(c->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			add_client(c, fd);
		else if ((errno != EMFILE && errno != ENFILE) || !refuse_with_spare(c))
			return;
	}
}

struct control *control_open(const char *path, const struct control_ops *ops, void *ctx,
			     struct diag *d)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = LISTENER };
	struct control *c = calloc(1, sizeof(*c));
	int i;

	if (!c) {
		diag(d, -ENOMEM, "no memory");
		return NULL;
	}
	c->ops = ops;
	c->ctx = ctx;
	for (i = 0; i < CLIENTS_MAX; i++)
		c->clients[i].fd = -1;
	if (control_socket_open(&c->socket, path, d)) {
		free(c);
		return NULL;
	}
	c->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->socket.fd, &ev)) {
		diag(d, -errno, "control socket: %s", strerror(errno));
		control_close(c);
		return NULL;
	}
	return c;
}

int control_allow(struct control *c, gid_t group, struct diag *d)
{
	const int err = control_socket_allow(&c->socket, group, d);

	if (err)
		return err;
	c->group = group;
	c->has_group = true;
	return 0;
}

int control_fd(const struct control *c)
{
	return c->epoll;
}

void control_run(struct control *c)
{
	struct epoll_event ev[CLIENTS_MAX + 1];
	bool listener = false;
	int i, nr;

	nr = epoll_wait(c->epoll, ev, ARRAY_LEN(ev), 0);
	for (i = 0; i < nr; i++) {
		struct control_client *cl = &c->clients[ev[i].data.u32];

		if (ev[i].data.u32 == LISTENER) {
			listener = true;
			continue;
		}
		control_client_run(cl, ev[i].events, execute, c);
		settle(c, cl);
	}
	/*
	 * Accept clients last, because a new client can get a slot that has just become free. By
	 * then, all events of the slot's old client in @ev have been handled.
	 */
	if (listener)
		accept_clients(c);
}

void control_answer(struct control *c, __u64 token, const char *fmt, ...)
{
	va_list ap;
	int i;

	for (i = 0; i < CLIENTS_MAX; i++) {
		struct control_client *cl = &c->clients[i];

		if (cl->fd < 0 || cl->serial != token || cl->gone || !cl->pending)
			continue;
		cl->pending--;
		va_start(ap, fmt);
		control_client_vput(cl, fmt, ap);
		va_end(ap);
		/*
		 * Let control_run() close the client: control_run() may be the caller. EPOLLOUT
		 * makes epoll report the client.
		 */
		cl->events = EPOLLOUT;
		epoll_ctl(c->epoll, EPOLL_CTL_MOD, cl->fd,
			  &(struct epoll_event){ .events = EPOLLOUT, .data.u32 = i });
		return;
	}
}

void control_close(struct control *c)
{
	int i;

	if (!c)
		return;
	/* Send nothing here: control_client_put() has tried already to send the last answers. */
	for (i = 0; i < CLIENTS_MAX; i++) {
		if (c->clients[i].fd >= 0)
			control_client_free(&c->clients[i]);
	}
	if (c->epoll >= 0)
		close(c->epoll);
	if (c->spare >= 0)
		close(c->spare);
	control_socket_close(&c->socket);
	free(c);
}
