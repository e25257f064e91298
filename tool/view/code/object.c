// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of objects, which are read when they are first needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "stream/map_kind.h"
#include "view/code/demangle.h"
#include "view/code/find.h"
#include "view/code/functions.h"
#include "view/code/object.h"

int objects_init(struct objects *o, const struct object_places *places)
{
	*o = (struct objects) { .places = *places };
	pthread_mutex_init(&o->lock, NULL);
	o->kernel = objects_get(o, "[kernel]", NULL, 0);
	if (!o->kernel)
		return -ENOMEM;
	o->kernel->kind = OBJECT_KERNEL;
	return 0;
}

static void free_object(struct object *o)
{
	functions_free(o->functions);
	free(o->path);
	free(o->file);
	free(o->why);
	free(o);
}

void objects_free(struct objects *o)
{
	size_t i;

	for (i = 0; i < o->nr; i++)
		free_object(o->list[i]);
	free(o->list);
	read_map_free(&o->by_key);
	pthread_mutex_destroy(&o->lock);
}

static enum object_kind kind_of(const char *path)
{
	switch (map_kind(path)) {
	case MAP_KIND_VDSO:
		return OBJECT_VDSO;
	case MAP_KIND_FILE:
	case MAP_KIND_SHARED:
		return OBJECT_FILE;
	default:
		return OBJECT_MEMORY;
	}
}

struct object_key {
	const char *path;
	const __u8 *id;
	size_t id_size;
};

static bool is_same(const void *elements, __u32 value, const void *key)
{
	const struct object *o = ((struct object *const *)elements)[value];
	const struct object_key *k = key;

	return o->id_size == k->id_size && !memcmp(o->id, k->id, k->id_size) &&
	       !strcmp(o->path, k->path);
}

/* FNV-1a */
static __u64 add_hash(__u64 hash, const void *bytes, size_t size)
{
	const __u8 *p = bytes;

	while (size--)
		hash = (hash ^ *p++) * 0x100000001b3ULL;
	return hash;
}

struct object *objects_get(struct objects *o, const char *path, const __u8 *id, size_t id_size)
{
	const struct object_key key = { path, id_size ? id : (const __u8 *)"",
					id_size > OBJECT_ID_MAX ? OBJECT_ID_MAX : id_size };
	__u64 hash = add_hash(0xcbf29ce484222325ULL, path, strlen(path));
	struct object *new;
	__u32 i;

	hash = add_hash(hash, key.id, key.id_size);
	if (read_map_find(&o->by_key, &hash, is_same, o->list, &key, &i))
		return o->list[i];
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->objects = o;
	new->nowhere = (struct function) {
		.end = ~0ULL, .object = new, .number = FUNCTION_NO_NUMBER,
	};
	new->path = strdup(path);
	new->kind = kind_of(path);
	new->id_size = key.id_size;
	memcpy(new->id, key.id, key.id_size);
	if (!new->path || grow((void **)&o->list, o->nr, sizeof(*o->list)) ||
	    read_map_set(&o->by_key, hash, o->nr)) {
		free_object(new);
		return NULL;
	}
	o->list[o->nr++] = new;
	return new;
}

/* @loaded is stored last, with release: another thread that sees it also sees all the rest. */
static void load(struct object *o)
{
	if (__atomic_load_n(&o->loaded, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&o->objects->lock);
	if (!o->loaded) {
		find_file(o);
		o->functions = functions_read(o);
		__atomic_store_n(&o->loaded, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&o->objects->lock);
}

const char *object_file(struct object *o)
{
	load(o);
	return o->file;
}

__u64 object_address(struct object *o, __u64 offset)
{
	load(o);
	return functions_address(o->functions, offset);
}

struct function *object_function(struct object *o, __u64 address)
{
	load(o);
	return o->functions ? functions_find(o->functions, address) : &o->nowhere;
}

const char *function_name(struct function *f)
{
	if (!f->name)
		f->name = f->symbol ? demangle(f->symbol) : "[unknown]";
	return f->name;
}
