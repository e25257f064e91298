/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket of a recorder: --trigger socket=PATH, `auxrec ctl`.
 *
 * A Unix stream socket of lines. A client sends requests, each a line of at most
 * CONTROL_LINE_MAX bytes with its newline:
 *
 *   snapshot [NAME]	"ok PATH" when the snapshot is on disk
 *   status [--json]	lines "KEY: VALUE", or JSON, then "ok"
 *   metrics		lines of Prometheus' text format, then "ok"
 *   stop		"ok" when nothing more will be written
 *
 * A request that fails is answered by "error MESSAGE". Each request has one answer, and one
 * line ends the answer, "ok ..." or "error ...". A client can send further requests before
 * it has all answers. The answers come in the order in which requests are completed, which
 * is not the order of requests: a snapshot is answered when it is written, a status
 * immediately. A client that must know which "error" belongs to which request opens a
 * connection per request.
 *
 * The recorder serves only root and the user who runs the recorder. With control_allow() it also
 * serves the members of a group, who can do everything except to stop the recorder. Clients can
 * use only bounded resources:
 *
 * - There are at most 32 clients.
 * - The recorder does not read from a client that does not read its answers.
 * - In each control_run(), a client gets at most one answer to "status" or "metrics".
 * - Requests of a client that has gone are still carried out, and their answers are dropped.
 * - A snapshot of a new name is refused while very many snapshots wait (flight/snapshot_queue.c).
 *
 * One thread uses these functions, and they do not block.
 */
#ifndef AUXREC_CONTROL_H
#define AUXREC_CONTROL_H

#include <linux/types.h>
#include <stdio.h>
#include <sys/types.h>

#include "service/control_line.h"
#include "service/facts.h"

struct control;

/*
 * control_run() calls these with the context of control_open(). They must not call
 * control_run() or control_close(). They can call control_answer().
 */
struct control_ops {
	/*
	 * Take a snapshot, or remember to take one. @name: NULL, or a name as in
	 * control_line.h; use it as a word, never as a pattern. If this returns 0, it calls
	 * control_answer() with @token once, before it returns or later. Otherwise it returns
	 * -errno with a message, which becomes the answer.
	 */
	int (*snapshot)(void *ctx, const char *name, __u64 token, struct diag *d);
	/*
	 * Write lines in this form to @to, at most CONTROL_STATUS_MAX bytes. No line begins with
	 * "ok" or "error".
	 */
	void (*status)(void *ctx, enum facts_form form, FILE *to);
	/* Stop the recording. Return 0 and answer, or return -errno, as @snapshot does. */
	int (*stop)(void *ctx, __u64 token);
};

/*
 * control_open() - make the socket, with mode 0600, and listen
 * @path: less than 103 bytes. PATH.lock is made beside the socket and removed with it
 *
 * If a recorder left a socket behind, it is replaced. A relative @path must name the same
 * file at control_close().
 *
 * Return: NULL with a message if another recorder listens there, if @path is not a
 * socket, or if no socket can be made.
 */
struct control *control_open(const char *path, const struct control_ops *ops, void *ctx,
			     struct diag *d);

/*
 * control_allow() - let the members of @group take snapshots and see the status
 *
 * The socket's file then belongs to @group, with mode 0660.
 *
 * Return: 0, or -errno with a message, for example if the caller may not give a file to @group.
 */
int control_allow(struct control *c, gid_t group, struct diag *d);

/* Return a descriptor to poll for POLLIN, which means that control_run() has work. */
int control_fd(const struct control *c);

/* Do a bounded amount of work that needs no waiting. The next call does the rest. */
void control_run(struct control *c);

/*
 * control_answer() - answer a request with one line, "ok ..." or "error ..."
 *
 * A control character in the line, such as a newline, becomes a '?'. If the client has gone, this
 * does nothing.
 */
void control_answer(struct control *c, __u64 token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Close all connections and remove the socket's file. @c can be NULL. */
void control_close(struct control *c);

#endif /* AUXREC_CONTROL_H */
