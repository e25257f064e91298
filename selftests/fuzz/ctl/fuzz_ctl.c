// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a recorder's answer to `auxrec ctl`. The answer comes in pieces,
 * whose size the last byte tells.
 */
#define _GNU_SOURCE
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../scratch.h"
#include "service/ctl.h"

/* The last piece is the whole rest. */
#define MAX_PIECES	8

struct answer {
	int listener;
	const __u8 *data;
	size_t size;
};

static void *serve(void *arg)
{
	const struct answer *a = arg;
	const int fd = accept4(a->listener, NULL, NULL, SOCK_CLOEXEC);
	char request[64];
	size_t piece = a->size ? 1 + a->data[a->size - 1] * 16 : 1, sent = 0;
	int pieces = 0, unread;
	ssize_t n;

	must(fd >= 0);
	/* Read the request: closing a socket with unread data would discard the answer. */
	must(recv(fd, request, sizeof(request), 0) == (ssize_t)strlen("status\n"));
	while (sent < a->size) {
		if (piece > a->size - sent || ++pieces == MAX_PIECES)
			piece = a->size - sent;
		n = send(fd, a->data + sent, piece, MSG_NOSIGNAL);
		/* The client has read enough and closed its socket. */
		if (n < 0)
			break;
		sent += n;
		/* Wait until the client has read the piece, so that it gets pieces one by one. */
		while (!ioctl(fd, SIOCOUTQ, &unread) && unread)
			sched_yield();
	}
	close(fd);
	return NULL;
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	must(fd >= 0 && !bind(fd, (struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, 1));
	return fd;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static struct answer a;
	char path[100];
	pthread_t thread;
	int status;

	snprintf(path, sizeof(path), "%s/s", scratch_dir());
	a = (struct answer){ listen_at(path), data, size };
	must(!pthread_create(&thread, NULL, serve, &a));
	status = scratch_main(auxrec_ctl_main, "--timeout=60", path, "status", NULL);
	must(status == 0 || status == 1 || status == 125);
	must(!pthread_join(thread, NULL));
	close(a.listener);
	unlink(path);
	return 0;
}
