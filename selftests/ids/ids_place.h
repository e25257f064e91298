/* SPDX-License-Identifier: GPL-2.0-only */
/* The ELF files in some place: on a file system, without a name, in memory or not. */
#ifndef IDS_PLACE_H
#define IDS_PLACE_H

#include "ids_fs.h"
#include "ids_lib.h"

/* How the files are put there */
enum kind {
	KIND_PATH,
	KIND_DELETED,
	KIND_MEMFD,
};

struct place {
	struct elf_set set;
	struct fs_tree tree;
	off_t max;		/* larger files are left out */
	size_t step, first;	/* every @step-th file from @first on is there */
	int *fds;		/* descriptors of files without a name */
};

/*
 * Put all files of make-elf there. If the kernel does not have the file system,
 * ->tree.missing says so, and this returns 0.
 */
int place_make(struct place *place, enum fs fs, enum kind kind);
void place_remove(struct place *place);

/* Return whether the @i-th file of the set is there. */
bool place_has(const struct place *place, size_t i);
/* Returns a descriptor, or -1. */
int place_open(const struct place *place, size_t i);

/* Bring all files into memory, except the holes of large ones. */
void place_read(const struct place *place);
/* Drop as much of the files from memory as the kernel allows. */
void place_drop(const struct place *place);
/*
 * Return the number of pages of a file that are in memory; only the two ends of a
 * large file are checked.
 */
int place_resident(const struct place *place, size_t i);

#endif /* IDS_PLACE_H */
