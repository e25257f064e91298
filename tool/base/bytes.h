/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded cursor over bytes that may be damaged or hostile.
 *
 * Every access checks how many bytes are left. After the first access that does
 * not fit, all later ones fail, so a parser can test for failure once, when it
 * is done.
 */
#ifndef AUXREC_READ_BYTES_H
#define AUXREC_READ_BYTES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

struct read_bytes {
	const __u8 *p;
	size_t left;
	bool failed;
};

static inline struct read_bytes read_bytes_init(const void *p, size_t len)
{
	return (struct read_bytes) { .p = p, .left = len };
}

/* Return the next @len bytes, or NULL. */
static inline const void *read_take(struct read_bytes *b, __u64 len)
{
	const __u8 *p = b->p;

	if (b->failed || len > b->left) {
		b->failed = true;
		return NULL;
	}
	b->p += len;
	b->left -= len;
	return p;
}

static inline __u64 read_u64(struct read_bytes *b)
{
	const void *p = read_take(b, sizeof(__u64));
	__u64 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static inline __u32 read_u32(struct read_bytes *b)
{
	const void *p = read_take(b, sizeof(__u32));
	__u32 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static inline __u16 read_u16(struct read_bytes *b)
{
	const void *p = read_take(b, sizeof(__u16));
	__u16 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

/* Like read_take(), for @nr items of @item bytes. If the product overflows, they do not fit. */
static inline const void *read_take_items(struct read_bytes *b, __u64 nr,
					  size_t item)
{
	if (nr > b->left / item) {
		b->failed = true;
		return NULL;
	}
	return read_take(b, nr * item);
}

#endif /* AUXREC_READ_BYTES_H */
