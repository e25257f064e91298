// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small helpers that every part of auxrec uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

static bool line_pending;
static void (*say_out)(const char *text);

int diag(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (d) {
		va_start(ap, fmt);
		vsnprintf(d->msg, sizeof(d->msg), fmt, ap);
		va_end(ap);
	}
	return err;
}

void say_clear_line(bool pending)
{
	if (line_pending && !pending)
		fputs("\r\033[K", stderr);
	line_pending = pending;
}

bool say_has_line(void)
{
	return line_pending;
}

void say_to(void (*out)(const char *text))
{
	say_out = out;
}

void say(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	if (say_out) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		say_out(text);
		return;
	}
	say_clear_line(false);
	fputs("auxrec: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void raise_nofile(void)
{
	struct rlimit lim;

	if (!getrlimit(RLIMIT_NOFILE, &lim)) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

int slurp(const char *path, char **data, size_t *len)
{
	size_t used = 0, cap = 4096;
	int fd, err = 0;
	char *buf;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	buf = malloc(cap);
	while (buf) {
		ssize_t r;

		if (used + 1 >= cap) {
			char *more = realloc(buf, cap * 2);

			if (!more)
				break;
			buf = more;
			cap *= 2;
		}

		r = read(fd, buf + used, cap - used - 1);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			err = -errno;
		if (r <= 0) {
			close(fd);
			if (err) {
				free(buf);
				return err;
			}
			buf[used] = '\0';
			*data = buf;
			if (len)
				*len = used;
			return 0;
		}
		used += r;
	}

	free(buf);
	close(fd);
	return -ENOMEM;
}

int slurp_line(const char *path, char *buf, size_t size)
{
	char *data;
	int err;

	err = slurp(path, &data, NULL);
	if (err)
		return err;
	data[strcspn(data, "\n")] = '\0';
	snprintf(buf, size, "%s", data);
	free(data);
	return 0;
}

int slurp_u64(const char *path, __u64 *val)
{
	char line[64], *end;
	int err;

	err = slurp_line(path, line, sizeof(line));
	if (err)
		return err;
	errno = 0;
	*val = strtoull(line, &end, 0);
	if (errno || end == line)
		return -EINVAL;
	return 0;
}

int grow(void **array, size_t nr, size_t elem)
{
	void *more;

	/*
	 * The array's room is a power of two, so the array is full if nr is a power of two (or 0).
	 */
	if (nr & (nr - 1))
		return 0;
	more = reallocarray(*array, nr ? nr * 2 : 1, elem);
	if (!more)
		return -ENOMEM;
	*array = more;
	return 0;
}

__u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}
