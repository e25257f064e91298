// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of races: tasks map files, fork and exec while descriptors are opened and
 * closed and the module is inserted and removed. An id is right, or, if nobody
 * asks, the kernel's own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define STORM_THREADS	8
#define STORM_NS	3000000000ULL

FIXTURE(races) {
	struct elf_set set;
	struct map_ring rings[64];
	struct child child;
	struct rnd rnd;
	int cpus[64];
	int nr_cpus;
};

static const char * const storm_files[] = {
	"exe-dynamic", "lib.so", "id-32.so", "no-id.so", "headers-256", "text",
	"note-last-page-100m", "exe-static",
};

static const struct elf_set *storm_set;

static void *storm_thread(void *arg)
{
	struct rnd rnd = { .state = (uintptr_t)arg };
	char path[256];

	for (;;) {
		snprintf(path, sizeof(path), "%s/%s", storm_set->dir,
			 storm_files[rnd_below(&rnd, ARRAY_SIZE(storm_files))]);
		map_path(path, rnd_below(&rnd, NR_WAYS));
	}
	return NULL;
}

static void storm_fn(void *arg)
{
	pthread_t thread;
	char path[256];
	uintptr_t i;

	(void)arg;
	for (i = 1; i < STORM_THREADS; i++)
		pthread_create(&thread, NULL, storm_thread, (void *)i);
	snprintf(path, sizeof(path), "%s/exe-static", storm_set->dir);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, 1);
			execl(path, path, NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

FIXTURE_SETUP(races)
{
	int i;

	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	storm_set = &self->set;
	self->nr_cpus = online_cpus(self->cpus, 64);
	for (i = 0; i < self->nr_cpus; i++)
		ASSERT_EQ(0, map_ring_open_cpu(&self->rings[i], self->cpus[i]));
	ASSERT_EQ(0, child_start(&self->child, storm_fn, NULL));
	child_go(&self->child);
}

FIXTURE_TEARDOWN(races)
{
	ids_insert(NO_HURRY_US);
}

struct counts {
	uint64_t records, with_id, wrong, missing;
};

/* @always: the record of each file that has an id must have it. */
static void check_records(FIXTURE_DATA(races) *self, struct counts *counts,
			  bool always)
{
	struct map_record record;
	int i;

	for (i = 0; i < self->nr_cpus; i++) {
		while (map_ring_next(&self->rings[i], &record)) {
			const char *name = map_record_name(&record);
			const struct elf_file *file;
			struct id expected;

			if (strncmp(name, self->set.dir,
				    strlen(self->set.dir)))
				continue;
			file = elf_set_find(&self->set, strrchr(name, '/') + 1);
			if (!file)
				continue;
			counts->records++;
			counts->with_id += !!record.id.size;
			expected = id_in_record(&file->id);
			if (id_equal(&expected, &record.id))
				continue;
			counts->missing += always && !record.id.size;
			counts->wrong += !!record.id.size;
		}
	}
}

static void report(struct __test_metadata *_metadata,
		   const struct counts *counts)
{
	TH_LOG("%lu records, %lu with an id", counts->records,
	       counts->with_id);
	EXPECT_EQ(0, counts->wrong);
	EXPECT_EQ(0, counts->missing);
	EXPECT_LT(0, counts->with_id);
}

/*
 * Also continue until a record has an id: on a busy machine the storm may not have
 * begun before @end.
 */
static bool goes_on(uint64_t end, const struct counts *counts)
{
	return now_ns() < end || !counts->with_id;
}

/* While any session is open, records have ids. */
TEST_F_TIMEOUT(races, sessions, SECONDS)
{
	uint64_t end = now_ns() + STORM_NS, rounds = 0;
	struct notices notices = { 0 };
	struct counts counts = { 0 };
	int fd = ids_open(0), other;

	ASSERT_LE(0, fd);
	/*
	 * A mapping that began before may end now. Only the next mappings of each
	 * CPU count.
	 */
	check_records(self, &counts, false);
	memset(&counts, 0, sizeof(counts));
	spin(1000000);
	check_records(self, &counts, false);
	while (goes_on(end, &counts)) {
		other = ids_open(8192);
		ASSERT_LE(0, other);
		check_records(self, &counts, true);
		notices_read(fd, &notices);
		while (notices_next(&notices))
			;
		EXPECT_EQ(0, errno);
		close(fd);
		fd = other;
		rounds++;
	}
	close(fd);
	child_kill(&self->child);
	TH_LOG("%lu sessions", rounds);
	report(_metadata, &counts);
}

/* Open and close a session again and again. */
TEST_F_TIMEOUT(races, on_and_off, SECONDS)
{
	uint64_t end = now_ns() + STORM_NS;
	struct counts counts = { 0 };

	while (goes_on(end, &counts)) {
		int fd = ids_open(0);

		ASSERT_LE(0, fd);
		check_records(self, &counts, false);
		close(fd);
		spin(rnd_below(&self->rnd, 100000));
	}
	child_kill(&self->child);
	report(_metadata, &counts);
}

/* Each removal waits until no task runs in the module any more. */
TEST_F_TIMEOUT(races, module, 4 * SECONDS)
{
	uint64_t end = now_ns() + STORM_NS;
	struct counts counts = { 0 };
	int fd, rounds;

	for (rounds = 0; rounds < 4 || goes_on(end, &counts); rounds++) {
		fd = ids_open(0);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
		spin(rnd_below(&self->rnd, 1000000));
		check_records(self, &counts, false);
		close(fd);
		ASSERT_EQ(0, module_remove_wait("perfaux"));
		ASSERT_EQ(0, ids_insert(NO_HURRY_US));
	}
	child_kill(&self->child);
	TH_LOG("%d rounds", rounds);
	report(_metadata, &counts);
}

/*
 * The parameter enables ids permanently, without a descriptor. The module is
 * removed twice.
 */
TEST_F_TIMEOUT(races, parameter, 4 * SECONDS)
{
	struct map_record record;
	struct map_ring ring;
	char path[256];

	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, module_insert("perfaux", "build_ids=1"));
	ASSERT_EQ(0, map_ring_open(&ring, 0));
	/* The kernel's own parser does not accept an id of this size. */
	snprintf(path, sizeof(path), "%s/id-64.so", self->set.dir);
	ASSERT_EQ(0, map_path(path, WAY_PRIVATE));
	ASSERT_TRUE(map_ring_next(&ring, &record));
	EXPECT_EQ(20, record.id.size);
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, map_path(path, WAY_PRIVATE));
	ASSERT_TRUE(map_ring_next(&ring, &record));
	EXPECT_EQ(0, record.id.size);
	child_kill(&self->child);
}

TEST_HARNESS_MAIN
