// SPDX-License-Identifier: GPL-2.0-only
/*
 * `auxrec ctl`, which tells a recorder what to do, over its control socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "service/control_client.h"
#include "service/control_socket.h"
#include "service/ctl.h"
#include "service/ctl_options.h"

#define WHO	"auxrec ctl"

enum {
	CTL_OK		= 0,
	CTL_REFUSED	= 1,
	CTL_ERROR	= 125,
};

struct ctl {
	const struct ctl_options *opt;
	__u64 deadline;		/* as now_ns(), 0: none */
	int fd;
	size_t len;
	/* One line must fit, however long: JSON has up to six bytes for a byte of a path. */
	char buf[CONTROL_STATUS_MAX];
	struct diag diag;
};

static void print_usage(FILE *f)
{
	fputs("Usage: auxrec ctl [OPTION]... PATH COMMAND\n"
	      "Tell the recorder with --trigger socket=PATH what to do, and wait until it is done.\n"
	      "\n"
	      "  snapshot [NAME]     write a snapshot, and print its file's name\n"
	      "  status              print how the recorder is doing\n"
	      "  metrics             print the same in the text format of Prometheus\n"
	      "  stop                end the recording\n"
	      "\n"
	      "  --json              print the status as JSON\n"
	      "  --timeout=SECONDS   give up after this time (default: wait)\n"
	      "  --help              print this text\n"
	      "\n"
	      "Exit status: 0 done, 1 the recorder refused or failed, 125 wrong usage, no such\n"
	      "socket or no answer.\n"
	      "See auxrec-ctl(1).\n",
	      f);
}

static int timed_out(struct ctl *c)
{
	return diag(&c->diag, -ETIMEDOUT,
		    "%s: no answer within %g s: the recorder may still carry out the request",
		    c->opt->path, c->opt->timeout / 1e9);
}

/* Return the time that is left, as a timeout of poll(). */
static int left_ms(const struct ctl *c)
{
	const __u64 now = now_ns();
	__u64 ms;

	if (!c->deadline)
		return -1;
	if (now >= c->deadline)
		return 0;
	ms = (c->deadline - now + 999999) / 1000000;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static int explain(struct ctl *c, int err)
{
	const char *path = c->opt->path;

	switch (err) {
	case ENOENT:
		return diag(&c->diag, -err,
			    "%s: no such socket: does a recorder run with --trigger socket=%s?",
			    path, path);
	case ECONNREFUSED:
		return diag(&c->diag, -err,
			    "%s: nobody listens: the recorder has ended, or this is not a control socket",
			    path);
	case EACCES:
	case EPERM:
		return diag(&c->diag, -err,
			    "%s: no permission: do this as the user who records, as root, or as a member of the group that --control-group of the recorder names",
			    path);
	case EAGAIN:
		return timed_out(c);
	}
	return diag(&c->diag, -err, "%s: %s", path, strerror(err));
}

static int open_socket(struct ctl *c)
{
	struct sockaddr_un addr;
	struct timeval tv = { .tv_sec = c->opt->timeout / NSEC_PER_SEC };
	int err;

	err = control_address(c->opt->path, &addr, &c->diag);
	if (err)
		return err;
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return explain(c, errno);
	/* connect() waits while the recorder's queue is full. SO_SNDTIMEO limits this, too. */
	tv.tv_usec = c->opt->timeout % NSEC_PER_SEC / 1000;
	if (c->opt->timeout && !tv.tv_sec && !tv.tv_usec)
		tv.tv_usec = 1;
	setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(c->fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return explain(c, errno);
	return 0;
}

/*
 * A recorder that refuses a client says why and closes the connection. send() may fail then, but
 * the message can still be read, so ignore the error.
 */
static void send_request(struct ctl *c)
{
	char line[CONTROL_LINE_MAX + 1];
	size_t len = control_format(&c->opt->request, line);

	send(c->fd, line, len, MSG_NOSIGNAL);
}

static int receive(struct ctl *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	ssize_t r;
	int n;

	if (c->len == sizeof(c->buf))
		return diag(&c->diag, -EPROTO, "%s: this is not the answer of a recorder",
			    c->opt->path);
	n = poll(&p, 1, left_ms(c));
	if (!n)
		return timed_out(c);
	r = n < 0 ? n : recv(c->fd, c->buf + c->len, sizeof(c->buf) - c->len, 0);
	if (r < 0 && errno == EINTR)
		return 0;
	if (r <= 0)
		return diag(&c->diag, -ECONNRESET, "%s: the recorder ended before it answered",
			    c->opt->path);
	c->len += r;
	return 0;
}

/* Return an exit status, or -1 if this was not the last line. */
static int show(struct ctl *c, const char *line)
{
	const char *text;

	switch (control_reply(line, &text)) {
	case CONTROL_MORE:
		puts(text);
		return -1;
	case CONTROL_OK:
		if (*text)
			puts(text);
		return CTL_OK;
	case CONTROL_ERROR:
		diag(&c->diag, 0, "the recorder says: %s", text);
		break;
	}
	return CTL_REFUSED;
}

static int talk(struct ctl *c)
{
	char *end;
	int status;

	if (open_socket(c))
		return CTL_ERROR;
	send_request(c);
	for (;;) {
		end = memchr(c->buf, '\n', c->len);
		if (!end) {
			if (receive(c))
				return CTL_ERROR;
			continue;
		}
		*end++ = '\0';
		status = show(c, c->buf);
		if (status >= 0)
			return status;
		c->len -= end - c->buf;
		memmove(c->buf, end, c->len);
	}
}

int auxrec_ctl_main(int argc, char **argv)
{
	struct ctl_options opt;
	struct ctl c = { .opt = &opt, .fd = -1 };
	int status;

	if (ctl_parse(&opt, argc, argv, &c.diag)) {
		fprintf(stderr, WHO ": %s\n", c.diag.msg);
		print_usage(stderr);
		return CTL_ERROR;
	}
	if (opt.help) {
		print_usage(stdout);
		return command_flush(WHO, "the help", stdout) ? CTL_OK : CTL_ERROR;
	}
	if (opt.timeout)
		c.deadline = now_ns() + opt.timeout;
	status = talk(&c);
	if (c.fd >= 0)
		close(c.fd);
	if (!command_flush(WHO, "the recorder's answer", stdout))
		return CTL_ERROR;
	if (status)
		fprintf(stderr, WHO ": %s\n", c.diag.msg);
	return status;
}
