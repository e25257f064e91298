/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects: the files whose code a recording executed, and their functions.
 */
#ifndef VIEW_OBJECT_H
#define VIEW_OBJECT_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash_map.h"

#define OBJECT_ID_MAX	20

/* Addresses of functions are virtual addresses in the object's ELF file, not in a process. */
struct function {
	__u64	start;
	__u64	end;		/* the first address behind it */
	const char *symbol;	/* mangled; NULL: there is no symbol here */
	const char *name;	/* for people; NULL: function_name() has not been called */
	struct object *object;
	__u32	number;		/* for the caller, at first FUNCTION_NO_NUMBER */
};

#define FUNCTION_NO_NUMBER	(~0U)

enum object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_KERNEL,		/* addresses are those of the running kernel */
	OBJECT_MEMORY,		/* no file: code that a program made */
};

struct functions;

struct object {
	enum object_kind kind;
	char	*path;		/* as recorded */
	__u8	id[OBJECT_ID_MAX];
	__u8	id_size;	/* 0: no build-id was recorded */
	struct objects *objects;
	bool	loaded;		/* the members below are valid */
	char	*file;		/* where the code is; NULL: it was not found */
	char	*why;		/* why it was not found, and what to do */
	bool	said;		/* the user was told why */
	struct functions *functions;
	struct function nowhere;	/* covers all code, if there is no memory for functions */
};

/* Where files are searched. NULL: not given */
struct object_places {
	const char *symfs;	/* a directory in which recorded paths begin */
	const char *kcore;	/* a directory with kcore and kallsyms */
};

struct objects {
	struct object_places places;
	struct object **list;
	size_t	nr;
	struct read_map by_key;
	struct object *kernel;
	pthread_mutex_t lock;
};

int objects_init(struct objects *o, const struct object_places *places);
void objects_free(struct objects *o);

/* Return the object of a path and a build-id, or NULL if there is no memory. */
struct object *objects_get(struct objects *o, const char *path, const __u8 *id, size_t id_size);

/*
 * The functions below find and read the object's file when they are first called. They can be
 * called by several threads at the same time.
 */

/* Return the path of the file with the object's code, or NULL. */
const char *object_file(struct object *o);

/* Turn an offset in the file into an address. */
__u64 object_address(struct object *o, __u64 offset);

/*
 * Return the function at an address, never NULL. If no symbol covers the address, it is a function
 * without a name between two symbols.
 */
struct function *object_function(struct object *o, __u64 address);

/* Return a function's name for people. Only one thread can call this. */
const char *function_name(struct function *f);

#endif /* VIEW_OBJECT_H */
