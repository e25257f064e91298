/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read a stream in the order of its records' times.
 */
#ifndef VIEW_ORDER_H
#define VIEW_ORDER_H

#include <linux/types.h>
#include <stddef.h>

#include "auxstream/auxstream.h"

/*
 * A copy of an item. These pointers point to a copy, too: header of AUXSTREAM_KERNEL and _OTHER,
 * sample.chain, and snapshot.name. Other data is left out: header of other kinds is NULL, and so
 * are sample.raw, payload.data and aux.data.
 */
struct order_record {
	struct auxstream_item item;
	__u64	time;
	__u64	number;		/* keeps records of one time in the stream's order */
	__u64	data[];
};

/* Take a record. Return 0, or an error that ends reading. */
typedef int (*order_take_t)(void *context, const struct order_record *r);

/* See an item of any kind, in the order of the stream. Return 0, or an error that ends reading. */
typedef int (*order_see_t)(void *context, const struct auxstream_item *item);

/*
 * Read a stream to its end, and give @take the items of @kinds (bits 1 << kind). @see can be NULL.
 *
 * Return 0, an error of @take or @see, or an error of auxstream_next(). At an error of
 * auxstream_next(), @take still gets all records before the place of the error, and @problem is set
 * to a message, which the caller must free.
 */
int order_read(int fd, unsigned int kinds, order_take_t take, order_see_t see, void *context,
	       char **problem);

#endif /* VIEW_ORDER_H */
