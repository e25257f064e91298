// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a session of ids changes nothing for others: their records, files that
 * are not in memory, and holes of files.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

FIXTURE(others) {
	struct elf_set set;
	struct map_ring ring;
	int fd;
};

FIXTURE_SETUP(others)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(others)
{
}

/*
 * A record has an id only if its own event asked for one, whatever other events
 * asked for.
 */
TEST_F(others, records_of_others)
{
	const struct elf_file *file = elf_set_find(&self->set, "lib.so");
	struct map_record record;
	struct map_ring others[2];
	char path[256];
	struct stat st;
	int i;

	/*
	 * One event is before the fixture's event in the task's list, and one is
	 * after it.
	 */
	map_ring_close(&self->ring);
	ASSERT_EQ(0, map_ring_open_kind(&others[0], 0, MAP_PLAIN));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	ASSERT_EQ(0, map_ring_open_kind(&others[1], 0, MAP_PLAIN));
	snprintf(path, sizeof(path), "%s/lib.so", self->set.dir);
	ASSERT_EQ(0, stat(path, &st));
	for (i = 0; i < 2; i++)
		map_ring_clear(&others[i]);
	record = map_elf(&self->ring, &self->set, "lib.so");
	EXPECT_TRUE(id_equal(&file->id, &record.id));
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(map_ring_next(&others[i], &record));
		EXPECT_EQ(0, record.id.size)
			TH_LOG("ring %d: %s", i, id_text(&record.id));
		EXPECT_EQ(st.st_ino, record.ino);
		EXPECT_EQ(st.st_dev, record.dev);
		EXPECT_FALSE(map_ring_next(&others[i], &record));
		map_ring_close(&others[i]);
	}
}

#define NR_COLD	300

/* Files that a program maps, and how many pages it read for that */
struct cold {
	int fds[NR_COLD];
	int prot;
	uint64_t *filled;
};

static int make_cold(FIXTURE_DATA(others) *self, struct cold *cold, const char *dir)
{
	char from[256], to[64];
	int i;

	snprintf(from, sizeof(from), "%s/lib.so", self->set.dir);
	for (i = 0; i < NR_COLD; i++) {
		snprintf(to, sizeof(to), "%s/%d", dir, i);
		if (file_copy(from, to))
			return -EIO;
		cold->fds[i] = open(to, O_RDONLY | O_CLOEXEC);
		if (cold->fds[i] < 0 || fsync(cold->fds[i]))
			return -errno;
	}
	return 0;
}

static void map_cold_fn(void *arg)
{
	struct cold *cold = arg;
	int i, fills = fills_open();

	if (fills < 0)
		_exit(1);
	for (i = 0; i < NR_COLD; i++)
		if (mmap(NULL, 4096, cold->prot, MAP_PRIVATE, cold->fds[i], 0) ==
		    MAP_FAILED)
			_exit(2);
	*cold->filled = fills_read(fills);
	_exit(0);
}

/*
 * Map the files, none of which is in memory, in a new process. An event of @kind
 * takes the records; NULL: no event does. Return the pages that were read.
 */
static uint64_t map_cold(FIXTURE_DATA(others) *self, struct cold *cold, int prot,
			 const enum map_kind *kind)
{
	struct child child;
	int i;

	for (i = 0; i < NR_COLD; i++)
		drop_file(cold->fds[i]);
	cold->prot = prot;
	*cold->filled = UINT64_MAX;
	if (child_start(&child, map_cold_fn, cold))
		return UINT64_MAX;
	map_ring_close(&self->ring);
	if (map_ring_open_kind(&self->ring, kind ? child.pid : 0,
			       kind ? *kind : MAP_IDS))
		return UINT64_MAX;
	child_go(&child);
	return child_wait(&child) ? UINT64_MAX : *cold->filled;
}

/* Return how many of the records have an id. */
static int ids_recorded(FIXTURE_DATA(others) *self)
{
	struct map_record record;
	int nr = 0;

	while (map_ring_next(&self->ring, &record))
		nr += !!record.id.size;
	return nr;
}

/*
 * A task that is not recorded, or that maps data, reads nothing from a disk because
 * of ids.
 */
TEST_F(others, nobody_else_reads)
{
	const enum map_kind code = MAP_IDS, data = MAP_DATA, plain = MAP_PLAIN;
	const int exec = PROT_READ | PROT_EXEC;
	char dir[] = "/var/tmp/ids-cold.XXXXXX", command[64];
	struct cold cold;
	int i;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, make_cold(self, &cold, dir));
	cold.filled = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT_EQ(0, map_cold(self, &cold, PROT_READ, NULL));
	EXPECT_EQ(0, map_cold(self, &cold, exec, NULL));
	EXPECT_EQ(0, map_cold(self, &cold, PROT_READ, &code));
	EXPECT_EQ(0, map_cold(self, &cold, exec, &plain));
	EXPECT_EQ(0, map_cold(self, &cold, PROT_READ, &data));
	EXPECT_EQ(0, ids_recorded(self));
	/* The id must be read, and it is read for every event that wants it. */
	EXPECT_LE(NR_COLD, map_cold(self, &cold, exec, &code));
	EXPECT_EQ(NR_COLD, ids_recorded(self));
	/* The record of data has an id if it is in memory or cached. */
	EXPECT_EQ(0, map_cold(self, &cold, PROT_READ, &data));
	for (i = 0; i < NR_COLD; i++) {
		char page[4096];

		EXPECT_EQ(4096, pread(cold.fds[i], page, 4096, 0));
	}
	map_ring_clear(&self->ring);
	close(self->fd);
	self->fd = ids_open(0);
	map_ring_close(&self->ring);
	ASSERT_EQ(0, map_ring_open_kind(&self->ring, 0, MAP_DATA));
	for (i = 0; i < NR_COLD; i++)
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, cold.fds[i], 0), 4096);
	EXPECT_EQ(NR_COLD, ids_recorded(self));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

/* Looking for an id in a hole of a file allocates no memory. */
TEST_F(others, holes_stay)
{
	int fd = memfd_create("hole", MFD_CLOEXEC), way;
	struct map_record record;
	struct stat st;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 1 << 20));
	for (way = 0; way < NR_WAYS; way++) {
		ASSERT_EQ(0, map_and_read(&self->ring, fd, way, &record));
		EXPECT_EQ(0, record.id.size);
	}
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(0, st.st_blocks);
	EXPECT_EQ(NR_WAYS, ids_result(self->fd, PERFAUX_ID_NOT_ELF));
	close(fd);
}

TEST_HARNESS_MAIN
