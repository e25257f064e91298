// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every file that has a build-id has it in its mmap records while a descriptor
 * of PERFAUX_IOC_IDS is open: on all file systems, in whatever way it is mapped,
 * cached or not. While none is open the records are the kernel's own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "../ring/ring_lib.h"
#include "ids_fs.h"
#include "ids_lib.h"

#define SECONDS		120

/* What a file system whose files are packed need not hold. */
#define PACKED_MAX	(8LL << 20)
#define NO_MAX		INT64_MAX

/* So much is read of each end of a file. */
#define END_SIZE	65536

/* How the files come to be there. */
enum kind {
	KIND_PATH,
	KIND_DELETED,
	KIND_MEMFD,
};

FIXTURE(files) {
	struct elf_set set;
	struct fs_tree tree;
	struct map_ring ring;
	int *fds;		/* of files that have no name */
	int wrong;
};

FIXTURE_VARIANT(files) {
	enum fs fs;
	enum kind kind;
	off_t max;
	bool all_ways;		/* also cold */
};

FIXTURE_VARIANT_ADD(files, ext4) {
	.fs = FS_EXT4,
	.max = NO_MAX,
	.all_ways = true,
};

FIXTURE_VARIANT_ADD(files, tmpfs) {
	.fs = FS_TMPFS,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, bind) {
	.fs = FS_BIND,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, overlay_lower) {
	.fs = FS_OVERLAY_LOWER,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, overlay_upper) {
	.fs = FS_OVERLAY_UPPER,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, squashfs) {
	.fs = FS_SQUASHFS,
	.max = PACKED_MAX,
};

FIXTURE_VARIANT_ADD(files, xfs) {
	.fs = FS_XFS,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, btrfs) {
	.fs = FS_BTRFS,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, deleted) {
	.fs = FS_EXT4,
	.kind = KIND_DELETED,
	.max = NO_MAX,
};

FIXTURE_VARIANT_ADD(files, memfd) {
	.fs = FS_TMPFS,
	.kind = KIND_MEMFD,
	.max = NO_MAX,
};

static int elf_open(const struct fs_tree *tree, const struct elf_file *file)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", tree->dir, file->name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Of a file in tmpfs; its own name is not in its records. */
static int elf_memfd(const struct fs_tree *tree, const struct elf_file *file)
{
	int fd = memfd_create(file->name, MFD_CLOEXEC);
	char from[256], to[64];

	snprintf(from, sizeof(from), "%s/%s", tree->dir, file->name);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", fd);
	return file_copy(from, to) ? -1 : fd;
}

static int open_nameless(FIXTURE_DATA(files) *self, enum kind kind)
{
	const struct elf_file *file;
	char path[256];
	size_t i;

	self->fds = calloc(self->set.nr, sizeof(*self->fds));
	for (i = 0; i < self->set.nr; i++) {
		file = &self->set.files[i];
		self->fds[i] = kind == KIND_MEMFD ?
			       elf_memfd(&self->tree, file) :
			       elf_open(&self->tree, file);
		if (self->fds[i] < 0)
			return -1;
		snprintf(path, sizeof(path), "%s/%s", self->tree.dir,
			 file->name);
		unlink(path);
	}
	return 0;
}

FIXTURE_SETUP(files)
{
	struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &limit);
	module_insert("perfaux", "");
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, fs_make(&self->tree, variant->fs));
	if (self->tree.missing)
		SKIP(return, "this kernel has no %s", self->tree.missing);
	ASSERT_EQ(0, elf_set_copy(&self->set, self->tree.fill, variant->max));
	ASSERT_EQ(0, fs_seal(&self->tree));
	if (variant->kind != KIND_PATH)
		ASSERT_EQ(0, open_nameless(self, variant->kind));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
}

FIXTURE_TEARDOWN(files)
{
	fs_remove(&self->tree);
}

/* All records of a pass over all files, in order. */
struct pass {
	struct map_record *records;
	size_t nr;
};

static int fd_of(FIXTURE_DATA(files) *self, size_t i)
{
	return self->fds ? dup(self->fds[i]) :
	       elf_open(&self->tree, &self->set.files[i]);
}

