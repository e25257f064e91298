// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find build-ids. The module's parser finds the ids of files and vdsos; a file can belong to
 * any user and be hostile. The ids of the kernel and its modules are in sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../module/ids/elf_id.h"
#include "session/buildid.h"
#include "base/hash.h"
#include "base/util.h"

/* The cache has room for this many files. There are few files compared with their mappings. */
#define CACHE_MAX	3072
/* A vdso is read as a whole. This limit is far larger than any vdso. */
#define VDSO_MAX	(1U << 18)

struct file_reader {
	struct pa_elf_reader reader;
	int fd;
	u64 at;			/* offset of @buf in the file */
	size_t len;
	char buf[PA_ELF_PAGE];
};

struct image_reader {
	struct pa_elf_reader reader;
	const char *image;
};

struct build_id_cached {
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	struct build_id id;
};

/* Read a page and keep it: headers and notes are small and close together. */
static int read_file(struct pa_elf_reader *reader, u64 offset, void *buf, u32 len)
{
	struct file_reader *file = (struct file_reader *)reader;
	ssize_t n;

	if (offset < file->at || offset - file->at + len > file->len) {
		n = pread(file->fd, file->buf, sizeof(file->buf), offset);
		file->at = offset;
		file->len = n > 0 ? n : 0;
		if (n < 0)
			return -errno;
		/* The file became shorter meanwhile. */
		if (len > file->len)
			return -EIO;
	}
	memcpy(buf, file->buf + (offset - file->at), len);
	return 0;
}

static int read_image(struct pa_elf_reader *reader, u64 offset, void *buf, u32 len)
{
	memcpy(buf, ((struct image_reader *)reader)->image + offset, len);
	return 0;
}

/* An id for which a record has no room is cut, as the module cuts it. */
static int set_id(struct build_id *id, int ret, const struct pa_elf_id *found)
{
	if (ret < 0)
		return ret;
	if (ret == PERFAUX_ID_NOT_ELF)
		return -ENOEXEC;
	if (ret != PERFAUX_ID_FOUND)
		return -ENOENT;
	id->is_long = found->size > BUILD_ID_MAX;
	id->size = id->is_long ? BUILD_ID_MAX : found->size;
	memcpy(id->id, found->data, id->size);
	return 0;
}

static int read_file_id(const char *path, struct build_id *id)
{
	struct file_reader file = { .reader.read = read_file };
	struct pa_elf_id found;
	struct stat st;
	int err;

	file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file.fd < 0)
		return -errno;
	if (fstat(file.fd, &st)) {
		err = -errno;
	} else {
		file.reader.size = st.st_size;
		err = set_id(id, pa_elf_id(&file.reader, &found), &found);
	}
	close(file.fd);
	return err;
}

static bool same_file(const void *list, __u32 i, const void *stat)
{
	const struct build_id_cached *c = (const struct build_id_cached *)list + i;
	const struct stat *st = stat;

	return c->ino == st->st_ino && c->dev == st->st_dev &&
	       c->mtime.tv_sec == st->st_mtim.tv_sec && c->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

static void keep(struct build_id_cache *cache, __u64 hash, const struct stat *st,
		 const struct build_id *id)
{
	if (cache->nr == CACHE_MAX ||
	    grow((void **)&cache->list, cache->nr, sizeof(*cache->list)) ||
	    read_map_set(&cache->by_file, hash, cache->nr))
		return;
	cache->list[cache->nr++] = (struct build_id_cached){
		.dev = st->st_dev, .ino = st->st_ino, .mtime = st->st_mtim, .id = *id,
	};
}

int build_id_file(struct build_id_cache *cache, const char *path, struct build_id *id,
		  struct stat *st)
{
	struct stat own;
	__u64 hash;
	__u32 i;
	int err;

	memset(id, 0, sizeof(*id));
	if (!st)
		st = &own;
	if (stat(path, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -ENOEXEC;

	hash = hash_bytes(st->st_dev, &st->st_ino, sizeof(st->st_ino));
	if (cache && read_map_find(&cache->by_file, &hash, same_file, cache->list, st, &i)) {
		*id = cache->list[i].id;
		return id->size ? 0 : -ENOENT;
	}
	err = read_file_id(path, id);
	if (cache && err != -EACCES)
		keep(cache, hash, st, id);
	return err;
}

int build_id_notes(const char *path, struct build_id *id)
{
	struct image_reader notes = { .reader.read = read_image };
	struct pa_elf_id found;
	char *data;
	size_t len;
	int err;

	memset(id, 0, sizeof(*id));
	err = slurp(path, &data, &len);
	if (err)
		return err;
	notes.reader.size = len;
	notes.image = data;
	err = set_id(id, pa_elf_notes(&notes.reader, 0, len, 4, &found), &found);
	free(data);
	return err;
}

static int image_id(const void *image, size_t len, struct build_id *id)
{
	struct image_reader vdso = { { read_image, len }, image };
	struct pa_elf_id found;

	return set_id(id, pa_elf_id(&vdso.reader, &found), &found);
}

/* Return the end of our own vdso, or 0 if there is none. */
static unsigned long own_vdso_end(unsigned long base)
{
	unsigned long start, end, found = 0;
	char line[512];
	FILE *f;

	f = base ? fopen("/proc/self/maps", "re") : NULL;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == base)
			found = end;
	if (f)
		fclose(f);
	return found;
}

static int own_vdso_id(unsigned long long start, size_t len,
		       struct build_id *id)
{
	const unsigned long base = getauxval(AT_SYSINFO_EHDR);
	const unsigned long end = own_vdso_end(base);

	/* A program of another word size has another vdso, even if the size is the same. */
	if (!end || end - base != len || !(start >> 32) != !((__u64)base >> 32))
		return -ENOENT;
	return image_id((void *)base, len, id);
}

int build_id_vdso(pid_t pid, unsigned long long start, size_t len,
		  struct build_id *id)
{
	ssize_t n = -1;
	char path[64];
	void *image;
	int fd, err;

	memset(id, 0, sizeof(*id));
	if (len > VDSO_MAX)
		return -EFBIG;
	image = malloc(len);
	if (!image)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = pread(fd, image, len, start);
		close(fd);
	}
	/* A user who may know the address of a vdso may lack the right to read that vdso. */
	if (n == (ssize_t)len)
		err = image_id(image, len, id);
	else
		err = own_vdso_id(start, len, id);
	free(image);
	return err;
}

void build_id_cache_free(struct build_id_cache *cache)
{
	free(cache->list);
	read_map_free(&cache->by_file);
	*cache = (struct build_id_cache){ .list = NULL };
}
