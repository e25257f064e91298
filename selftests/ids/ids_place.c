// SPDX-License-Identifier: GPL-2.0-only
/* Places for the ELF files of the tests, see ids_place.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../rounds.h"
#include "ids_place.h"

/* Larger files are left out of file systems that pack their files. */
#define PACKED_MAX	(8LL << 20)

/* Bytes that are read at each end of a file */
#define END_SIZE	(512 << 10)

static void path_of(const struct place *place, size_t i, char path[256])
{
	snprintf(path, 256, "%s/%s", place->tree.dir, place->set.files[i].name);
}

static int open_path(const struct place *place, size_t i)
{
	char path[256];

	path_of(place, i, path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Open a copy of a file in tmpfs, whose own name is not in its records. */
static int open_memfd(const struct place *place, size_t i)
{
	int fd = memfd_create(place->set.files[i].name, MFD_CLOEXEC);
	char from[256], to[64];

	path_of(place, i, from);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", fd);
	return file_copy(from, to) ? -1 : fd;
}

static int open_nameless(struct place *place, enum kind kind)
{
	char path[256];
	size_t i;

	place->fds = calloc(place->set.nr, sizeof(*place->fds));
	for (i = 0; i < place->set.nr; i++) {
		place->fds[i] = kind == KIND_MEMFD ? open_memfd(place, i) :
						     open_path(place, i);
		if (place->fds[i] < 0)
			return -EIO;
		path_of(place, i, path);
		unlink(path);
	}
	return 0;
}

int place_make(struct place *place, enum fs fs, enum kind kind)
{
	int ret;

	memset(place, 0, sizeof(*place));
	place->max = fs == FS_SQUASHFS ? PACKED_MAX : INT64_MAX;
	/* In the short form, all places together have all files. */
	place->step = is_short() ? 3 : 1;
	place->first = (fs + kind) % place->step;
	ret = elf_set_read(&place->set);
	if (!ret)
		ret = fs_make(&place->tree, fs);
	if (ret || place->tree.missing)
		return ret;
	ret = elf_set_copy(&place->set, place->tree.fill, place->max);
	if (!ret)
		ret = fs_seal(&place->tree);
	if (!ret && kind != KIND_PATH)
		ret = open_nameless(place, kind);
	return ret;
}

void place_remove(struct place *place)
{
	fs_remove(&place->tree);
	elf_set_free(&place->set);
	free(place->fds);
}

bool place_has(const struct place *place, size_t i)
{
	return i % place->step == place->first && place->set.files[i].size <= place->max;
}

int place_open(const struct place *place, size_t i)
{
	return place->fds ? dup(place->fds[i]) : open_path(place, i);
}

void place_read(const struct place *place)
{
	static char buf[END_SIZE];
	size_t i;

	for (i = 0; i < place->set.nr; i++) {
		off_t at = place->set.files[i].size - END_SIZE;
		int fd;

		if (!place_has(place, i))
			continue;
		fd = place_open(place, i);
		if (pread(fd, buf, sizeof(buf), 0) < 0 ||
		    (at > 0 && pread(fd, buf, sizeof(buf), at) < 0))
			diag("%s: %m", place->set.files[i].name);
		close(fd);
	}
}

void place_drop(const struct place *place)
{
	size_t i;

	if (drop_caches())
		return;
	for (i = 0; i < place->set.nr; i++) {
		int fd;

		if (!place_has(place, i))
			continue;
		fd = place_open(place, i);
		drop_file(fd);
		close(fd);
	}
}

int place_resident(const struct place *place, size_t i)
{
	off_t size = place->set.files[i].size;
	size_t length = size < END_SIZE ? size : END_SIZE;
	off_t at = size > END_SIZE ? (size - END_SIZE) & ~4095LL : 0;
	unsigned char pages[2 * END_SIZE / 4096 + 1] = { 0 };
	int fd = place_open(place, i), n = 0, end;
	size_t k;

	for (end = 0; length && end < 2; end++) {
		off_t from = end ? at : 0;
		void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, from);

		mincore(map, length, pages);
		munmap(map, length);
		for (k = 0; k * 4096 < length; k++)
			n += pages[k] & 1;
	}
	close(fd);
	return n;
}
