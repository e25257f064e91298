// SPDX-License-Identifier: GPL-2.0-only
/*
 * One client of the control socket: receive its requests, and send its answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/control_client.h"

/* After this many lines, it is another client's turn. */
#define LINES_AT_A_TIME		16

/* The client has gone, so drop its answers. Requests that it has sent are still carried out. */
static void lose(struct control_client *cl)
{
	cl->gone = true;
	cl->out_len = 0;
}

static void flush(struct control_client *cl)
{
	size_t sent = 0;
	ssize_t r;

	while (sent < cl->out_len) {
		r = send(cl->fd, cl->out + sent, cl->out_len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 && errno != EAGAIN) {
			lose(cl);
			return;
		}
		if (r < 0)
			break;
		sent += r;
	}
	/* Usually everything was sent, and nothing has to move. */
	if (sent && sent < cl->out_len)
		memmove(cl->out, cl->out + sent, cl->out_len - sent);
	cl->out_len -= sent;
}

void control_client_put(struct control_client *cl, const char *text, size_t len)
{
	if (cl->gone)
		return;
	if (cl->out_len + len > cl->out_cap) {
		size_t cap = cl->out_len + len;
		char *more;

		cap = ALIGN_UP(cap, 1024);
		more = cap > ALIGN_UP(CONTROL_OUT_MAX, 1024) ? NULL : realloc(cl->out, cap);
		if (!more) {
			/* Part of an answer would be wrong, so drop the client. */
			lose(cl);
			cl->closing = true;
			return;
		}
		cl->out = more;
		cl->out_cap = cap;
	}
	memcpy(cl->out + cl->out_len, text, len);
	cl->out_len += len;
	flush(cl);
}

void control_client_vput(struct control_client *cl, const char *fmt, va_list ap)
{
	char line[CONTROL_ANSWER_MAX];
	int len, i;

	len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	if (len < 0)
		len = 0;
	if (len > (int)sizeof(line) - 2)
		len = sizeof(line) - 2;
	for (i = 0; i < len; i++) {
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	}
	line[len++] = '\n';
	control_client_put(cl, line, len);
}

void control_client_putf(struct control_client *cl, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	control_client_vput(cl, fmt, ap);
	va_end(ap);
}

/*
 * Can more requests be carried out? They must wait until the client has read its answers, and
 * while CONTROL_PENDING_MAX requests wait for theirs. A client that has gone needs no limit,
 * because only the requests that its socket holds are left.
 */
static bool may_go_on(const struct control_client *cl)
{
	return !cl->closing && !cl->out_len && (cl->gone || cl->pending < CONTROL_PENDING_MAX);
}

static bool has_line(const struct control_client *cl)
{
	return memchr(cl->in, '\n', cl->in_len);
}

static void receive(struct control_client *cl)
{
	const size_t room = sizeof(cl->in) - cl->in_len;
	ssize_t r;

	if (!room || cl->eof)
		return;
	do {
		r = recv(cl->fd, cl->in + cl->in_len, room, MSG_DONTWAIT);
	} while (r < 0 && errno == EINTR);
	if (r > 0)
		cl->in_len += r;
	else if (!r || errno != EAGAIN)
		cl->eof = true;
}

static void execute_lines(struct control_client *cl, control_execute execute, void *ctx)
{
	size_t pos = 0;
	int i;

	cl->had_turn = false;
	for (i = 0; i < LINES_AT_A_TIME && !cl->had_turn && may_go_on(cl); i++) {
		const char *line = cl->in + pos;
		const char *end = memchr(line, '\n', cl->in_len - pos);

		if (!end)
			break;
		execute(ctx, cl, line, end - line);
		pos = end + 1 - cl->in;
	}
	cl->in_len -= pos;
	memmove(cl->in, cl->in + pos, cl->in_len);
}

void control_client_run(struct control_client *cl, __u32 events, control_execute execute,
			void *ctx)
{
	/* The client has closed the connection. Requests that it sent before can still be read. */
	if (events & (EPOLLHUP | EPOLLERR))
		lose(cl);
	flush(cl);
	if (may_go_on(cl))
		receive(cl);
	execute_lines(cl, execute, ctx);
	if (cl->closing || has_line(cl))
		return;
	if (cl->in_len == sizeof(cl->in)) {
		cl->closing = true;
		control_client_putf(cl, "error a request has more than %d bytes: connection closed",
				    CONTROL_LINE_MAX);
	} else if (cl->eof && cl->in_len) {
		/* The request may be cut, and part of a name would be a wrong name. */
		cl->in_len = 0;
		control_client_putf(cl, "error the last request does not end in a newline");
	}
}

bool control_client_done(const struct control_client *cl)
{
	if (cl->gone)
		return cl->closing || (cl->eof && !has_line(cl));
	if (cl->out_len)
		return false;
	return cl->closing || (cl->eof && !cl->pending && !has_line(cl));
}

__u32 control_client_events(const struct control_client *cl)
{
	__u32 events = 0;

	if (cl->out_len)
		return EPOLLOUT;
	if (!may_go_on(cl))
		return 0;
	/* A line that was received already causes no EPOLLIN. EPOLLOUT comes immediately. */
	if (has_line(cl))
		events |= EPOLLOUT;
	if (!cl->eof)
		events |= EPOLLIN;
	return events;
}

void control_client_free(struct control_client *cl)
{
	close(cl->fd);
	free(cl->out);
	memset(cl, 0, sizeof(*cl));
	cl->fd = -1;
}
