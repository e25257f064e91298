// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what the session of an ordinary user includes: not other users' programs,
 * and not programs with more rights than the user.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define TESTER		1000
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

FIXTURE(users) {
	struct elf_set set;
	struct map_ring ring;
	char paranoid[16];
	int fd;
};

FIXTURE_SETUP(users)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
	/* Let the ordinary user open events. */
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid,
			       sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "1"));
}

FIXTURE_TEARDOWN(users)
{
	file_write(PARANOID, self->paranoid);
}

static void become_tester(void)
{
	if (become_uid(TESTER))
		_exit(100);
}

/*
 * As an ordinary user: only the user's own programs. The exit status says what is
 * wrong.
 */
static void user_fn(void *arg)
{
	FIXTURE_DATA(users) *self = arg;
	int fd, status, go[2];
	char path[256];
	pid_t pid;

	/* The child stays root, and maps when told to. */
	if (pipe(go))
		_exit(1);
	pid = fork();
	if (!pid) {
		char c;

		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(2);
		snprintf(path, sizeof(path), "%s/id-32.so", self->set.dir);
		_exit(map_path(path, WAY_PRIVATE) ? 3 : 0);
	}
	/* This process is not dumpable any more, like a program that has more rights. */
	become_tester();
	fd = ids_open(0);
	if (fd < 0)
		_exit(4);
	snprintf(path, sizeof(path), "%s/id-32.so", self->set.dir);
	if (map_path(path, WAY_PRIVATE) || ring_fdinfo(fd, "ids_found") ||
	    ring_fdinfo(fd, "notices"))
		_exit(10);
	prctl(PR_SET_DUMPABLE, 1);
	if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid ||
	    status)
		_exit(5);
	if (ring_fdinfo(fd, "ids_found") || ring_fdinfo(fd, "notices"))
		_exit(6);
	map_ring_close(&self->ring);
	if (map_ring_open(&self->ring, 0))
		_exit(7);
	if (map_elf(&self->ring, &self->set, "id-32.so").id.size != ID_RECORD_MAX)
		_exit(8);
	if (ring_fdinfo(fd, "ids_found") != 1 || ring_fdinfo(fd, "notices") != 1)
		_exit(9);
	_exit(0);
}

TEST_F(users, ordinary_user)
{
	struct map_ring rings[64];
	int cpus[64], nr = online_cpus(cpus, ARRAY_SIZE(cpus)), i;
	struct child child;
	struct perfaux_ids_stats stats;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, map_ring_open_cpu(&rings[i], cpus[i]));
	ASSERT_EQ(0, child_start(&child, user_fn, self));
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
	/* Root's session has the ids of both users. */
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_LE(2, stats.long_ids);
	for (i = 0; i < nr; i++)
		map_ring_close(&rings[i]);
}

/*
 * A program that the tester executes, and whether its mappings count for the
 * tester's session
 */
struct program {
	const char *name;
	mode_t mode;
	bool is_seen;
	uint64_t counted;
};

#define NR_PROGRAMS 4

struct programs {
	char dir[32];
	struct program list[NR_PROGRAMS];
};

static uint64_t all_results(int fd)
{
	struct perfaux_ids_stats stats = { 0 };
	uint64_t sum = 0;
	size_t i;

	ids_stats(fd, &stats);
	for (i = 0; i < ARRAY_SIZE(stats.results); i++)
		sum += stats.results[i];
	return sum + stats.notices;
}

static void run_program(const char *path)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(null, 1);
		execl(path, path, NULL);
		_exit(120);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 120)
		_exit(3);
	close(null);
}

static void programs_fn(void *arg)
{
	struct programs *programs = arg;
	char path[64];
	int i, fd;

	become_tester();
	fd = ids_open(0);
	if (fd < 0)
		_exit(2);
	for (i = 0; i < NR_PROGRAMS; i++) {
		struct program *p = &programs->list[i];
		const uint64_t before = all_results(fd);

		snprintf(path, sizeof(path), "%s/%s", programs->dir, p->name);
		run_program(path);
		p->counted = all_results(fd) - before;
	}
	_exit(0);
}

/*
 * A user's session does not include programs with more rights than the user, and
 * programs that the user may not read.
 */
TEST_F(users, programs_of_more_rights)
{
	struct programs *programs = mmap(NULL, sizeof(*programs), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct map_ring rings[64];
	int cpus[64], nr = online_cpus(cpus, ARRAY_SIZE(cpus)), i;
	char command[512];
	struct child child;
	uint64_t before;

	ASSERT_NE(MAP_FAILED, (void *)programs);
	*programs = (struct programs){ .dir = "/tmp/programs.XXXXXX", .list = {
		{ "ordinary", 0755, true }, { "setuid", 04755 }, { "setgid", 02755 },
		{ "unreadable", 0711 },
	} };
	ASSERT_NE(NULL, mkdtemp(programs->dir));
	for (i = 0; i < NR_PROGRAMS; i++) {
		const struct program *p = &programs->list[i];

		snprintf(command, sizeof(command), "chmod 755 %s && cp %s/exe-static %s/%s && chmod %o %s/%s",
			 programs->dir, self->set.dir, programs->dir, p->name, p->mode,
			 programs->dir, p->name);
		ASSERT_EQ(0, system(command));
	}
	/* perf ends the events of the task, but not those of a CPU. */
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, map_ring_open_cpu(&rings[i], cpus[i]));
	before = all_results(self->fd);
	ASSERT_EQ(0, child_start(&child, programs_fn, programs));
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
	for (i = 0; i < NR_PROGRAMS; i++) {
		const struct program *p = &programs->list[i];

		EXPECT_EQ(p->is_seen, p->counted > 0)
			TH_LOG("%s: %lu", p->name, p->counted);
	}
	/* Root's session includes all of them. */
	EXPECT_LE(before + NR_PROGRAMS * programs->list[0].counted, all_results(self->fd));
	for (i = 0; i < nr; i++)
		map_ring_close(&rings[i]);
	snprintf(command, sizeof(command), "rm -r %s", programs->dir);
	EXPECT_EQ(0, system(command));
}

TEST_HARNESS_MAIN
