/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists that do not fit in memory: full blocks of elements are in a file without a name, and memory
 * has the place of each block.
 *
 * Each element begins with a key, a __u64. Keys must not decrease. After the last element was
 * added, several threads can read a list at the same time, each with a window of its own.
 */
#ifndef VIEW_BLOCKS_H
#define VIEW_BLOCKS_H

#include <linux/types.h>
#include <stddef.h>

#define BLOCKS_NR	128	/* elements of a block */

/* A file that several lists share */
struct blocks_file {
	int	fd;
	__u64	size;
	size_t	pending;	/* bytes of all lists that are not in the file */
};

struct blocks {
	struct blocks_file *file;
	size_t	size;		/* of an element */
	size_t	nr;
	void	*last;		/* the newest elements, less than a block */
	size_t	nr_last;
	struct blocks_place {
		__u64	key;	/* of the first element */
		__u64	at;	/* in the file */
		size_t	first;	/* index of the first element */
	} *places;
	size_t	nr_places;
};

/* The block that was read last. All zero: none */
struct blocks_window {
	void	*elements;	/* if NULL, the first read allocates it */
	const struct blocks *list;
	size_t	first;
	size_t	nr;
};

/* Return 0 or -errno. */
int blocks_open(struct blocks_file *f);
void blocks_close(struct blocks_file *f);

void blocks_init(struct blocks *b, struct blocks_file *f, size_t size);
void blocks_free(struct blocks *b);

/* Return 0 or -errno. */
int blocks_add(struct blocks *b, const void *element);

/* Write the newest elements, although they are less than a block. Return 0 or -errno. */
int blocks_flush(struct blocks *b);

/*
 * Return an element, which is valid until the next call with this window, or NULL if it cannot be
 * read.
 */
const void *blocks_get(const struct blocks *b, struct blocks_window *w, size_t i);

/* Return the last element whose key is at most @key, or NULL if there is none, or no memory. */
const void *blocks_find(const struct blocks *b, struct blocks_window *w, __u64 key, size_t *i);

#endif /* VIEW_BLOCKS_H */
