// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions, in chunks, and the objects that contain the functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/util.h"
#include "view/page/format.h"
#include "view/page/names.h"

enum column {
	FUNCTIONS,
	OBJECTS,
	ADDRESSES,
};

static bool same_object(const void *objects, __u32 number, const void *path)
{
	return !strcmp(((char *const *)objects)[number], path);
}

static int object_number(struct names *n, const char *path, __u32 *number)
{
	__u64 hash = hash_string(path);
	int err;

	if (read_map_find(&n->by_object, &hash, same_object, n->object, path, number))
		return 0;
	err = grow((void **)&n->object, n->nr_objects, sizeof(*n->object));
	if (err)
		return err;
	n->object[n->nr_objects] = strdup(path);
	if (!n->object[n->nr_objects])
		return -ENOMEM;
	*number = n->nr_objects++;
	return read_map_set(&n->by_object, hash, *number);
}

static int end_chunk(struct names *n, struct spill *s)
{
	struct chunk desc = { .nr = n->nr };

	n->nr = 0;
	return desc.nr ? spill_put(s, &n->chunks, &desc, n->column, NAMES_COLUMNS) : 0;
}

int names_add(struct names *n, struct spill *s, const struct tl_name *desc)
{
	unsigned int i;
	__u32 object;
	int err;

	err = object_number(n, desc->object ? desc->object : "", &object);
	if (!err)
		err = grow((void **)&n->count, n->nr_all, sizeof(*n->count));
	if (err)
		return err;
	n->count[n->nr_all++] = 0;
	buf_string(&n->column[FUNCTIONS], desc->function);
	buf_varint(&n->column[OBJECTS], object);
	for (i = 0; i < 64; i += 8)
		buf_byte(&n->column[ADDRESSES], desc->address >> i);
	return ++n->nr < PAGE_NAMES ? 0 : end_chunk(n, s);
}

int names_end(struct names *n, struct spill *s)
{
	struct chunk desc = { .nr = n->nr_all };
	struct buf counts = { 0 };
	int err = end_chunk(n, s);
	__u32 i;

	for (i = 0; i < n->nr_all; i++)
		buf_varint(&counts, n->count[i]);
	if (!err && n->nr_all)
		err = spill_put(s, &n->counts, &desc, &counts, 1);
	buf_free(&counts);
	return err;
}

void names_free(struct names *n)
{
	unsigned int i;

	for (i = 0; i < NAMES_COLUMNS; i++)
		buf_free(&n->column[i]);
	for (i = 0; i < n->nr_objects; i++)
		free(n->object[i]);
	free(n->object);
	free(n->count);
	read_map_free(&n->by_object);
	chunks_free(&n->chunks);
	chunks_free(&n->counts);
}
