/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One client of the control socket: what it has sent and has not been carried out, what
 * it has been answered and has not read.
 */
#ifndef AUXREC_CONTROL_CLIENT_H
#define AUXREC_CONTROL_CLIENT_H

#include <linux/types.h>
#include <stdarg.h>

#include "service/control.h"

#define CONTROL_PENDING_MAX	16	/* requests that wait for their answers */
#define CONTROL_ANSWER_MAX	5120	/* bytes of a line: a path and more */
#define CONTROL_STATUS_MAX	32768
/* What is read when nothing waits to be sent cannot bring forth more. */
#define CONTROL_OUT_MAX		((CONTROL_PENDING_MAX + 1) * CONTROL_ANSWER_MAX + \
				 CONTROL_STATUS_MAX)

struct control_client {
	int fd;			/* -1: a free slot */
	__u64 serial;		/* of all clients that ever were: its requests' token */
	__u32 events;		/* that epoll looks for */
	unsigned int pending;
	bool eof;		/* will send no more */
	bool gone;		/* nor read */
	bool closing;		/* after what is to be sent: it broke the protocol */
	size_t in_len;
	char in[CONTROL_LINE_MAX];
	char *out;
	size_t out_len;
	size_t out_cap;
};

/* Carries a request out. */
typedef void (*control_execute)(void *ctx, struct control_client *cl, const char *line,
				size_t len);

/* Reads, carries out, sends. @events are those of epoll. */
void control_client_run(struct control_client *cl, __u32 events, control_execute execute,
			void *ctx);

/* Is there nothing left to do for it? */
bool control_client_done(const struct control_client *cl);

/* EPOLLIN and EPOLLOUT as they are needed now. */
__u32 control_client_events(const struct control_client *cl);

/* Send it, or keeps it to be sent. */
void control_client_put(struct control_client *cl, const char *text, size_t len);
void control_client_vput(struct control_client *cl, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void control_client_putf(struct control_client *cl, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void control_client_free(struct control_client *cl);

#endif /* AUXREC_CONTROL_CLIENT_H */
