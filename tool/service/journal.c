// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send entries with fields of their own to the systemd journal.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/journal.h"

/* Parts of a field: its name, a newline, the length of the value, the value, a newline */
#define PARTS	5

bool journal_is_stderr(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;
	int end = 0;

	if (!stream || sscanf(stream, "%llu:%llu%n", &dev, &ino, &end) != 2 || stream[end])
		return false;
	return !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

static struct iovec part(const void *data, size_t len)
{
	return (struct iovec){ .iov_base = (void *)data, .iov_len = len };
}

int journal_send(const char *path, const struct journal_field *fields, size_t nr)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct iovec iov[JOURNAL_FIELDS * PARTS], *to = iov;
	__u64 lengths[JOURNAL_FIELDS];
	struct msghdr msg = { .msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = iov };
	int fd, err = 0;
	size_t i;

	if (nr > JOURNAL_FIELDS || strlen(path) >= sizeof(addr.sun_path))
		return -EINVAL;
	strcpy(addr.sun_path, path);
	/* This form of a field can have a value with any bytes, also newlines. */
	for (i = 0; i < nr; i++) {
		lengths[i] = htole64(strlen(fields[i].value));
		*to++ = part(fields[i].name, strlen(fields[i].name));
		*to++ = part("\n", 1);
		*to++ = part(&lengths[i], sizeof(lengths[i]));
		*to++ = part(fields[i].value, strlen(fields[i].value));
		*to++ = part("\n", 1);
	}
	msg.msg_iovlen = to - iov;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		err = -errno;
	close(fd);
	return err;
}
