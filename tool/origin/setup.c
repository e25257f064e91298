// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read, from memory, the records with which each file of a recording begins.
 */
#include <errno.h>
#include <string.h>

#include "origin/setup.h"

struct memory {
	struct {
		char magic[8];
		__u64 size;
	} head;
	const __u8 *records;
	size_t size;
	size_t at;		/* in the stream: the head, then the records */
};

static ssize_t fill(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;
	const size_t head = sizeof(m->head);
	const void *from = m->at < head ? (const __u8 *)&m->head + m->at :
					  m->records + (m->at - head);
	const size_t left = m->at < head ? head - m->at : m->size - (m->at - head);

	if (len > left)
		len = left;
	memcpy(buf, from, len);
	m->at += len;
	return len;
}

int setup_each(const void *records, size_t size,
	       int (*fn)(void *ctx, const struct read_record *rec), void *ctx)
{
	struct memory m = {
		.head = { "PERFILE2", sizeof(m.head) }, .records = records, .size = size,
	};
	struct read_stream *s = read_open(fill, &m);
	struct read_record rec;
	int rc, err = 0;

	if (!s)
		return -ENOMEM;
	rc = read_header(s);
	while (rc > 0 && !err) {
		rc = read_next(s, &rec);
		if (rc > 0)
			err = fn(ctx, &rec);
	}
	read_close(s);
	return err ?: rc;
}
