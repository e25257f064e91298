/* SPDX-License-Identifier: GPL-2.0-only */
/* The ELF files somewhere: on a file system, without a name, in memory or not. */
#ifndef IDS_PLACE_H
#define IDS_PLACE_H

#include "ids_fs.h"
#include "ids_lib.h"

/* How the files come to be there. */
enum kind {
	KIND_PATH,
	KIND_DELETED,
	KIND_MEMFD,
};

struct place {
	struct elf_set set;
	struct fs_tree tree;
	off_t max;		/* larger ones are not there */
	size_t step, first;	/* of them one in so many is, from this one on */
	int *fds;		/* of files that have no name */
};

/*
 * Puts all files of make-elf there. If the kernel has no such file system,
 * ->tree.missing says so, and 0 is returned.
 */
int place_make(struct place *place, enum fs fs, enum kind kind);
void place_remove(struct place *place);

/* Is the @i-th file of the set there? */
bool place_has(const struct place *place, size_t i);
/* A descriptor, or -1. */
int place_open(const struct place *place, size_t i);

/* All of the files, but for the holes of large ones, is in memory afterwards. */
void place_read(const struct place *place);
/* As little of them is as the kernel can help. */
void place_drop(const struct place *place);
/* Pages of a file that are in memory; of a large one its two ends are looked at. */
int place_resident(const struct place *place, size_t i);

#endif /* IDS_PLACE_H */
