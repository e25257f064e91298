/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket of a recorder: --trigger socket=PATH, `auxrec ctl`.
 *
 * A Unix stream socket of lines. A client sends requests, each a line of at most
 * CONTROL_LINE_MAX bytes with its newline:
 *
 *   snapshot [NAME]	"ok PATH" once it is on disk
 *   status		lines "KEY: VALUE", then "ok"
 *   stop		"ok" once nothing more will be written
 *
 * What fails is answered by "error MESSAGE". Each request has one answer, and there is one
 * line that ends it, "ok ..." or "error ...". A client may send further requests before
 * it has the answers to the ones before, but answers come in the order in which things are
 * done, which is not that of the requests: a snapshot's comes when it is written, a
 * status's at once. Whoever needs to know which "error" belongs to which request opens
 * a connection for each.
 *
 * Only root and the user as whom the recorder runs are served. What can be held up or
 * used up is bounded: 32 clients; a client that does not read its answers is not read
 * from; requests of a client that has gone are still carried out, their answers dropped.
 * A snapshot of a new name is refused while very many wait (flight/wish.c).
 *
 * One thread; nothing here blocks.
 */
#ifndef AUXREC_CONTROL_H
#define AUXREC_CONTROL_H

#include <linux/types.h>
#include <stdio.h>

#include "service/control_line.h"

struct control;

/*
 * Called by control_run(), with the context of control_open(). None may call control_run()
 * or control_close(); control_answer() they may.
 */
struct control_ops {
	/*
	 * Take a snapshot, or remembers that it is wanted. @name: NULL or as in
	 * control_line.h; use it as a word, never as a pattern. Return 0 and will
	 * call control_answer() once with @token, or -errno with a message, which is
	 * the answer.
	 */
	int (*snapshot)(void *ctx, const char *name, __u64 token, struct diag *d);
	/* Write lines "key: value" to @to, less than 32 KiB of them. */
	void (*status)(void *ctx, FILE *to);
	/* As snapshot: returns 0 and answers later, or -errno. */
	int (*stop)(void *ctx, __u64 token);
};

/*
 * control_open() - makes the socket, with mode 0600, and listens
 * @path: less than 103 bytes; PATH.lock is made beside it, and goes away with it
 *
 * A socket that a recorder left behind is replaced. A relative @path must mean the same
 * file at control_close().
 *
 * Return: NULL with a message if another recorder listens there, if it is something else
 * than a socket, or if it cannot be made.
 */
struct control *control_open(const char *path, const struct control_ops *ops, void *ctx,
			     struct diag *d);

/* To be polled for POLLIN: control_run() has something to do then. */
int control_fd(const struct control *c);

/* Does what can be done without waiting; a bounded amount, the rest is for the next call. */
void control_run(struct control *c);

/*
 * control_answer() - the answer that a request waits for, one line: "ok ..." or "error ..."
 *
 * A newline in it becomes a '?'. Nothing happens if the client has gone.
 */
void control_answer(struct control *c, __u64 token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Send what can be sent without waiting, closes, removes the socket's file. NULL is fine. */
void control_close(struct control *c);

#endif /* AUXREC_CONTROL_H */
