/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of calls of a group of chunks (SUMS in format.h). A flame graph of a long time is the
 * sum of such trees, and a search looks for a name in them first.
 */
#ifndef VIEW_PAGE_SUMS_H
#define VIEW_PAGE_SUMS_H

#include <linux/types.h>
#include <stdbool.h>

#include "view/page/buf.h"

#define SUMS_COLUMNS	7

/* A node's parent and older sisters have smaller numbers. Node 0 is the root. */
struct sum_node {
	__u32	parent;
	__u32	first;		/* the youngest child; 0: none */
	__u32	next;		/* the next older sister; 0: none */
	__u32	name;
	__u64	time;
	__u64	count;
	__u64	weight;
};

/* All zero is an empty tree. */
struct sums {
	struct sum_node	*nodes;
	__u32		nr;
	__u32		size;
	__u32		*hash;		/* node by parent and name; 0: free */
	__u32		size_hash;
};

/* Set @node to the child of @parent that has @name. Return 0 or -ENOMEM. */
int sums_child(struct sums *s, __u32 parent, __u32 name, __u32 *node);

/* Fill the columns of SUMS. Return 0 or -ENOMEM. */
int sums_write(struct sums *s, struct buf *columns);

/* Make the tree empty. */
void sums_clear(struct sums *s);

#endif
