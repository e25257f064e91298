/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that a worker's decoder reads. It depends on the process and on the time.
 */
#ifndef VIEW_IMAGE_H
#define VIEW_IMAGE_H

#include <stdbool.h>

#include "view/code/space.h"

struct pt_image;
struct pt_image_section_cache;

/* Parts of files, which all workers share */
struct image_cache {
	struct pt_image_section_cache *sections;
	const struct spaces *spaces;
	struct kcore_segment {
		__u64 offset, size, address;
	} *kcore;
	size_t	nr_kcore;
	char	*kcore_path;
	bool	only_libipt;	/* for tests: do not use fast.c */
};

int image_cache_init(struct image_cache *c, const struct spaces *spaces);
void image_cache_free(struct image_cache *c);

#define IMAGE_FUNCTIONS	8192	/* a power of two */
#define IMAGE_CALLS	4096	/* a power of two */

struct image {
	struct image_cache *cache;
	struct pt_image *pt;
	struct view view;
	__u64	missing;	/* the last address at which libipt could not read */
	__u32	generation;	/* of the view: it changes with the view */
	struct image_section {
		__u64 begin, end;
		int isid;
	} *sections;		/* of @pt: later ones hide earlier ones */
	size_t	nr_sections;
	/* Caches by address: see slot() in image.c. */
	struct image_function {
		__u64 ip;
		struct function *function;
		bool is_begin;
	} *functions;
	struct image_call {
		__u64 ip;
		int isid;
		__u8 size;
	} *calls;
};

int image_init(struct image *i, struct image_cache *cache);
void image_free(struct image *i);

/* Change to the code of a process (NULL: of none) at a time. Return 0 or -errno. */
int image_move(struct image *i, const struct space *space, __u64 time);

/* Find the function at an address; @is_begin: it begins there. Return NULL if nothing is there. */
struct function *image_function(struct image *i, __u64 ip, bool *is_begin);

/* Return the object at an address, or NULL. */
struct object *image_object(const struct image *i, __u64 ip);

/* Return the section that has all bytes from @first to @last, or 0. */
int image_isid(const struct image *i, __u64 first, __u64 last);

/* Return the size of the call instruction at an address in section @isid, or 0. */
__u8 image_call_size(struct image *i, __u64 ip, int isid, bool is_64bit);

#endif /* VIEW_IMAGE_H */