static int run_pass(FIXTURE_DATA(files) *self, off_t max, struct pass *pass)
{
	size_t i;
	int way;

	pass->records = calloc(self->set.nr * NR_WAYS, sizeof(*pass->records));
	pass->nr = 0;
	for (i = 0; i < self->set.nr; i++) {
		int fd;

		if (self->set.files[i].size > max)
			continue;
		fd = fd_of(self, i);
		for (way = 0; way < NR_WAYS; way++) {
			int ret = map_and_read(&self->ring, fd, way,
					       &pass->records[pass->nr++]);

			if (ret) {
				diag("%s, %s: %s", self->set.files[i].name,
				     way_names[way], strerror(-ret));
				close(fd);
				return ret;
			}
		}
		close(fd);
	}
	return 0;
}

/* All of the files, but for the holes of large ones. */
static void read_all(FIXTURE_DATA(files) *self, off_t max)
{
	static char buf[END_SIZE];
	size_t i;

	for (i = 0; i < self->set.nr; i++) {
		off_t size = self->set.files[i].size, at = size - END_SIZE;
		int fd;

		if (size > max)
			continue;
		fd = fd_of(self, i);
		if (pread(fd, buf, sizeof(buf), 0) < 0 ||
		    (at > 0 && pread(fd, buf, sizeof(buf), at) < 0))
			diag("%s: %m", self->set.files[i].name);
		close(fd);
	}
}

static size_t differences(const struct pass *a, const struct pass *b)
{
	size_t n = 0, i;

	for (i = 0; i < a->nr && i < b->nr; i++)
		n += !map_record_same(&a->records[i], &b->records[i]);
	return n + (a->nr > b->nr ? a->nr - b->nr : b->nr - a->nr);
}

static size_t with_id(const struct pass *pass)
{
	size_t n = 0, i;

	for (i = 0; i < pass->nr; i++)
		n += !!pass->records[i].id.size;
	return n;
}

static void pass_free(struct pass *pass)
{
	free(pass->records);
}

static void drop_all(FIXTURE_DATA(files) *self, off_t max)
{
	size_t i;

	if (drop_caches())
		return;
	for (i = 0; i < self->set.nr; i++) {
		int fd;

		if (self->set.files[i].size > max)
			continue;
		fd = fd_of(self, i);
		drop_file(fd);
		close(fd);
	}
}

/* What the kernel itself does, cold and warm. */
static int kernel_passes(FIXTURE_DATA(files) *self, off_t max,
			 struct pass pass[2])
{
	int ret;

	drop_all(self, max);
	ret = run_pass(self, max, &pass[0]);
	if (ret)
		return ret;
	read_all(self, max);
	return run_pass(self, max, &pass[1]);
}

/* Without a descriptor the module is not to be noticed. */
static void check_without(FIXTURE_DATA(files) *self,
			  struct __test_metadata *_metadata, off_t max)
{
	struct pass kernel[2], after[2];
	int fd, i;

	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, kernel_passes(self, max, kernel));
	ASSERT_EQ(0, module_insert("perfaux", ""));
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, kernel_passes(self, max, after));

	TH_LOG("the kernel alone: %zu records, with an id: %zu cold, %zu warm",
	       kernel[0].nr, with_id(&kernel[0]), with_id(&kernel[1]));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, differences(&kernel[i], &after[i]));
	/* There is something to compare. */
	EXPECT_LT(0, with_id(&kernel[1]));
	for (i = 0; i < 2; i++) {
		pass_free(&kernel[i]);
		pass_free(&after[i]);
	}
}

static void check_file(FIXTURE_DATA(files) *self, size_t i, enum way way,
		       const char *state)
{
	const struct elf_file *file = &self->set.files[i];
	struct id expected = id_in_record(&file->id);
	struct map_record record;
	int fd = fd_of(self, i);
	int ret = map_and_read(&self->ring, fd, way, &record);

	close(fd);
	if (!ret && id_equal(&expected, &record.id))
		return;
	self->wrong++;
	diag("%s, %s, %s: %s, not %s", file->name, way_names[way], state,
	     ret ? strerror(-ret) : id_text(&record.id), id_text(&expected));
}

/* A module that knows no file yet. */
static int fresh_module(void)
{
	int ret = module_remove_wait("perfaux");

	return ret ? ret : module_insert("perfaux", "");
}

