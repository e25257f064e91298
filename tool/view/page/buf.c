// SPDX-License-Identifier: GPL-2.0-only
/* Buffers that grow, with varints, doubles and strings. */
#include <stdlib.h>
#include <string.h>

#include "view/page/buf.h"

#define VARINT_MOST	10

static bool room(struct buf *b, size_t len)
{
	size_t size = b->size ? b->size : 256;
	__u8 *p;

	if (b->failed)
		return false;
	if (b->size - b->len >= len)
		return true;
	while (size - b->len < len)
		size *= 2;
	p = realloc(b->p, size);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->size = size;
	return true;
}

void buf_bytes(struct buf *b, const void *p, size_t len)
{
	if (!len || !room(b, len))
		return;
	memcpy(b->p + b->len, p, len);
	b->len += len;
}

void buf_byte(struct buf *b, __u8 value)
{
	if (room(b, 1))
		b->p[b->len++] = value;
}

void buf_varint(struct buf *b, __u64 value)
{
	__u8 *p;

	if (!room(b, VARINT_MOST))
		return;
	p = b->p + b->len;
	while (value > 0x7f) {
		*p++ = value | 0x80;
		value >>= 7;
	}
	*p++ = value;
	b->len = p - b->p;
}

void buf_signed(struct buf *b, __u64 difference)
{
	buf_varint(b, (difference << 1) ^ (difference >> 63 ? ~0ULL : 0));
}

void buf_double(struct buf *b, double value)
{
	__u64 bits;
	unsigned int i;

	memcpy(&bits, &value, sizeof(bits));
	for (i = 0; i < 64; i += 8)
		buf_byte(b, bits >> i);
}

void buf_string(struct buf *b, const char *s)
{
	buf_bytes(b, s, strlen(s) + 1);
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}
