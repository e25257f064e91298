// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompress an input that is compressed as a whole to a temporary file, because merging reads
 * parts of it, and more than once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merge/parts.h"
#include "stream/read.h"
#include "zstd/read_frames.h"

#define PIECE	(256 * 1024)

/* Return 0, or -errno with a message. The input can end within a frame: then it is cut short. */
static int copy(struct merge *m, struct merge_input *in, struct read_frames *frames, FILE *to)
{
	char *buf = malloc(PIECE);
	ssize_t n = buf ? 1 : -ENOMEM;

	while (n > 0) {
		n = read_frames_get(frames, buf, PIECE);
		if (n > 0 && fwrite(buf, 1, n, to) != (size_t)n)
			n = diag(m->d, -errno, "%s: cannot decompress it to a temporary file: %s",
				 in->path, strerror(errno));
		else if (n > 0)
			in->size += n;
		else if (n == -EPROTO)
			n = diag(m->d, -EBADMSG, "%s: %s", in->path, read_frames_problem(frames));
		else if (n && n != -ENODATA)
			n = diag(m->d, n, "%s: %s", in->path, strerror(-n));
	}
	free(buf);
	return n == -ENODATA ? 0 : n;
}

static int inflate(struct merge *m, struct merge_input *in, int fd)
{
	struct read_frames *frames = read_frames_new(read_fill_fd, &fd, "", 0);
	FILE *to = tmpfile();
	int err = 0;

	if (!frames)
		err = diag(m->d, -ENOMEM, "out of memory");
	else if (!to)
		err = diag(m->d, -errno, "cannot create a temporary file: %s", strerror(errno));
	in->size = 0;
	if (!err)
		err = copy(m, in, frames, to);
	if (!err && fflush(to))
		err = diag(m->d, -errno, "%s: cannot decompress it to a temporary file: %s",
			   in->path, strerror(errno));
	if (!err)
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
