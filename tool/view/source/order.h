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
 * An item, with a copy of what its pointers need: the record of AUXSTREAM_KERNEL and _OTHER, the
 * chain of a sample, the name of a snapshot. Other data is not there: item.header is NULL, and so
 * are sample.raw, payload.data and aux.data.
 */
struct order_record {
	struct auxstream_item item;
	__u64	time;
	__u64	number;		/* records of one time stay in the stream's order */
	__u64	data[];
};

/* Take a record. Return 0, or an error that ends reading. */
typedef int (*order_take_t)(void *context, const struct order_record *r);

/* Take an item of any kind, in the order of the stream, before it is sorted. */
typedef int (*order_see_t)(void *context, const struct auxstream_item *item);

/*
 * Read a stream to its end. @see can be NULL. Return 0, an error of @take or @see, or an error of
 * auxstream_next(), before which all whole records were taken; @problem says what is wrong then,
 * and the caller must free it. Items of a kind that is not in the set @kinds (bits 1 << kind) are
 * left out.
 */
int order_read(int fd, unsigned int kinds, order_take_t take, order_see_t see, void *context,
	       char **problem);

#endif /* VIEW_ORDER_H */
