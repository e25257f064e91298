// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending messages of a service to its manager.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/notify.h"

#define PATIENCE	5	/* seconds to wait for a manager that does not read */

static struct sockaddr_un manager;
static socklen_t manager_len;	/* 0: none */
static __u64 interval;
static bool stopping;
static __u64 busy;		/* now_ns() of the last notify_busy() */

static bool parse_u64(const char *text, __u64 *val)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*val = strtoull(text, &end, 10);
	return !errno && !*end;
}

static void init_manager(const char *path)
{
	const size_t len = path ? strlen(path) : 0;

	manager_len = 0;
	/* Ignore "vsock:CID:PORT": with such an address, a virtual machine notifies its host. */
	if (len < 2 || len >= sizeof(manager.sun_path) || (*path != '/' && *path != '@'))
		return;
	memset(&manager, 0, sizeof(manager));
	manager.sun_family = AF_UNIX;
	memcpy(manager.sun_path, path, len);
	/*
	 * An abstract name consists of all of its bytes, so the length must be exact.
	 */
	manager_len = offsetof(struct sockaddr_un, sun_path) + len;
	if (*path == '@')
		manager.sun_path[0] = '\0';
	else
		manager_len++;
}

static void init_watchdog(const char *usec, const char *pid)
{
	__u64 us, whose;

	interval = 0;
	if (!parse_u64(usec, &us) || us > UINT64_MAX / 1000)
		return;
	/* The watchdog of a parent process is not meant for this process. */
	if (pid && (!parse_u64(pid, &whose) || whose != (__u64)getpid()))
		return;
	interval = us * 1000 / 2;
}

void notify_init(void)
{
	init_manager(getenv("NOTIFY_SOCKET"));
	init_watchdog(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
	stopping = false;
	busy = 0;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

/* @flags: MSG_DONTWAIT for messages that are repeated anyway */
static int tell(const char *text, int flags)
{
	struct timeval patience = { .tv_sec = PATIENCE };
	int fd, err = 1;

	if (!manager_len)
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (sendto(fd, text, strlen(text), flags | MSG_NOSIGNAL,
		   (const struct sockaddr *)&manager, manager_len) < 0)
		err = -errno;
	close(fd);
	return err;
}

int notify_ready(void)
{
	return tell("READY=1", 0);
}

int notify_stopping(void)
{
	stopping = true;
	return tell("STOPPING=1", 0);
}

int notify_busy(void)
{
	char text[64];
	__u64 now;

	if (!manager_len || !stopping)
		return 0;
	now = now_ns();
	if (busy && now - busy < NSEC_PER_SEC)
		return 0;
	busy = now;
	snprintf(text, sizeof(text), "EXTEND_TIMEOUT_USEC=%d000000", NOTIFY_BUSY_S);
	return tell(text, MSG_DONTWAIT);
}

int notify_watchdog(void)
{
	return tell("WATCHDOG=1", MSG_DONTWAIT);
}

__u64 notify_watchdog_interval(void)
{
	return interval;
}

int notify_status(const char *fmt, ...)
{
	char text[512] = "STATUS=";
	va_list ap;
	char *c;

	va_start(ap, fmt);
	vsnprintf(text + strlen(text), sizeof(text) - strlen(text), fmt, ap);
	va_end(ap);
	/* A second line would be another message. */
	for (c = text; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	return tell(text, MSG_DONTWAIT);
}
