// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are made to harm: damaged at random, with as many headers and notes
 * as there can be, and cut off while they are mapped. Each mapping takes a bounded
 * time, and an id is the one that the parser itself finds in the same bytes.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/ring_lib.h"
#include "ids_fs.h"
#include "ids_lib.h"
#include "../../module/elf_id.h"

#define DAMAGED		600
#define CUTS		2000
#define MAX_SIZE	(64U << 10)

/* Emulated, on a busy machine: 131072 headers, 8192 notes. */
#define MAP_NS		3000000000ULL

FIXTURE(hostile) {
	struct elf_set set;
	struct fs_tree tree;
	struct map_ring ring;
	struct rnd rnd;
	uint8_t *bytes;
	size_t size;
	char path[256];
	int fd;
};

FIXTURE_VARIANT(hostile) {
	enum fs fs;
};

FIXTURE_VARIANT_ADD(hostile, ext4) { .fs = FS_EXT4 };
FIXTURE_VARIANT_ADD(hostile, tmpfs) { .fs = FS_TMPFS };

FIXTURE_SETUP(hostile)
{
	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	module_insert("perfaux", "");
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, fs_make(&self->tree, variant->fs));
	ASSERT_EQ(0, fs_seal(&self->tree));
	snprintf(self->path, sizeof(self->path), "%s/file", self->tree.dir);
	self->bytes = calloc(1, 16 << 20);
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(hostile)
{
	fs_remove(&self->tree);
}

/* The same parser, on the bytes as they are here. */
struct memory_reader {
	struct pa_elf_reader reader;
	const uint8_t *bytes;
};

static int memory_read(struct pa_elf_reader *reader, u64 offset, void *buf,
		       u32 len)
{
	struct memory_reader *r = (struct memory_reader *)reader;

	memcpy(buf, r->bytes + offset, len);
	return 0;
}

static struct id find_id(const uint8_t *bytes, size_t size)
{
	struct memory_reader r = {
		.reader = { .read = memory_read, .size = size },
		.bytes = bytes,
	};
	struct id id = { 0 };
	struct pa_elf_id found;

	if (!pa_elf_id(&r.reader, &found)) {
		id.size = found.size;
		memcpy(id.data, found.data, found.size);
	}
	return id;
}

