// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encode messages of protocol buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "view/perfetto/proto.h"

/* How a field is encoded, in the low bits of its tag */
enum {
	WIRE_VARINT	= 0,
	WIRE_64_BITS	= 1,
	WIRE_BYTES	= 2,
};

#define VARINT_MAX	10	/* bytes */

static bool reserve(struct proto *p, size_t len)
{
	size_t room = p->room ?: 1024;
	void *data;

	if (p->failed)
		return false;
	if (len <= p->room - p->len)
		return true;
	while (room - p->len < len)
		room *= 2;
	data = realloc(p->data, room);
	if (!data) {
		p->failed = true;
		return false;
	}
	p->data = data;
	p->room = room;
	return true;
}

/* Put the lowest seven bits first. Return the number of bytes. */
static size_t put_varint(__u8 *to, __u64 value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = value | 0x80;
	to[n++] = value;
	return n;
}

static void add_varint(struct proto *p, __u64 value)
{
	if (reserve(p, VARINT_MAX))
		p->len += put_varint(p->data + p->len, value);
}

static void add_tag(struct proto *p, unsigned int field, unsigned int wire)
{
	add_varint(p, field << 3 | wire);
}

static void add_bytes(struct proto *p, const void *data, size_t len)
{
	if (!reserve(p, len))
		return;
	memcpy(p->data + p->len, data, len);
	p->len += len;
}

void proto_number(struct proto *p, unsigned int field, __u64 value)
{
	add_tag(p, field, WIRE_VARINT);
	add_varint(p, value);
}

void proto_double(struct proto *p, unsigned int field, double value)
{
	add_tag(p, field, WIRE_64_BITS);
	add_bytes(p, &value, sizeof(value));
}

void proto_string(struct proto *p, unsigned int field, const char *s)
{
	const size_t begin = proto_begin(p, field);

	while (*s) {
		const int n = utf8_length(s);

		if (n)
			add_bytes(p, s, n);
		else
			add_bytes(p, UTF8_REPLACEMENT, sizeof(UTF8_REPLACEMENT) - 1);
		s += n ?: 1;
	}
	proto_end(p, begin);
}

/* Most messages are shorter than 128 bytes, so one byte is left for the length. */
size_t proto_begin(struct proto *p, unsigned int field)
{
	add_tag(p, field, WIRE_BYTES);
	if (reserve(p, 1))
		p->len++;
	return p->len;
}

void proto_end(struct proto *p, size_t begin)
{
	const size_t len = p->len - begin;
	__u8 size[VARINT_MAX];
	const size_t n = put_varint(size, len);

	if (!reserve(p, n - 1))
		return;
	memmove(p->data + begin + n - 1, p->data + begin, len);
	memcpy(p->data + begin - 1, size, n);
	p->len += n - 1;
}

void proto_free(struct proto *p)
{
	free(p->data);
	*p = (struct proto){ .len = 0 };
}
