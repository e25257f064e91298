// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any actions of clients of the control socket. Each line of the input is
 * one action. Its first byte tells the action, the second byte the client (for "a" the
 * request, for "f" flags). The rest of the line is the text:
 *
 *   c  connect			p  send the text
 *   x  close			l  send the text and a newline
 *   w  shut down writing	m  send the text and a newline many times
 *   r  read			a  the recorder answers its Nth request
 *   .  the recorder runs	f  from now on requests fail, or succeed
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tool/control/client.h"
#include "../scratch.h"

#define CLIENTS		40	/* more than the recorder serves */
#define TIMES		64
#define STEPS		400
/* An answer can contain a path, and some more text. */
#define ANSWER_MAX	5120

struct client {
	int fd;			/* -1: not connected */
	unsigned int requests;	/* newlines that the client sent */
	unsigned int answers;	/* lines that end an answer */
	size_t len;		/* length of the current line of an answer, so far */
	char line[8];		/* the begin of the current line */
};

static struct client clients[CLIENTS];

static void drop(struct client *cl)
{
	if (cl->fd >= 0)
		close(cl->fd);
	*cl = (struct client){ .fd = -1 };
}

/*
 * There must be at most one answer for each request, and one more for text that is no request or
 * that the recorder does not accept.
 */
static void end_line(struct client *cl)
{
	cl->answers += !strcmp(cl->line, "ok") || !strncmp(cl->line, "ok ", 3) ||
		       !strncmp(cl->line, "error ", 6);
	must(cl->answers <= cl->requests + 1);
	memset(cl->line, 0, sizeof(cl->line));
	cl->len = 0;
}

/* Return whether there was something to read. */
static bool read_answers(struct client *cl)
{
	char buf[4096];
	bool any = false;
	ssize_t n, i;

	while (cl->fd >= 0 && (n = recv(cl->fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		any = true;
		for (i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				end_line(cl);
				continue;
			}
			must((unsigned char)buf[i] >= ' ' && cl->len < ANSWER_MAX);
			if (cl->len < sizeof(cl->line) - 1)
				cl->line[cl->len] = buf[i];
			cl->len++;
		}
	}
	return any;
}

static void send_all(struct client *cl, const char *text, size_t len)
{
	ssize_t n = send(cl->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	while (n-- > 0)
		cl->requests += *text++ == '\n';
}

static void send_text(struct client *cl, const char *text, size_t len, bool newline, int times)
{
	while (cl->fd >= 0 && times--) {
		send_all(cl, text, len);
		if (newline)
			send_all(cl, "\n", 1);
	}
}

static void answer(struct recorder *r, unsigned int nr, const char *text, size_t len)
{
	const unsigned int most = r->snapshots < MOST_TOKENS ? r->snapshots : MOST_TOKENS;

	if (most)
		control_answer(r->control, r->tokens[nr % most], "ok /%.*s", (int)len, text);
}

static void step(struct recorder *r, const char *line, size_t len)
{
	struct client *cl;

	if (len < 2) {
		must(run(r));
		return;
	}
	cl = &clients[(unsigned char)line[1] % CLIENTS];
	switch (line[0]) {
	case 'c':
		drop(cl);
		cl->fd = client_connect(r->path);
		break;
	case 'x':
		drop(cl);
		break;
	case 'w':
		if (cl->fd >= 0)
			shutdown(cl->fd, SHUT_WR);
		break;
	case 'r':
		read_answers(cl);
		break;
	case 'p':
	case 'l':
		send_text(cl, line + 2, len - 2, line[0] == 'l', 1);
		break;
	case 'm':
		send_text(cl, line + 2, len - 2, true, TIMES);
		break;
	case 'a':
		answer(r, (unsigned char)line[1], line + 2, len - 2);
		break;
	case 'f':
		r->fails = line[1] & 1;
		r->at_once = line[1] & 2;
		r->status_bytes = line[1] & 4 ? 30000 : 16;
		break;
	default:
		must(run(r));
	}
}

static void finish(struct recorder *r)
{
	bool any = true;
	int i;

	/* Let the recorder run until there are no more answers. */
	while (any) {
		must(run(r));
		any = false;
		for (i = 0; i < CLIENTS; i++)
			any |= read_answers(&clients[i]);
	}
	for (i = 0; i < CLIENTS; i++)
		drop(&clients[i]);
	must(run(r));
	control_close(r->control);
	must(access(r->path, F_OK));
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static struct recorder r;
	const __u8 *end = data + size;
	struct diag d;
	int i;

	memset(&r, 0, sizeof(r));
	snprintf(r.path, sizeof(r.path), "%s/s", scratch_dir());
	must(recorder_open(&r, &d));
	for (i = 0; i < CLIENTS; i++)
		clients[i] = (struct client){ .fd = -1 };
	for (i = 0; i < STEPS && data < end; i++) {
		const __u8 *next = memchr(data, '\n', end - data) ?: end;

		step(&r, (const char *)data, next - data);
		data = next + (next < end);
	}
	finish(&r);
	return 0;
}
