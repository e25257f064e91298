// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a rewritten file has its new id when it is mapped the next time,
 * however soon that is, and however the file was written.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_fs.h"
#include "ids_lib.h"

#define TIMES		200
#define PAGE		4096

/* The build-id of this file is in the file's first page. */
#define ORIGINAL	"lib.so"

FIXTURE(change) {
	struct fs_tree tree;
	struct map_ring ring;
	struct rnd rnd;
	uint8_t *bytes;		/* the new contents of the file */
	size_t size;
	size_t id_at;
	struct id id;
	char path[256];
	char other[256];
	int fd;			/* the session */
	uint8_t *held;		/* a mapping that stays for the whole test */
};

FIXTURE_VARIANT(change) {
	enum fs fs;
};

FIXTURE_VARIANT_ADD(change, ext4) { .fs = FS_EXT4 };
FIXTURE_VARIANT_ADD(change, tmpfs) { .fs = FS_TMPFS };
FIXTURE_VARIANT_ADD(change, overlay) { .fs = FS_OVERLAY_UPPER };
FIXTURE_VARIANT_ADD(change, xfs) { .fs = FS_XFS };
FIXTURE_VARIANT_ADD(change, btrfs) { .fs = FS_BTRFS };

static int read_original(FIXTURE_DATA(change) *self)
{
	const struct elf_file *file;
	struct elf_set set;
	char path[256];
	int fd, ret;

	ret = elf_set_read(&set);
	if (ret)
		return ret;
	file = elf_set_find(&set, ORIGINAL);
	if (!file)
		return -ENOENT;
	self->id = file->id;
	self->size = file->size;
	self->bytes = aligned_alloc(PAGE, (self->size + PAGE - 1) & ~(PAGE - 1));
	snprintf(path, sizeof(path), "%s/%s", set.dir, file->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (read(fd, self->bytes, self->size) != (ssize_t)self->size)
		return -EIO;
	close(fd);
	elf_set_free(&set);
	self->id_at = (uint8_t *)memmem(self->bytes, PAGE, self->id.data,
					self->id.size) - self->bytes;
	return self->id_at < PAGE ? 0 : -EINVAL;
}

static int write_all(const FIXTURE_DATA(change) *self, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n = write(fd, self->bytes, self->size);

	close(fd);
	return n == (ssize_t)self->size ? 0 : -1;
}

FIXTURE_SETUP(change)
{
	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, read_original(self));
	ASSERT_EQ(0, fs_make(&self->tree, variant->fs));
	if (self->tree.missing)
		SKIP(return, "this kernel has no %s", self->tree.missing);
	ASSERT_EQ(0, fs_seal(&self->tree));
	snprintf(self->path, sizeof(self->path), "%s/file", self->tree.dir);
	snprintf(self->other, sizeof(self->other), "%s/other", self->tree.dir);
	ASSERT_EQ(0, write_all(self, self->path));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(change)
{
	fs_remove(&self->tree);
}

static void new_id(FIXTURE_DATA(change) *self)
{
	uint32_t i;

	for (i = 0; i < self->id.size; i++)
		self->id.data[i] = rnd_next(&self->rnd);
	memcpy(self->bytes + self->id_at, self->id.data, self->id.size);
}

static int by_write(FIXTURE_DATA(change) *self)
{
	int fd = open(self->path, O_WRONLY | O_CLOEXEC);
	ssize_t n = pwrite(fd, self->id.data, self->id.size, self->id_at);

	close(fd);
	return n == self->id.size ? 0 : -1;
}

static int by_direct_write(FIXTURE_DATA(change) *self)
{
	int fd = open(self->path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	ssize_t n = pwrite(fd, self->bytes, PAGE, 0);

	close(fd);
	return n == PAGE ? 0 : -1;
}

static int by_truncate(FIXTURE_DATA(change) *self)
{
	return truncate(self->path, 0) ? -1 : write_all(self, self->path);
}

static int by_rename(FIXTURE_DATA(change) *self)
{
	return write_all(self, self->other) ? -1 :
	       rename(self->other, self->path);
}

static uint8_t *map_shared(const FIXTURE_DATA(change) *self)
{
	int fd = open(self->path, O_RDWR | O_CLOEXEC);
	void *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return map;
}

static int by_mapping(FIXTURE_DATA(change) *self)
{
	uint8_t *map = map_shared(self);

	if (map == MAP_FAILED)
		return -1;
	memcpy(map + self->id_at, self->id.data, self->id.size);
	return munmap(map, PAGE);
}

/* Write through one mapping that is writable all the time. */
static int by_held_mapping(FIXTURE_DATA(change) *self)
{
	if (!self->held)
		self->held = map_shared(self);
	memcpy(self->held + self->id_at, self->id.data, self->id.size);
	return 0;
}

typedef int (*change_fn)(FIXTURE_DATA(change) *self);

/* Sometimes map the file once more, so that its id may be cached. */
static void change_often(FIXTURE_DATA(change) *self,
			 struct __test_metadata *_metadata, change_fn change)
{
	struct map_record record;
	int wrong = 0, i, again, fd;

	for (i = 0; i < TIMES; i++) {
		new_id(self);
		ASSERT_EQ(0, change(self)) TH_LOG("%m");
		fd = open(self->path, O_RDONLY | O_CLOEXEC);
		for (again = i % 3; again >= 0; again--) {
			ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE,
						  &record));
			wrong += !id_equal(&self->id, &record.id);
		}
		close(fd);
	}
	EXPECT_EQ(0, wrong);
}

TEST_F_TIMEOUT(change, by_write, SECONDS)
{
	change_often(self, _metadata, by_write);
}

TEST_F_TIMEOUT(change, by_direct_write, SECONDS)
{
	int fd = open(self->path, O_WRONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0) {
		/* tmpfs before 6.6 does not support this way of writing. */
		ASSERT_EQ(EINVAL, errno);
		return;
	}
	close(fd);
	change_often(self, _metadata, by_direct_write);
}

TEST_F_TIMEOUT(change, by_truncate, SECONDS)
{
	change_often(self, _metadata, by_truncate);
}

TEST_F_TIMEOUT(change, by_rename, SECONDS)
{
	change_often(self, _metadata, by_rename);
}

TEST_F_TIMEOUT(change, by_mapping, SECONDS)
{
	change_often(self, _metadata, by_mapping);
}

TEST_F_TIMEOUT(change, by_held_mapping, SECONDS)
{
	change_often(self, _metadata, by_held_mapping);
}

/* Write the new id when told to. */
static void write_fn(void *arg)
{
	_exit(by_write(arg) ? 1 : 0);
}

/* An id that was read while the file was being written is not cached. */
TEST_F_TIMEOUT(change, while_mapped, SECONDS)
{
	int wrong = 0, fd, i, status;
	struct map_record record;
	struct child child;

	fd = open(self->path, O_RDONLY | O_CLOEXEC);
	for (i = 0; i < TIMES / 4; i++) {
		new_id(self);
		ASSERT_EQ(0, child_start(&child, write_fn, self));
		child_go(&child);
		do {
			ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE,
						  &record));
		} while (!waitpid(child.pid, &status, WNOHANG));
		EXPECT_EQ(0, status);
		ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE,
					  &record));
		wrong += !id_equal(&self->id, &record.id);
	}
	EXPECT_EQ(0, wrong);
	close(fd);
}

TEST_HARNESS_MAIN
