// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read AUX data from the pieces of a queue.
 */
#include <errno.h>
#include <unistd.h>

#include "view/decode/queue.h"

void queue_init(struct queue *q, struct blocks_file *f)
{
	*q = (struct queue) { .tid = ~0U, .cpu = ~0U };
	blocks_init(&q->pieces, f, sizeof(struct queue_piece));
}

void queue_free(struct queue *q)
{
	blocks_free(&q->pieces);
}

int queue_add(struct queue *q, __u64 file_offset, __u64 size, __u64 offset)
{
	const struct queue_piece piece = {
		.at = q->size, .file_offset = file_offset, .size = size,
		.follows = q->pieces.nr && offset == q->next,
	};
	int rc;

	if (!size)
		return 0;
	rc = blocks_add(&q->pieces, &piece);
	if (rc)
		return rc;
	if (!q->size)
		q->first_size = size;
	q->size += size;
	q->next = offset + size;
	return 0;
}

int queue_span_end(const struct queue *q, __u64 at, __u64 *end)
{
	struct queue_piece buf[BLOCKS_NR];
	struct blocks_window w = { .elements = buf };
	const struct queue_piece *p;
	size_t i;

	*end = q->size;
	if (!blocks_find(&q->pieces, &w, at, &i))
		return -EIO;
	while (++i < q->pieces.nr) {
		p = blocks_get(&q->pieces, &w, i);
		if (!p)
			return -EIO;
		if (!p->follows) {
			*end = p->at;
			break;
		}
	}
	return 0;
}

int queue_read(const struct queue *q, int fd, __u64 at, void *buf, size_t size)
{
	struct queue_piece list[BLOCKS_NR];
	struct blocks_window w = { .elements = list };
	const struct queue_piece *p;
	__u64 skip;
	size_t part, i;
	ssize_t n;

	for (p = blocks_find(&q->pieces, &w, at, &i); p && size;) {
		skip = at - p->at;
		if (skip == p->size) {
			p = blocks_get(&q->pieces, &w, ++i);
			continue;
		}
		part = size < p->size - skip ? size : p->size - skip;
		n = pread(fd, buf, part, p->file_offset + skip);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		buf = (char *)buf + n;
		at += n;
		size -= n;
	}
	return p ? 0 : -EIO;
}
