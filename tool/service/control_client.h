/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One client of the control socket: requests that are not carried out yet, and answers that
 * the client has not read yet.
 */
#ifndef AUXREC_CONTROL_CLIENT_H
#define AUXREC_CONTROL_CLIENT_H

#include <linux/types.h>
#include <stdarg.h>

#include "service/control.h"

#define CONTROL_PENDING_MAX	16	/* requests that wait for their answers */
#define CONTROL_ANSWER_MAX	5120	/* bytes of a line: a path and more */
/* Each trigger takes some 120 bytes of the metrics. Each of 32 clients can have such an answer. */
#define CONTROL_STATUS_MAX	(256U << 10)
/* Requests are read only if nothing waits to be sent, so more bytes never wait. */
#define CONTROL_OUT_MAX		((CONTROL_PENDING_MAX + 1) * CONTROL_ANSWER_MAX + \
				 CONTROL_STATUS_MAX)

struct control_client {
	int fd;			/* -1: a free slot */
	__u64 serial;		/* unique among all clients; the token of its requests */
	__u32 events;		/* that epoll waits for */
	unsigned int pending;	/* requests without an answer */
	bool may_stop;		/* it may end the recording */
	bool eof;		/* the client will send no more */
	bool gone;		/* the client will not read answers */
	bool closing;		/* it broke the protocol: close when all is sent */
	bool had_turn;		/* its answer took long, so other clients come first */
	size_t in_len;
	char in[CONTROL_LINE_MAX];
	char *out;
	size_t out_len;
	size_t out_cap;
};

/* Carry out a request. */
typedef void (*control_execute)(void *ctx, struct control_client *cl, const char *line,
				size_t len);

/* Read requests, carry them out, send answers. @events: the events that epoll reported */
void control_client_run(struct control_client *cl, __u32 events, control_execute execute,
			void *ctx);

/* Is there nothing left to do for the client? */
bool control_client_done(const struct control_client *cl);

/* Return the events that the client needs now: EPOLLIN, EPOLLOUT. */
__u32 control_client_events(const struct control_client *cl);

/* Send text now, or keep it and send it later. */
void control_client_put(struct control_client *cl, const char *text, size_t len);
void control_client_vput(struct control_client *cl, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void control_client_putf(struct control_client *cl, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void control_client_free(struct control_client *cl);

#endif /* AUXREC_CONTROL_CLIENT_H */
