// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that every file with a build-id has it in its mmap records while a
 * descriptor of PERFAUX_IOC_IDS is open: on all file systems, in each way of
 * mapping, cached or not. While no descriptor is open, the records are the kernel's
 * own.
 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"
#include "ids_place.h"

FIXTURE(files) {
	struct place place;
	struct map_ring ring;
	int wrong;
};

FIXTURE_VARIANT(files) {
	enum fs fs;
	enum kind kind;
	bool all_ways;		/* test all ways of mapping also cold */
};

FIXTURE_VARIANT_ADD(files, ext4) {
	.fs = FS_EXT4,
	.all_ways = true,
};

FIXTURE_VARIANT_ADD(files, tmpfs) {
	.fs = FS_TMPFS,
};

FIXTURE_VARIANT_ADD(files, bind) {
	.fs = FS_BIND,
};

FIXTURE_VARIANT_ADD(files, overlay_lower) {
	.fs = FS_OVERLAY_LOWER,
};

FIXTURE_VARIANT_ADD(files, overlay_upper) {
	.fs = FS_OVERLAY_UPPER,
};

FIXTURE_VARIANT_ADD(files, squashfs) {
	.fs = FS_SQUASHFS,
};

FIXTURE_VARIANT_ADD(files, xfs) {
	.fs = FS_XFS,
};

FIXTURE_VARIANT_ADD(files, btrfs) {
	.fs = FS_BTRFS,
};

FIXTURE_VARIANT_ADD(files, deleted) {
	.fs = FS_EXT4,
	.kind = KIND_DELETED,
};

FIXTURE_VARIANT_ADD(files, memfd) {
	.fs = FS_TMPFS,
	.kind = KIND_MEMFD,
};

FIXTURE_SETUP(files)
{
	struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &limit);
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, place_make(&self->place, variant->fs, variant->kind));
	if (self->place.tree.missing)
		SKIP(return, "this kernel has no %s", self->place.tree.missing);
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
}

FIXTURE_TEARDOWN(files)
{
	place_remove(&self->place);
}

/* All records of a pass over all files, in order */
struct pass {
	struct map_record *records;
	size_t nr;
};

static int run_pass(FIXTURE_DATA(files) *self, struct pass *pass)
{
	size_t i;
	int way;

	pass->records = calloc(self->place.set.nr * NR_WAYS, sizeof(*pass->records));
	pass->nr = 0;
	for (i = 0; i < self->place.set.nr; i++) {
		int fd;

		if (!place_has(&self->place, i))
			continue;
		fd = place_open(&self->place, i);
		for (way = 0; way < NR_WAYS; way++) {
			int ret = map_and_read(&self->ring, fd, way,
					       &pass->records[pass->nr++]);

			if (ret) {
				diag("%s, %s: %s", self->place.set.files[i].name,
				     way_names[way], strerror(-ret));
				close(fd);
				return ret;
			}
		}
		close(fd);
	}
	return 0;
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

/* Record what the kernel itself does, cold and warm. */
static int kernel_passes(FIXTURE_DATA(files) *self,
			 struct pass pass[2])
{
	int ret;

	place_drop(&self->place);
	ret = run_pass(self, &pass[0]);
	if (ret)
		return ret;
	place_read(&self->place);
	return run_pass(self, &pass[1]);
}

/* Without a descriptor the module must not change anything. */
static void check_without(FIXTURE_DATA(files) *self,
			  struct __test_metadata *_metadata)
{
	struct pass kernel[2], after[2];
	int fd, i;

	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, kernel_passes(self, kernel));
	ASSERT_EQ(0, ids_insert(NO_HURRY_US));
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, kernel_passes(self, after));

	TH_LOG("the kernel alone: %zu records, with an id: %zu cold, %zu warm",
	       kernel[0].nr, with_id(&kernel[0]), with_id(&kernel[1]));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, differences(&kernel[i], &after[i]));
	/* Some records have an id to compare. */
	EXPECT_LT(0, with_id(&kernel[1]));
	for (i = 0; i < 2; i++) {
		pass_free(&kernel[i]);
		pass_free(&after[i]);
	}
}