static bool load(FIXTURE_DATA(hostile) *self, const struct elf_file *file)
{
	char path[256];
	int fd;

	if (!file->size || file->size > MAX_SIZE)
		return false;
	snprintf(path, sizeof(path), "%s/%s", self->set.dir, file->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	self->size = read(fd, self->bytes, MAX_SIZE);
	close(fd);
	return self->size == (size_t)file->size;
}

static int store(FIXTURE_DATA(hostile) *self)
{
	int fd = open(self->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (pwrite(fd, self->bytes, self->size, 0) != (ssize_t)self->size)
		return -1;
	return fd;
}

/* Where it hurts: the ELF header, the tables, notes; sizes at their limits. */
static void damage(FIXTURE_DATA(hostile) *self)
{
	static const uint64_t values[] = {
		0, 1, 3, 4, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
		0xffff, 0x7fffffffffffffff, 0xfffffffffffffff0, UINT64_MAX,
	};
	const Elf64_Ehdr *ehdr = (void *)self->bytes;
	uint32_t n = 1 + rnd_below(&self->rnd, 4);
	size_t at;

	while (n--) {
		uint64_t value = values[rnd_below(&self->rnd,
						  ARRAY_SIZE(values))];
		size_t width = 1U << rnd_below(&self->rnd, 4);

		switch (rnd_below(&self->rnd, 4)) {
		case 0:
			at = rnd_below(&self->rnd, sizeof(*ehdr));
			break;
		case 1:
			at = ehdr->e_phoff % self->size +
			     rnd_below(&self->rnd, 14 * sizeof(Elf64_Phdr));
			break;
		case 2:
			at = ehdr->e_shoff % self->size +
			     rnd_below(&self->rnd, 30 * sizeof(Elf64_Shdr));
			break;
		default:
			at = rnd_below(&self->rnd, self->size);
		}
		if (at + width <= self->size)
			memcpy(self->bytes + at, &value, width);
	}
}

/* Maps it; returns how long that took, or 0 if the id is wrong. */
static uint64_t check(FIXTURE_DATA(hostile) *self, int fd,
		      const struct id *found)
{
	struct id expected = id_in_record(found);
	struct map_record record;
	uint64_t begin = now_ns();
	int ret = map_and_read(&self->ring, fd, WAY_PRIVATE, &record);

	begin = now_ns() - begin;
	if (!ret && id_equal(&expected, &record.id))
		return begin;
	diag("%s, not %s", ret ? strerror(-ret) : id_text(&record.id),
	     id_text(&expected));
	return 0;
}

TEST_F_TIMEOUT(hostile, damaged, SECONDS)
{
	uint64_t time, longest = 0, with_id = 0;
	int i, fd;

	for (i = 0; i < DAMAGED; i++) {
		struct id id;

		if (!load(self, &self->set.files[i % self->set.nr]))
			continue;
		damage(self);
		id = find_id(self->bytes, self->size);
		fd = store(self);
		ASSERT_LE(0, fd);
		time = check(self, fd, &id);
		close(fd);
		ASSERT_NE(0, time)
			TH_LOG("case %d", i);
		longest = time > longest ? time : longest;
		with_id += !!id.size;
	}
	TH_LOG("%lu with an id, the longest took %lu us", with_id,
	       longest / 1000);
	EXPECT_LT(0, with_id);
	EXPECT_GT(MAP_NS, longest);
}

/* All there can be: the header counts 65535 segments, 2^32 sections. */
static void make_endless(FIXTURE_DATA(hostile) *self, bool note_loop)
{
	Elf64_Ehdr *ehdr = (void *)self->bytes;
	Elf64_Shdr *first = (void *)(self->bytes + 64);
	size_t i;

	memset(self->bytes, 0, 16 << 20);
	self->size = 16 << 20;
	memcpy(ehdr->e_ident, ELFMAG, SELFMAG);
	ehdr->e_ident[EI_CLASS] = ELFCLASS64;
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_type = ET_DYN;
	ehdr->e_phoff = 4096;
	ehdr->e_phnum = PN_XNUM;
	ehdr->e_phentsize = sizeof(Elf64_Phdr);
	ehdr->e_shoff = 64;
	ehdr->e_shnum = 0;
	ehdr->e_shentsize = sizeof(Elf64_Shdr);
	first->sh_size = UINT64_MAX;
	first->sh_info = UINT32_MAX;
	for (i = 4096; note_loop && i + 56 <= self->size; i += 56) {
		Elf64_Phdr *phdr = (void *)(self->bytes + i);

		/* All of the file, over and over: notes of no size. */
		phdr->p_type = PT_NOTE;
		phdr->p_offset = 128;
		phdr->p_filesz = UINT64_MAX >> (i % 64);
		phdr->p_align = 4;
	}
}

TEST_F_TIMEOUT(hostile, endless_tables, SECONDS)
{
	struct id none = { 0 };
	uint64_t time;
	int fd, loop;

	for (loop = 0; loop < 2; loop++) {
		make_endless(self, loop);
		none = find_id(self->bytes, self->size);
		EXPECT_EQ(0, none.size);
		fd = store(self);
		ASSERT_LE(0, fd);
		time = check(self, fd, &none);
		close(fd);
		TH_LOG("%lu us", time / 1000);
		EXPECT_NE(0, time);
		EXPECT_GT(MAP_NS, time);
	}
	EXPECT_LE(1, ids_result(self->fd, PERFAUX_ID_TOO_LARGE));
}

/* Cuts the file off and writes it again, as fast as it can. */
static void cut_fn(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	struct rnd rnd = { .state = self->rnd.state + 1 };
	int fd = open(self->path, O_WRONLY | O_CLOEXEC);

	for (;;) {
		/* Often in its first page, where the id is. */
		size_t to = rnd_below(&rnd, rnd_next(&rnd) % 2 ? 1024 :
				      self->size);

		if (ftruncate(fd, to) ||
		    pwrite(fd, self->bytes + to, self->size - to, to) < 0)
			_exit(1);
	}
}

TEST_F_TIMEOUT(hostile, cut_while_mapped, SECONDS)
{
	const struct elf_file *file = elf_set_find(&self->set, "lib.so");
	uint64_t found = 0, missing = 0, wrong = 0, end;
	struct map_record record;
	struct child child;
	int i, fd;

	ASSERT_TRUE(load(self, file));
	fd = store(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, child_start(&child, cut_fn, self));
	child_go(&child);
	end = now_ns() + 20000000000ULL;
	for (i = 0; i < CUTS || !missing || !found; i++) {
		ASSERT_EQ(0, map_and_read(&self->ring, fd, i % NR_WAYS,
					  &record));
		if (!record.id.size)
			missing++;
		else if (id_equal(&file->id, &record.id))
			found++;
		else
			wrong++;
		if (now_ns() > end)
			break;
	}
	EXPECT_EQ(0, waitpid(child.pid, NULL, WNOHANG));
	child_kill(&child);
	TH_LOG("%lu with the id, %lu without", found, missing);
	/* Zeros, where a note was being written, are no id. */
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, found);
	EXPECT_LT(0, missing);
	/* And when it is whole again: */
	close(fd);
	fd = store(self);
	EXPECT_NE(0, check(self, fd, &file->id));
	close(fd);
}

TEST_HARNESS_MAIN
