// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompress an input that is compressed as a whole to a temporary file, because merging reads
 * parts of the file, some of them more than once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merge/parts.h"
#include "stream/read.h"
#include "zstd/read_frames.h"

#define PIECE		(256 * 1024)
#define MAGIC		"PERFILE2"
#define MAGIC_SIZE	8

/* Return 0, or -errno with a message. */
static int copy(struct merge *m, struct merge_input *in, struct read_frames *frames, FILE *to)
{
	char *buf = malloc(PIECE);
	ssize_t n = 1;

	if (!buf)
		return diag(m->d, -ENOMEM, "out of memory");
	while (n > 0) {
		n = read_frames_get(frames, buf, PIECE);
		/*
		 * A few bytes can decompress to many GiB, so first look whether this is a stream.
		 */
		if (n >= MAGIC_SIZE && !in->size && memcmp(buf, MAGIC, MAGIC_SIZE))
			n = diag(m->d, -EINVAL, "%s: not a stream: it does not begin with " MAGIC,
				 in->path);
		else if (n > 0 && fwrite(buf, 1, n, to) != (size_t)n)
			n = diag(m->d, -errno, "%s: cannot decompress it to a temporary file: %s",
				 in->path, strerror(errno));
		else if (n > 0)
			in->size += n;
		else if (n == -EPROTO || n == -ENODATA)
			n = diag(m->d, -EBADMSG, "%s: %s", in->path, read_frames_problem(frames));
		else if (n)
			n = diag(m->d, n, "%s: %s", in->path, strerror(-n));
	}
	free(buf);
	return n;
}

/*
 * The output's disk needs room for the same data anyway. /tmp may be memory. Some file systems have
 * no O_TMPFILE.
 */
static FILE *temporary(const struct merge *m)
{
	char *copy = strdup(m->target);
	const int fd = copy ? open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
	FILE *f = fd < 0 ? tmpfile() : fdopen(fd, "w+");

	if (!f && fd >= 0)
		close(fd);
	free(copy);
	return f;
}

static int inflate(struct merge *m, struct merge_input *in, int fd)
{
	struct read_frames *frames = read_frames_new(read_fill_fd, &fd, "", 0);
	FILE *to = temporary(m);
	int err = 0;

	if (!frames)
		err = diag(m->d, -ENOMEM, "out of memory");
	else if (!to)
		err = diag(m->d, -errno, "cannot create a temporary file: %s", strerror(errno));
	in->size = 0;
	if (!err && to)
		err = copy(m, in, frames, to);
	if (!err && to && fflush(to))
		err = diag(m->d, -errno, "%s: cannot decompress it to a temporary file: %s",
			   in->path, strerror(errno));
	if (!err && to)
		in->inflated = fcntl(fileno(to), F_DUPFD_CLOEXEC, 3);
	if (!err && in->inflated < 0)
		err = diag(m->d, -errno, "%s: %s", in->path, strerror(errno));
	if (to)
		fclose(to);
	read_frames_free(frames);
	return err;
}

int merge_inflate(struct merge *m, struct merge_input *in)
{
	const int fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char magic[READ_FRAMES_MAGIC];
	int err = 0;

	if (fd < 0)
		return diag(m->d, -errno, "%s: %s", in->path, strerror(errno));
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && read_frames_begin(magic))
		err = inflate(m, in, fd);
	close(fd);
	return err;
}

void merge_inflate_free(struct merge_input *in)
{
	if (in->inflated > 0)
		close(in->inflated);
}
