// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for the ELF files, and for mapping them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ids_lib.h"
#include "../ring/lib/ring_lib.h"

#define PAGE		4096UL
#define DROP_CACHES	"/proc/sys/vm/drop_caches"
#define FILLS		"/sys/kernel/tracing/events/filemap/mm_filemap_add_to_page_cache/id"

const char * const way_names[NR_WAYS] = {
	"private", "shared", "offset", "mprotect",
};

bool id_equal(const struct id *a, const struct id *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

struct id id_in_record(const struct id *id)
{
	struct id part = *id;

	if (part.size > ID_RECORD_MAX)
		part.size = ID_RECORD_MAX;
	return part;
}

const char *id_text(const struct id *id)
{
	static char texts[8][2 * ID_MAX + 1];
	static unsigned int last;
	char *text = texts[++last % ARRAY_SIZE(texts)];
	uint32_t i;

	if (!id->size)
		return "none";
	for (i = 0; i < id->size && i < ID_MAX; i++)
		sprintf(text + 2 * i, "%02x", id->data[i]);
	return text;
}

int id_parse(const char *text, struct id *id)
{
	unsigned int byte;

	memset(id, 0, sizeof(*id));
	if (!strcmp(text, "none"))
		return 0;
	for (; *text; text += 2) {
		if (id->size == ID_MAX || sscanf(text, "%2x", &byte) != 1)
			return -EINVAL;
		id->data[id->size++] = byte;
	}
	return 0;
}

void diag(const char *format, ...)
{
	va_list args;

	fputs("# ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int read_line(struct elf_set *set, struct elf_file *file,
		     const char *line)
{
	char hex[2 * ID_MAX + 1], path[512];
	struct stat st;

	if (sscanf(line, "%63s %512s", file->name, hex) != 2 ||
	    id_parse(hex, &file->id))
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/%s", set->dir, file->name);
	if (stat(path, &st))
		return -errno;
	file->size = st.st_size;
	return 0;
}

int elf_set_read(struct elf_set *set)
{
	char path[512], line[2 * ID_MAX + 128];
	int ret = 0;
	FILE *list;

	memset(set, 0, sizeof(*set));
	set->dir = getenv("PERFAUX_ELF");
	if (!set->dir)
		set->dir = "/perfaux/build/selftests/ids/elf";
	snprintf(path, sizeof(path), "%s/list", set->dir);
	list = fopen(path, "re");
	if (!list)
		return -errno;
	set->files = calloc(256, sizeof(*set->files));
	while (!ret && set->nr < 256 && fgets(line, sizeof(line), list))
		ret = read_line(set, &set->files[set->nr++], line);
	fclose(list);
	return ret;
}

const struct elf_file *elf_set_find(const struct elf_set *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->files[i].name, name))
			return &set->files[i];
	return NULL;
}

bool elf_file_is_late(const struct elf_file *file)
{
	return !strncmp(file->name, "notes-", 6) && file->size > 64 * (off_t)PAGE;
}

void elf_set_free(struct elf_set *set)
{
	free(set->files);
}

static int copy_data(int in, int out, off_t from, off_t to)
{
	char buf[65536];

	while (from < to) {
		size_t want = to - from < (off_t)sizeof(buf) ?
			      (size_t)(to - from) : sizeof(buf);
		ssize_t n = pread(in, buf, want, from);

		if (n <= 0 || pwrite(out, buf, n, from) != n)
			return -EIO;
		from += n;
	}
	return 0;
}

int file_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	off_t data, hole = 0, size;
	int ret = 0;

	if (in < 0 || out < 0)
		return -errno;
	size = lseek(in, 0, SEEK_END);
	if (ftruncate(out, size))
		ret = -errno;
	while (!ret && hole < size) {
		data = lseek(in, hole, SEEK_DATA);
		if (data < 0)
			break;
		hole = lseek(in, data, SEEK_HOLE);
		ret = copy_data(in, out, data, hole);
	}
	close(in);
	close(out);
	return ret;
}

int elf_set_copy(const struct elf_set *set, const char *to, off_t max)
{
	char from[512], path[512];
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < set->nr; i++) {
		if (set->files[i].size > max)
			continue;
		snprintf(from, sizeof(from), "%s/%s", set->dir,
			 set->files[i].name);
		snprintf(path, sizeof(path), "%s/%s", to, set->files[i].name);
		ret = file_copy(from, path);
	}
	sync();
	return ret;
}

/*
 * Debian's 6.1.192 crashes when ext4 frees its first block after the caches were
 * dropped: ext4_mb_load_buddy_gfp() takes a page that is not in memory for one that
 * is. The root's disk has ext4, so on this kernel the tests drop files one by one.
 */
bool drop_caches(void)
{
	const char *kernel = getenv("PERFAUX_KERNEL");

	if (kernel && !strcmp(kernel, "6.1"))
		return false;
	file_write(DROP_CACHES, "3");
	return true;
}

void drop_file(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

int fills_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
	};
	char id[16];
	int fd;

	if (file_read(FILLS, id, sizeof(id)))
		return -ENOENT;
	attr.config = strtoull(id, NULL, 10);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

uint64_t fills_read(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count :
								  UINT64_MAX;
}

int map_file(int fd, enum way way)
{
	int prot = PROT_READ | (way == WAY_MPROTECT ? 0 : PROT_EXEC);
	void *map = mmap(NULL, PAGE, prot,
			 way == WAY_SHARED ? MAP_SHARED : MAP_PRIVATE, fd,
			 way == WAY_OFFSET ? PAGE : 0);
	int ret = 0;

	if (map == MAP_FAILED)
		return -errno;
	if (way == WAY_MPROTECT && mprotect(map, PAGE, PROT_READ | PROT_EXEC))
		ret = -errno;
	munmap(map, PAGE);
	return ret;
}

int map_path(const char *path, enum way way)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = map_file(fd, way);
	close(fd);
	return ret;
}

int map_and_read(struct map_ring *ring, int fd, enum way way,
		 struct map_record *record)
{
	struct map_record more;
	int ret;

	map_ring_clear(ring);
	ret = map_file(fd, way);
	if (ret)
		return ret;
	if (!map_ring_next(ring, record))
		return -ENODATA;
	return map_ring_next(ring, &more) ? -EEXIST : 0;
}

struct map_record map_elf(struct map_ring *ring, const struct elf_set *set, const char *name)
{
	struct map_record record = { 0 };
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", set->dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = map_and_read(ring, fd, WAY_PRIVATE, &record);
	if (ret)
		diag("%s: %s", path, strerror(-ret));
	close(fd);
	return record;
}
