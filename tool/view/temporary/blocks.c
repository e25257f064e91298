// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists in a temporary file, see blocks.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "view/temporary/blocks.h"
#include "view/temporary/temporary.h"

int blocks_open(struct blocks_file *f)
{
	*f = (struct blocks_file) { .fd = temporary_open() };
	return f->fd < 0 ? f->fd : 0;
}

void blocks_close(struct blocks_file *f)
{
	/* A struct of zeros was not opened. */
	if (f->fd > 0)
		close(f->fd);
	*f = (struct blocks_file) { .fd = -1 };
}

void blocks_init(struct blocks *b, struct blocks_file *f, size_t size)
{
	*b = (struct blocks) { .file = f, .size = size };
}

void blocks_free(struct blocks *b)
{
	free(b->last);
	free(b->places);
	*b = (struct blocks) { .nr = 0 };
}

static __u64 key_of(const void *element)
{
	return *(const __u64 *)element;
}

static void *element(void *elements, size_t size, size_t i)
{
	return (char *)elements + i * size;
}

int blocks_flush(struct blocks *b)
{
	const size_t bytes = b->nr_last * b->size;
	int rc;

	if (!b->nr_last)
		return 0;
	if (grow((void **)&b->places, b->nr_places, sizeof(*b->places)))
		return -ENOMEM;
	rc = temporary_write(b->file->fd, b->last, bytes, b->file->size);
	if (rc)
		return rc;
	b->places[b->nr_places++] = (struct blocks_place) {
		key_of(b->last), b->file->size, b->nr - b->nr_last };
	b->file->size += bytes;
	b->file->pending -= bytes;
	/* A list that grows no more keeps no memory here. */
	free(b->last);
	b->last = NULL;
	b->nr_last = 0;
	return 0;
}

int blocks_add(struct blocks *b, const void *new)
{
	if (grow(&b->last, b->nr_last, b->size))
		return -ENOMEM;
	memcpy(element(b->last, b->size, b->nr_last), new, b->size);
	b->nr_last++;
	b->nr++;
	b->file->pending += b->size;
	return b->nr_last == BLOCKS_NR ? blocks_flush(b) : 0;
}

/* Return the number of elements that begin with a key of at most @key. Their distance is @step. */
static size_t count(const void *first, size_t nr, size_t step, __u64 key)
{
	size_t low = 0, high = nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (key_of((const char *)first + mid * step) <= key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Return the place of the block with element @i, which is in the file. */
static const struct blocks_place *place_of(const struct blocks *b, size_t i)
{
	size_t low = 0, high = b->nr_places, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (b->places[mid].first <= i)
			low = mid;
		else
			high = mid;
	}
	return &b->places[low];
}

static int read_block(const struct blocks *b, struct blocks_window *w,
		      const struct blocks_place *p)
{
	const bool is_newest = p + 1 == b->places + b->nr_places;
	const size_t end = is_newest ? b->nr - b->nr_last : p[1].first;
	int rc;

	if (w->list == b && w->first == p->first)
		return 0;
	if (!w->elements)
		w->elements = calloc(BLOCKS_NR, b->size);
	if (!w->elements)
		return -ENOMEM;
	w->list = NULL;
	rc = temporary_read(b->file->fd, w->elements, (end - p->first) * b->size, p->at);
	if (rc)
		return rc;
	w->list = b;
	w->first = p->first;
	w->nr = end - p->first;
	return 0;
}

const void *blocks_get(const struct blocks *b, struct blocks_window *w, size_t i)
{
	const size_t in_file = b->nr - b->nr_last;

	if (i >= in_file)
		return element(b->last, b->size, i - in_file);
	if (w->list == b && i - w->first < w->nr)
		return element(w->elements, b->size, i - w->first);
	if (read_block(b, w, place_of(b, i)))
		return NULL;
	return element(w->elements, b->size, i - w->first);
}

const void *blocks_find(const struct blocks *b, struct blocks_window *w, __u64 key, size_t *i)
{
	const size_t in_file = b->nr - b->nr_last;
	size_t nr = count(b->last, b->nr_last, b->size, key);

	if (nr) {
		*i = in_file + nr - 1;
		return element(b->last, b->size, nr - 1);
	}
	nr = count(b->places, b->nr_places, sizeof(*b->places), key);
	if (!nr || read_block(b, w, &b->places[nr - 1]))
		return NULL;
	nr = count(w->elements, w->nr, b->size, key);
	*i = w->first + nr - 1;
	return element(w->elements, b->size, nr - 1);
}
