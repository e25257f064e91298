// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library to preload (LD_PRELOAD) that makes a recorder's calls fail or come late:
 *
 * - PERFAUX_IOC_HOLD fails while the file that $HOLD_FAILS names exists.
 * - While the program that $HOLD_BEHIND names exists, each PERFAUX_IOC_HOLD runs it first.
 * - poll() fails once when the file that $POLL_FAILS names exists.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perfaux.h"

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, void *arg) = dlsym(RTLD_NEXT, "ioctl");
	const char *path = getenv("HOLD_FAILS"), *behind = getenv("HOLD_BEHIND");
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == PERFAUX_IOC_HOLD && path && !access(path, F_OK)) {
		errno = EIO;
		return -1;
	}
	if (request == PERFAUX_IOC_HOLD && behind && !access(behind, X_OK) && system(behind)) {
		errno = ECHILD;
		return -1;
	}
	return next(fd, request, arg);
}

int poll(struct pollfd *fds, nfds_t nfds, int timeout)
{
	int (*next)(struct pollfd *fds, nfds_t nfds, int timeout) = dlsym(RTLD_NEXT, "poll");
	const char *path = getenv("POLL_FAILS");

	/* Do not fail a call that waits for a single descriptor. */
	if (path && nfds > 1 && !unlink(path)) {
		errno = ENOMEM;
		return -1;
	}
	return next(fds, nfds, timeout);
}
