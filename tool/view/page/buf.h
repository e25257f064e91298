/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer that grows, with the encodings of format.h. If memory runs out, the buffer sets @failed
 * and takes nothing more. So the caller does not have to test each call, but only @failed at the
 * end.
 */
#ifndef VIEW_PAGE_BUF_H
#define VIEW_PAGE_BUF_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	__u8	*p;
	size_t	len;
	size_t	size;
	bool	failed;
};

void buf_bytes(struct buf *b, const void *p, size_t len);
void buf_byte(struct buf *b, __u8 value);
void buf_varint(struct buf *b, __u64 value);
/* @difference: of two times. It can be negative, modulo 2^64. */
void buf_signed(struct buf *b, __u64 difference);
void buf_double(struct buf *b, double value);
/* Add a string with its NUL. */
void buf_string(struct buf *b, const char *s);
void buf_free(struct buf *b);

#endif
