// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read AUX data from the pieces of a queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "view/decode/queue.h"

void queue_free(struct queue *q)
{
	free(q->pieces);
}

int queue_add(struct queue *q, __u64 file_offset, __u64 size, __u64 offset)
{
	if (!size)
		return 0;
	if (grow((void **)&q->pieces, q->nr, sizeof(*q->pieces)))
		return -ENOMEM;
	q->pieces[q->nr] = (struct queue_piece) {
		.at = q->size, .file_offset = file_offset, .size = size,
		.follows = q->nr && offset == q->next,
	};
	q->nr++;
	q->size += size;
	q->next = offset + size;
	return 0;
}

size_t queue_piece(const struct queue *q, __u64 at)
{
	size_t low = 0, high = q->nr, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (q->pieces[mid].at <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

__u64 queue_span_end(const struct queue *q, __u64 at)
{
	size_t i = queue_piece(q, at) + 1;

	while (i < q->nr && q->pieces[i].follows)
		i++;
	return i < q->nr ? q->pieces[i].at : q->size;
}

int queue_read(const struct queue *q, int fd, __u64 at, void *buf, size_t size)
{
	const struct queue_piece *p = &q->pieces[queue_piece(q, at)];
	__u64 skip;
	size_t part;
	ssize_t n;

	while (size) {
		skip = at - p->at;
		if (skip == p->size) {
			p++;
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
	return 0;
}
