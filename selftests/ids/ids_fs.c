// SPDX-License-Identifier: GPL-2.0-only
/* File systems for the files of the tests, see ids_fs.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ids_fs.h"
#include "../ring/lib/ring_lib.h"

/* Output of the last command */
#define OUTPUT	"/run/perfaux/ids-out"

int run(const char *format, ...)
{
	char command[2048], line[2200];
	va_list args;
	int ret;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "{ %s; } >" OUTPUT " 2>&1 </dev/null",
		 command);
	ret = system(line);
	if (ret)
		ret = system("sed 's/^/# /' " OUTPUT " >&2") ? -EIO : -EIO;
	return ret;
}

/* The VM's set-up has put the modules where modprobe finds them. */
static bool has_fs(const char *name)
{
	char text[8192], line[64];

	run("modprobe -qa %s loop || true", name);
	snprintf(line, sizeof(line), "\t%s\n", name);
	return !file_read("/proc/filesystems", text, sizeof(text)) &&
	       strstr(text, line);
}

static int mount_image(struct fs_tree *tree, const char *name,
		       const char *make, const char *size)
{
	return run("truncate -s %s /tmp/ids-image && %s /tmp/ids-image && mount -t %s -o loop /tmp/ids-image %s && rm /tmp/ids-image",
		   size, make, name, tree->dir);
}

static int mount_overlay(const struct fs_tree *tree)
{
	return run("mount -t overlay -o lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work overlay %s",
		   tree->base, tree->base, tree->base, tree->dir);
}

static const char *fs_module(enum fs fs)
{
	switch (fs) {
	case FS_OVERLAY_LOWER:
	case FS_OVERLAY_UPPER:
		return "overlay";
	case FS_SQUASHFS:
		return "squashfs";
	case FS_XFS:
		return "xfs";
	case FS_BTRFS:
		return "btrfs";
	default:
		return NULL;
	}
}

static int mount_before(struct fs_tree *tree)
{
	switch (tree->fs) {
	case FS_TMPFS:
		return run("mount -t tmpfs ids %s", tree->dir);
	case FS_OVERLAY_UPPER:
		return mount_overlay(tree);
	case FS_XFS:
		return mount_image(tree, "xfs", "mkfs.xfs -q -f -K", "300M");
	case FS_BTRFS:
		return mount_image(tree, "btrfs", "mkfs.btrfs -q -f -K", "128M");
	default:
		return 0;
	}
}

int fs_make(struct fs_tree *tree, enum fs fs)
{
	const char *module = fs_module(fs);

	memset(tree, 0, sizeof(*tree));
	tree->fs = fs;
	if (module && !has_fs(module)) {
		tree->missing = module;
		return 0;
	}
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	strcpy(tree->base, "/var/tmp/ids.XXXXXX");
	if (!mkdtemp(tree->base) ||
	    run("cd %s && mkdir dir lower upper work", tree->base))
		return -EIO;
	snprintf(tree->dir, sizeof(tree->dir), "%s/dir", tree->base);
	if (mount_before(tree))
		return -EIO;
	strcpy(tree->fill, tree->dir);
	if (fs == FS_OVERLAY_LOWER || fs == FS_BIND || fs == FS_SQUASHFS)
		snprintf(tree->fill, sizeof(tree->fill), "%s/lower",
			 tree->base);
	return 0;
}

int fs_seal(struct fs_tree *tree)
{
	switch (tree->fs) {
	case FS_BIND:
		return run("mount --bind %s %s", tree->fill, tree->dir);
	case FS_OVERLAY_LOWER:
		return mount_overlay(tree);
	case FS_SQUASHFS:
		/* Packing is slow on an emulated CPU. */
		return run("mksquashfs %s %s/image -quiet -no-progress -noI -noD -noF -noX && mount -t squashfs -o loop %s/image %s",
			   tree->fill, tree->base, tree->base, tree->dir);
	default:
		return 0;
	}
}

void fs_remove(struct fs_tree *tree)
{
	if (tree->missing)
		return;
	umount2(tree->dir, MNT_DETACH);
	run("rm -rf %s", tree->base);
}

bool fs_is_cold(enum fs fs)
{
	return fs != FS_TMPFS;
}
