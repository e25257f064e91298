/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encode messages of protocol buffers (https://protobuf.dev/programming-guides/encoding/). A
 * trace needs few of their features, so this is less than what a library needs as glue.
 */
#ifndef VIEW_PERFETTO_PROTO_H
#define VIEW_PERFETTO_PROTO_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* All zero is empty. If memory runs out, failed is set, and nothing more is added. */
struct proto {
	__u8	*data;
	size_t	len;
	size_t	room;
	bool	failed;
};

void proto_number(struct proto *p, unsigned int field, __u64 value);
void proto_double(struct proto *p, unsigned int field, double value);
/* Bytes that are not UTF-8 are replaced. */
void proto_string(struct proto *p, unsigned int field, const char *s);

/* Fields that are added between begin and end form a message within the message. */
size_t proto_begin(struct proto *p, unsigned int field);
void proto_end(struct proto *p, size_t begin);

void proto_free(struct proto *p);

#endif /* VIEW_PERFETTO_PROTO_H */
