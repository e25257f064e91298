// SPDX-License-Identifier: GPL-2.0-only
/*
 * at_place PLACE LIST CMD: put the ELF files in PLACE, write a line "NAME PATH" for
 * each to LIST, and run, in this order,
 *   CMD stock PLACE cold
 *   CMD perfaux PLACE cold
 *   CMD stock PLACE warm
 *   CMD perfaux PLACE warm
 * "cold" means that no page of the files is in memory.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ids/fuse_server.h"
#include "../ids/ids_place.h"

static const struct {
	const char *name;
	enum fs fs;
	enum kind kind;
} places[] = {
	{ "ext4", FS_EXT4, KIND_PATH },
	{ "xfs", FS_XFS, KIND_PATH },
	{ "btrfs", FS_BTRFS, KIND_PATH },
	{ "squashfs", FS_SQUASHFS, KIND_PATH },
	{ "tmpfs", FS_TMPFS, KIND_PATH },
	{ "memfd", FS_TMPFS, KIND_MEMFD },
	{ "overlay-lower", FS_OVERLAY_LOWER, KIND_PATH },
	{ "overlay-upper", FS_OVERLAY_UPPER, KIND_PATH },
	{ "bind", FS_BIND, KIND_PATH },
	{ "deleted", FS_EXT4, KIND_DELETED },
};

static struct place place;
static struct fuse_server fuse;

/* Serve the files by a FUSE server of this program. */
static int make_fuse(void)
{
	int ret = elf_set_read(&place.set);

	place.max = INT64_MAX;
	if (!ret)
		ret = fs_make(&place.tree, FS_EXT4);
	if (ret || run("modprobe -q fuse || true"))
		return -1;
	fuse.set = &place.set;
	fuse.dir = place.tree.dir;
	fuse.mode = FUSE_NORMAL;
	return fuse_start(&fuse);
}

static int make(const char *name)
{
	size_t i;

	if (!strcmp(name, "fuse"))
		return make_fuse();
	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (!strcmp(name, places[i].name))
			return place_make(&place, places[i].fs, places[i].kind);
	return -1;
}

static int write_list(const char *path)
{
	FILE *list = fopen(path, "we");
	size_t i;

	if (!list)
		return -1;
	for (i = 0; i < place.set.nr; i++) {
		const char *name = place.set.files[i].name;

		if (!place_has(&place, i))
			continue;
		fprintf(list, "%s ", name);
		if (place.fds)
			fprintf(list, "/proc/%d/fd/%d\n", getpid(),
				place.fds[i]);
		else
			fprintf(list, "%s/%s\n", place.tree.dir, name);
	}
	return fclose(list);
}

/*
 * Drop the pages of these files only. With place_drop(), the machine would have to read
 * perf and all other programs from its disk again. File systems in memory have no pages
 * to drop.
 */
static int make_cold(void)
{
	size_t i;

	for (i = 0; fs_is_cold(place.tree.fs) && i < place.set.nr; i++) {
		int fd = place_has(&place, i) ? place_open(&place, i) : -1;

		if (fd < 0)
			continue;
		drop_file(fd);
		close(fd);
		if (place_resident(&place, i)) {
			diag("%s is in memory", place.set.files[i].name);
			return -1;
		}
	}
	return 0;
}

static int run_all(const char *name, const char *cmd)
{
	static const char * const who[] = { "stock", "perfaux" };
	int warm, i;

	for (warm = 0; warm < 2; warm++) {
		for (i = 0; i < 2; i++) {
			char line[512];

			if (warm)
				place_read(&place);
			else if (make_cold())
				return -1;
			snprintf(line, sizeof(line), "%s %s %s %s", cmd, who[i],
				 name, warm ? "warm" : "cold");
			if (system(line))
				return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc != 4) {
		fprintf(stderr, "usage: at_place PLACE LIST CMD\n");
		return 2;
	}
	ret = make(argv[1]);
	if (!ret && place.tree.missing) {
		fprintf(stderr, "at_place: this kernel has no %s\n",
			place.tree.missing);
		return 0;
	}
	if (!ret)
		ret = write_list(argv[2]);
	if (!ret)
		ret = run_all(argv[1], argv[3]);
	if (ret)
		fprintf(stderr, "at_place: %s failed\n", argv[1]);
	if (fuse.child.pid > 0)
		fuse_kill(&fuse);
	place_remove(&place);
	return !!ret;
}
