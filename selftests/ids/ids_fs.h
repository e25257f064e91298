/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File systems to put files on. Mounts are of a mount namespace of the caller's,
 * so they go with it.
 */
#ifndef IDS_FS_H
#define IDS_FS_H

#include <stdbool.h>

enum fs {
	FS_EXT4,
	FS_TMPFS,
	FS_BIND,		/* of a directory of ext4 */
	FS_OVERLAY_LOWER,	/* both layers on ext4 */
	FS_OVERLAY_UPPER,
	FS_SQUASHFS,
	FS_XFS,
	FS_BTRFS,
};

struct fs_tree {
	enum fs fs;
	char base[64];		/* all that was made */
	char dir[128];		/* the file system's directory */
	char fill[128];		/* where to put files before fs_seal() */
	const char *missing;	/* what this kernel does not have */
};

/*
 * fs_make(), put files into ->fill, fs_seal(): they are in ->dir. If the kernel
 * has no such file system, ->missing says so, and 0 is returned.
 */
int fs_make(struct fs_tree *tree, enum fs fs);
int fs_seal(struct fs_tree *tree);
void fs_remove(struct fs_tree *tree);

/* Does it read from a disk what is not in memory? */
bool fs_is_cold(enum fs fs);

/* A command for sh, its output to our stderr if it fails. */
int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* IDS_FS_H */