/* Pages of a file that are in memory; of a large one its two ends are looked at. */
static int resident(int fd, off_t size)
{
	size_t length = size < END_SIZE ? size : END_SIZE;
	off_t at = size > END_SIZE ? (size - END_SIZE) & ~4095LL : 0;
	unsigned char pages[2 * END_SIZE / 4096 + 1] = { 0 };
	int n = 0, end;
	size_t i;

	for (end = 0; length && end < 2; end++) {
		off_t from = end ? at : 0;
		void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, from);

		mincore(map, length, pages);
		munmap(map, length);
		for (i = 0; i * 4096 < length; i++)
			n += pages[i] & 1;
	}
	return n;
}

/* Before a descriptor is open: to look would read what is looked for. */
static void check_none_resident(FIXTURE_DATA(files) *self, off_t max)
{
	size_t i;

	for (i = 0; i < self->set.nr; i++) {
		int fd, n;

		if (self->set.files[i].size > max)
			continue;
		fd = fd_of(self, i);
		n = resident(fd, self->set.files[i].size);
		close(fd);
		self->wrong += !!n;
		if (n)
			diag("%s: %d pages are in memory",
			     self->set.files[i].name, n);
	}
}

/* All files, in one way; -1: in all by turns. */
static void check_all(FIXTURE_DATA(files) *self, off_t max, int way,
		      const char *state)
{
	size_t i;

	for (i = 0; i < self->set.nr; i++)
		if (self->set.files[i].size <= max)
			check_file(self, i, way < 0 ? i % NR_WAYS : (size_t)way,
				   state);
}

/* Each of @passes over all files was counted, for what they are. */
static void check_stats(FIXTURE_DATA(files) *self,
			struct __test_metadata *_metadata, off_t max, int fd,
			unsigned int passes)
{
	struct perfaux_ids_stats stats;
	uint64_t nr = 0, ids = 0, i;

	for (i = 0; i < self->set.nr; i++) {
		nr += self->set.files[i].size <= max;
		ids += self->set.files[i].size <= max &&
		       self->set.files[i].id.size;
	}
	ASSERT_EQ(0, ids_stats(fd, &stats));
	EXPECT_EQ(passes * ids, stats.results[PERFAUX_ID_FOUND]);
	EXPECT_EQ(passes * nr, stats.results[PERFAUX_ID_FOUND] +
		  stats.results[PERFAUX_ID_NO_NOTE] +
		  stats.results[PERFAUX_ID_NOT_ELF] +
		  stats.results[PERFAUX_ID_TRUNCATED] +
		  stats.results[PERFAUX_ID_TOO_LARGE]);
	EXPECT_EQ(0, stats.pending);
}

/* Nothing of a file is in memory, and its id is not known. */
static void check_all_cold(FIXTURE_DATA(files) *self,
			   struct __test_metadata *_metadata, off_t max, int way)
{
	int fd;

	drop_all(self, max);
	check_none_resident(self, max);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	check_all(self, max, way, "cold");
	check_stats(self, _metadata, max, fd, 1);
	close(fd);
}

/* All of it is; it is mapped once before its id is known, and then again. */
static void check_all_warm(FIXTURE_DATA(files) *self,
			   struct __test_metadata *_metadata, off_t max)
{
	int way, fd;

	ASSERT_EQ(0, fresh_module());
	read_all(self, max);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	check_all(self, max, -1, "warm");
	for (way = 0; way < NR_WAYS; way++)
		check_all(self, max, way, "known");
	check_stats(self, _metadata, max, fd, 1 + NR_WAYS);
	close(fd);
}

TEST_F_TIMEOUT(files, ids, SECONDS)
{
	int way;

	check_without(self, _metadata, variant->max);
	for (way = 0; variant->all_ways && way < NR_WAYS; way++) {
		check_all_cold(self, _metadata, variant->max, way);
		ASSERT_EQ(0, fresh_module());
	}
	if (fs_is_cold(variant->fs) && !variant->all_ways)
		check_all_cold(self, _metadata, variant->max, -1);
	check_all_warm(self, _metadata, variant->max);
	EXPECT_EQ(0, self->wrong);
}

TEST_HARNESS_MAIN
