// SPDX-License-Identifier: GPL-2.0-only
/* The temporary file that has the chunks until the page is written. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "view/page/chunk.h"

/* A file without a name. O_TMPFILE does not exist in all file systems. */
static int open_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/.auxview.XXXXXX", dir) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

int spill_open(struct spill *s, const char *path)
{
	const char *dir = getenv("TMPDIR");
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	*s = (struct spill){ .fd = open_in(dirname(copy)) };
	free(copy);
	if (s->fd < 0)
		s->fd = open_in(dir && *dir ? dir : "/tmp");
	return s->fd < 0 ? -errno : 0;
}

void spill_close(struct spill *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	buf_free(&s->lengths);
}

static int write_at(struct spill *s, const struct buf *b)
{
	size_t done = 0;
	ssize_t n;

	if (b->failed)
		return -ENOMEM;
	while (done < b->len) {
		n = pwrite(s->fd, b->p + done, b->len - done, s->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += n;
		s->end += n;
	}
	return 0;
}

int spill_put(struct spill *s, struct chunks *c, const struct chunk *desc, struct buf *columns,
	      unsigned int nr_columns)
{
	struct chunk *chunk;
	unsigned int i;
	int err;

	err = grow((void **)&c->list, c->nr, sizeof(*c->list));
	if (err)
		return err;
	chunk = &c->list[c->nr];
	*chunk = *desc;
	chunk->offset = s->end;
	s->lengths.len = 0;
	for (i = 0; i < nr_columns; i++)
		buf_varint(&s->lengths, columns[i].len);
	err = write_at(s, &s->lengths);
	for (i = 0; i < nr_columns && !err; i++) {
		err = write_at(s, &columns[i]);
		columns[i].len = 0;
	}
	if (err)
		return err;
	if (s->end - chunk->offset > 1U << 31)
		return -EFBIG;
	chunk->len = s->end - chunk->offset;
	c->nr++;
	return 0;
}

int spill_get(const struct spill *s, const struct chunk *chunk, struct buf *out)
{
	size_t done = 0;
	ssize_t n;

	out->len = 0;
	if (out->size < chunk->len) {
		free(out->p);
		*out = (struct buf){ .p = malloc(chunk->len) };
		if (!out->p)
			return -ENOMEM;
		out->size = chunk->len;
	}
	while (done < chunk->len) {
		n = pread(s->fd, out->p + done, chunk->len - done, chunk->offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += n;
	}
	out->len = done;
	return 0;
}

void chunks_free(struct chunks *c)
{
	free(c->list);
	*c = (struct chunks){ 0 };
}
