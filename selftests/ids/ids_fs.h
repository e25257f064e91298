/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File systems for the files of the tests. They are mounted in a mount namespace of
 * the caller, so they end with it.
 */
#ifndef IDS_FS_H
#define IDS_FS_H

#include <stdbool.h>

enum fs {
	FS_EXT4,
	FS_TMPFS,
	FS_BIND,		/* bind mount of a directory of ext4 */
	FS_OVERLAY_LOWER,	/* both layers on ext4 */
	FS_OVERLAY_UPPER,
	FS_SQUASHFS,
	FS_XFS,
	FS_BTRFS,
};

struct fs_tree {
	enum fs fs;
	char base[64];		/* contains everything that was made */
	char dir[128];		/* the file system's directory */
	char fill[128];		/* where to put files before fs_seal() */
	const char *missing;	/* what this kernel lacks */
};

/*
 * Call fs_make(), put files into ->fill, and call fs_seal(): the files are then in
 * ->dir. If the kernel does not have the file system, ->missing says so, and
 * fs_make() returns 0.
 */
int fs_make(struct fs_tree *tree, enum fs fs);
int fs_seal(struct fs_tree *tree);
void fs_remove(struct fs_tree *tree);

/* Return whether the file system reads missing pages from a disk. */
bool fs_is_cold(enum fs fs);

/* Run a command with sh. If it fails, its output goes to stderr. */
int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* IDS_FS_H */