static void check_file(FIXTURE_DATA(files) *self, size_t i, enum way way,
		       const char *state)
{
	const struct elf_file *file = &self->place.set.files[i];
	struct id expected = id_in_record(&file->id);
	struct map_record record;
	int fd = place_open(&self->place, i);
	int ret = map_and_read(&self->ring, fd, way, &record);

	close(fd);
	if (!ret && id_equal(&expected, &record.id))
		return;
	/* check_stats() checks whether the id came. */
	if (!ret && elf_file_is_late(file) && !record.id.size)
		return;
	self->wrong++;
	diag("%s, %s, %s: %s, not %s", file->name, way_names[way], state,
	     ret ? strerror(-ret) : id_text(&record.id), id_text(&expected));
}

/* Insert the module again, so that it knows no file yet. */
static int fresh_module(void)
{
	int ret = module_remove_wait("perfaux");

	return ret ? ret : ids_insert(NO_HURRY_US);
}

/* Call this before a descriptor is open: checking later would read the pages. */
static void check_none_resident(FIXTURE_DATA(files) *self)
{
	size_t i;

	for (i = 0; i < self->place.set.nr; i++) {
		int n;

		if (!place_has(&self->place, i))
			continue;
		n = place_resident(&self->place, i);
		self->wrong += !!n;
		if (n)
			diag("%s: %d pages are in memory",
			     self->place.set.files[i].name, n);
	}
}

/* Map all files in one way; -1: in all ways in turn. */
static void check_all(FIXTURE_DATA(files) *self, int way,
		      const char *state)
{
	size_t i;

	for (i = 0; i < self->place.set.nr; i++)
		if (place_has(&self->place, i))
			check_file(self, i, way < 0 ? i % NR_WAYS : (size_t)way,
				   state);
}

/* Each of @passes over all files was counted with the right result. */
static void check_stats(FIXTURE_DATA(files) *self,
			struct __test_metadata *_metadata, int fd,
			unsigned int passes)
{
	struct perfaux_ids_stats stats;
	uint64_t nr = 0, ids = 0, i;

	for (i = 0; i < self->place.set.nr; i++) {
		nr += place_has(&self->place, i);
		ids += place_has(&self->place, i) &&
		       self->place.set.files[i].id.size;
	}
	ASSERT_TRUE(late_settled(fd));
	ASSERT_EQ(0, ids_stats(fd, &stats));
	for (i = 0; i < ARRAY_SIZE(stats.results); i++)
		stats.results[i] += stats.late[i];
	EXPECT_EQ(passes * ids, stats.results[PERFAUX_ID_FOUND]);
	EXPECT_EQ(passes * nr, stats.results[PERFAUX_ID_FOUND] +
		  stats.results[PERFAUX_ID_NO_NOTE] +
		  stats.results[PERFAUX_ID_NOT_ELF] +
		  stats.results[PERFAUX_ID_TRUNCATED] +
		  stats.results[PERFAUX_ID_TOO_LARGE]);
	EXPECT_GE(2 * passes, stats.results[PERFAUX_ID_DEFERRED]);
	EXPECT_EQ(0, stats.pending);
}

/* Map all files while none of their pages is in memory and none of their ids is known. */
static void check_all_cold(FIXTURE_DATA(files) *self,
			   struct __test_metadata *_metadata, int way)
{
	int fd;

	place_drop(&self->place);
	check_none_resident(self);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	check_all(self, way, "cold");
	check_stats(self, _metadata, fd, 1);
	close(fd);
}

/* All pages are in memory. Map each file once before its id is known, and then again. */
static void check_all_warm(FIXTURE_DATA(files) *self,
			   struct __test_metadata *_metadata)
{
	int way, fd;

	ASSERT_EQ(0, fresh_module());
	place_read(&self->place);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	check_all(self, -1, "warm");
	for (way = 0; way < NR_WAYS; way++)
		check_all(self, way, "known");
	check_stats(self, _metadata, fd, 1 + NR_WAYS);
	close(fd);
}

TEST_F_TIMEOUT(files, ids, SECONDS)
{
	int way;

	check_without(self, _metadata);
	for (way = 0; variant->all_ways && way < NR_WAYS; way++) {
		check_all_cold(self, _metadata, way);
		ASSERT_EQ(0, fresh_module());
	}
	if (fs_is_cold(variant->fs) && !variant->all_ways)
		check_all_cold(self, _metadata, -1);
	check_all_warm(self, _metadata);
	EXPECT_EQ(0, self->wrong);
}

TEST_HARNESS_MAIN
