// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of files whose file system waits for a program: a task that maps such a
 * file does not wait, and the id comes in a notice.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "fuse_server.h"
#include "ids_fs.h"
#include "ids_lib.h"

/* The most mappings that may wait for one user, and in all; as in the module */
#define PENDING_MAX	1024
#define PENDING_MAX_ALL	4096
/*
 * The most files that may be read at the same time: of a file system, of a user, in
 * all
 */
#define READ_MAX_FS	8
#define READ_MAX_USER	32
#define READ_MAX	128
/* The number of servers whose files use up the bound of a user, and the bound of all */
#define SERVERS_USER	(READ_MAX_USER / READ_MAX_FS)
#define SERVERS_ALL	(READ_MAX / READ_MAX_FS)
/* More files than may be read of each server */
#define SILENT_FILES	(READ_MAX_FS + 1)

#define MAX_CPUS	64
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define USER		1000
#define OTHER		2000

FIXTURE(fuse) {
	struct elf_set set;
	struct fuse_server server;
	struct map_ring ring;
	int fd;
	char dir[64];
	char paranoid[16];
};

FIXTURE_SETUP(fuse)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	run("modprobe -q fuse || true");
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	strcpy(self->dir, "/tmp/ids-fuse.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->server.set = &self->set;
	self->server.dir = self->dir;
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	/* Let ordinary users open sessions. */
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid, sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "2"));
}

FIXTURE_TEARDOWN(fuse)
{
	file_write(PARANOID, self->paranoid);
	if (self->server.child.pid > 0)
		fuse_kill(&self->server);
	rmdir(self->dir);
}

/*
 * Open the session last: otherwise the server would inherit its descriptor, and close()
 * here would not end the session.
 */
static int start(FIXTURE_DATA(fuse) *self, enum fuse_mode mode)
{
	int ret;

	self->server.mode = mode;
	ret = fuse_start(&self->server);
	if (ret)
		return ret;
	self->fd = ids_open(1 << 20);
	return self->fd < 0 ? self->fd : 0;
}

static int open_file(FIXTURE_DATA(fuse) *self, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The id comes late, once. Then the pages are in memory, and the id is in the record. */
TEST_F_TIMEOUT(fuse, late_ids, SECONDS)
{
	struct perfaux_ids_stats stats;
	uint64_t with_id = 0, wrong = 0;
	struct map_record record;
	size_t i;
	int fd;

	ASSERT_EQ(0, start(self, FUSE_NORMAL));
	for (i = 0; i < self->set.nr; i++) {
		fd = open_file(self, self->set.files[i].name);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, map_and_read(&self->ring, fd, i % NR_WAYS,
					  &record));
		EXPECT_EQ(0, record.id.size);
		with_id += !!self->set.files[i].id.size;
		close(fd);
	}
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ(with_id, late_ids_read(self->fd, &self->set, self->dir));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(0, stats.results[PERFAUX_ID_FOUND]);
	/* The empty file does not have to be read. */
	EXPECT_EQ(self->set.nr - 1, stats.results[PERFAUX_ID_DEFERRED]);
	EXPECT_EQ(with_id, stats.late[PERFAUX_ID_FOUND]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_NO_NOTE]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_NOT_ELF]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_TRUNCATED]);
	EXPECT_EQ(0, stats.late[PERFAUX_ID_UNREADABLE]);

	for (i = 0; i < self->set.nr; i++) {
		struct id expected = id_in_record(&self->set.files[i].id);

		if (elf_file_is_late(&self->set.files[i]))
			continue;
		fd = open_file(self, self->set.files[i].name);
		ASSERT_EQ(0, map_and_read(&self->ring, fd, i % NR_WAYS,
					  &record));
		wrong += !id_equal(&expected, &record.id);
		close(fd);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, late_ids_read(self->fd, &self->set, self->dir));
}

/*
 * A mapping in the server's own process must not wait for its id with mmap_lock held: the server
 * may need this lock to answer.
 */
TEST_F_TIMEOUT(fuse, maps_itself, SECONDS)
{
	struct pollfd pfd = { .events = POLLIN };
	struct map_ring ring;
	char c = 0;

	ASSERT_EQ(0, start(self, FUSE_MAPS_ITSELF));
	ASSERT_EQ(0, map_ring_open(&ring, self->server.child.pid));
	ASSERT_EQ(1, write(self->server.start[1], &c, 1));
	pfd.fd = self->server.mapped[0];
	ASSERT_EQ(1, poll(&pfd, 1, 20000)) TH_LOG("it hangs");
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_LT(0, late_ids_read(self->fd, &self->set, self->dir));
	map_ring_close(&ring);
}

/* Return the longest time that one of @nr mappings took, in ns. */
static uint64_t map_often(FIXTURE_DATA(fuse) *self,
			  struct __test_metadata *_metadata, int fd, int nr)
{
	uint64_t begin, longest = 0;
	struct map_record record;
	int i;

	for (i = 0; i < nr; i++) {
		begin = now_ns();
		ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE,
					  &record));
		begin = now_ns() - begin;
		longest = begin > longest ? begin : longest;
		EXPECT_EQ(0, record.id.size);
	}
	return longest;
}

/* The server never answers: the task that maps continues, and so does everything else. */
TEST_F_TIMEOUT(fuse, silent, SECONDS)
{
	int fd, nr = PENDING_MAX + 44;
	struct perfaux_ids_stats stats;
	uint64_t longest;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	fd = open_file(self, "lib.so");
	ASSERT_LE(0, fd);
	longest = map_often(self, _metadata, fd, nr);
	EXPECT_GT(STALL_NS, longest);
	TH_LOG("the longest of %d took %lu us", nr, longest / 1000);
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(PENDING_MAX, stats.pending);
	EXPECT_EQ(PENDING_MAX, stats.results[PERFAUX_ID_DEFERRED]);
	EXPECT_EQ(nr - PENDING_MAX, stats.results[PERFAUX_ID_UNREADABLE]);

	/* Other files get their ids meanwhile. */
	EXPECT_TRUE(late_not_others(&self->ring, &self->set));

	fuse_kill(&self->server);
	ASSERT_TRUE(late_settled(self->fd));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(PENDING_MAX, stats.late[PERFAUX_ID_UNREADABLE]);
	EXPECT_EQ(0, late_ids_read(self->fd, &self->set, self->dir));
	close(fd);
	close(self->fd);
	EXPECT_EQ(0, module_remove_wait("perfaux"));
}

/* All files of a silent server wait, and files of another server are read. */
TEST_F_TIMEOUT(fuse, silent_and_other, SECONDS)
{
	struct fuse_server other = { .set = &self->set };
	char dir[] = "/tmp/ids-fuse-other.XXXXXX", path[256];
	size_t i;
	int fd;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	for (i = 0; i < self->set.nr; i++) {
		fd = open_file(self, self->set.files[i].name);
		ASSERT_LE(0, fd);
		map_often(self, _metadata, fd, 1);
		close(fd);
	}
	/* The empty file does not have to be read. */
	EXPECT_EQ(self->set.nr - 1, ring_fdinfo(self->fd, "pending"));

	ASSERT_NE(NULL, mkdtemp(dir));
	other.dir = dir;
	other.mode = FUSE_NORMAL;
	ASSERT_EQ(0, fuse_start(&other));
	snprintf(path, sizeof(path), "%s/lib.so", dir);
	map_ring_clear(&self->ring);
	ASSERT_EQ(0, map_path(path, WAY_PRIVATE));
	while (ring_fdinfo(self->fd, "pending") != (int64_t)self->set.nr - 1)
		sched_yield();
	EXPECT_EQ(1, late_ids_read(self->fd, &self->set, dir));
	fuse_kill(&other);
	rmdir(dir);
	fuse_kill(&self->server);
	ASSERT_TRUE(late_settled(self->fd));
}

/* A session gets no notices of mappings from before it began. */
TEST_F_TIMEOUT(fuse, later_session, SECONDS)
{
	struct perfaux_ids_stats stats;
	int fd, later;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	fd = open_file(self, "lib.so");
	ASSERT_EQ(0, map_file(fd, WAY_PRIVATE));
	later = ids_open(0);
	ASSERT_LE(0, later);
	EXPECT_EQ(1, ring_fdinfo(self->fd, "pending"));
	EXPECT_EQ(0, ring_fdinfo(later, "pending"));
	fuse_kill(&self->server);
	ASSERT_TRUE(late_settled(self->fd));
	ASSERT_EQ(0, ids_stats(later, &stats));
	EXPECT_EQ(0, stats.pending);
	EXPECT_EQ(0, stats.late[PERFAUX_ID_UNREADABLE]);
	close(later);
	close(fd);
}

/*
 * If a file is mapped twice, the second time while it is read for the first, there
 * is a notice for each mapping.
 */
TEST_F_TIMEOUT(fuse, each_mapping, SECONDS)
{
	uint64_t nr = 20;
	int fd, status;

	ASSERT_EQ(0, start(self, FUSE_NORMAL));
	fd = open_file(self, "lib.so");
	ASSERT_LE(0, fd);
	kill(self->server.child.pid, SIGSTOP);
	/* The server answers until it has stopped. */
	ASSERT_EQ(self->server.child.pid,
		  waitpid(self->server.child.pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	map_often(self, _metadata, fd, nr);
	EXPECT_EQ(nr, ring_fdinfo(self->fd, "pending"));
	kill(self->server.child.pid, SIGCONT);
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ((int64_t)nr,
		  late_ids_read(self->fd, &self->set, self->dir));
	close(fd);
}

/* Requests that nobody wants any more do not count against the next session. */
TEST_F_TIMEOUT(fuse, silent_and_another, SECONDS)
{
	int fd;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	fd = open_file(self, "lib.so");
	ASSERT_LE(0, fd);
	map_often(self, _metadata, fd, PENDING_MAX);
	EXPECT_EQ(PENDING_MAX, ring_fdinfo(self->fd, "pending"));
	close(self->fd);
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
	map_often(self, _metadata, fd, 1);
	EXPECT_EQ(1, ring_fdinfo(self->fd, "pending"));
	fuse_kill(&self->server);
	ASSERT_TRUE(late_settled(self->fd));
	close(fd);
}

/* A waiting read keeps the module, even if nobody wants the answer any more. */
TEST_F_TIMEOUT(fuse, silent_and_closed, SECONDS)
{
	int fd;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	fd = open_file(self, "lib.so");
	ASSERT_EQ(0, map_file(fd, WAY_PRIVATE));
	EXPECT_EQ(1, ring_fdinfo(self->fd, "pending"));
	/* A read that had not begun would be dropped. */
	ASSERT_TRUE(late_reading(1));
	close(self->fd);
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	fuse_kill(&self->server);
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	close(fd);
}

/* --- as many files as may be read at the same time ----------------------------- */

/* A server that does not answer, and some of its files */
struct silent {
	struct fuse_server server;
	char dir[64];
	int fds[SILENT_FILES];
};

static int silent_start(struct silent *s, const struct elf_set *set)
{
	char path[256];
	size_t i, nr = 0;

	strcpy(s->dir, "/tmp/ids-silent.XXXXXX");
	if (!mkdtemp(s->dir))
		return -errno;
	s->server = (struct fuse_server){ .set = set, .dir = s->dir, .mode = FUSE_SILENT };
	if (fuse_start(&s->server))
		return -EIO;
	for (i = 0; i < set->nr && nr < SILENT_FILES; i++) {
		/* The empty file does not have to be read. */
		if (!set->files[i].size)
			continue;
		snprintf(path, sizeof(path), "%s/%s", s->dir, set->files[i].name);
		s->fds[nr] = open(path, O_RDONLY | O_CLOEXEC);
		if (s->fds[nr++] < 0)
			return -errno;
	}
	return nr < SILENT_FILES ? -ENOENT : 0;
}

static void silent_end(struct silent *s)
{
	size_t i;

	fuse_kill(&s->server);
	for (i = 0; i < SILENT_FILES; i++)
		close(s->fds[i]);
	rmdir(s->dir);
}

/* Start @nr silent servers, one that answers, and a session that sees all tasks. */
static int start_with_silent(FIXTURE_DATA(fuse) *self, struct silent *silent, int nr)
{
	static struct map_ring rings[MAX_CPUS];
	int cpus[MAX_CPUS], nr_cpus = online_cpus(cpus, MAX_CPUS), i, ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = silent_start(&silent[i], &self->set);
	for (i = 0; !ret && i < nr_cpus; i++)
		ret = map_ring_open_cpu(&rings[i], cpus[i]);
	return ret ?: start(self, FUSE_NORMAL);
}

/* Files that a child maps as @uid in its namespace */
struct mapper {
	uid_t uid;
	int fds[SERVERS_USER * SILENT_FILES];
	int nr;
	int times;		/* 0 is once */
};

/* The files of SERVERS_USER silent servers, which use up the bound of a user */
static struct mapper silent_mapper(uid_t uid, const struct silent *silent)
{
	struct mapper mapper = { .uid = uid };
	int i;

	for (i = 0; i < SERVERS_USER; i++) {
		memcpy(mapper.fds + mapper.nr, silent[i].fds, sizeof(silent[i].fds));
		mapper.nr += SILENT_FILES;
	}
	return mapper;
}

static void map_fn(void *arg)
{
	const struct mapper *mapper = arg;
	int i, n = 0;

	if (setresgid(mapper->uid, mapper->uid, mapper->uid) ||
	    setresuid(mapper->uid, mapper->uid, mapper->uid))
		_exit(1);
	do {
		for (i = 0; i < mapper->nr; i++)
			if (map_file(mapper->fds[i], WAY_PRIVATE))
				_exit(2);
	} while (++n < mapper->times);
	_exit(0);
}

/* Returns the wait status, or -errno. */
static int map_as_user(struct mapper *mapper)
{
	struct child child;
	int ret = child_start(&child, map_fn, mapper);

	if (ret)
		return ret;
	child_go(&child);
	return child_wait(&child);
}

static int map_in_container(struct mapper *mapper)
{
	struct in_namespace in = { .map = "0 100000 10\n", .fn = map_fn, .arg = mapper };
	struct child child;

	return in_namespace(&child, &in) ?: child_wait(&child);
}

/* Map a file of the server that answers, which is read as soon as it may be. */
static int map_answered(FIXTURE_DATA(fuse) *self, const char *name, uid_t uid)
{
	struct mapper mapper = { .uid = uid, .nr = 1 };
	int ret;

	mapper.fds[0] = open_file(self, name);
	ret = map_as_user(&mapper);
	close(mapper.fds[0]);
	return ret;
}

static uint64_t late_found(int fd)
{
	struct perfaux_ids_stats stats = { };

	ids_stats(fd, &stats);
	return stats.late[PERFAUX_ID_FOUND];
}

/* Wait for @nr late ids. Return true if there are not more. */
static bool late_found_soon(int fd, uint64_t nr)
{
	uint64_t end = now_ns() + 50000000000ULL;

	while (late_found(fd) < nr && now_ns() < end)
		sched_yield();
	return late_found(fd) == nr;
}

/* The first server has ended already; end the others. No file of any server was read. */
static void end_silent(struct __test_metadata *_metadata, FIXTURE_DATA(fuse) *self,
		       struct silent *silent, int nr)
{
	struct perfaux_ids_stats stats;
	int i;

	for (i = 1; i < nr; i++)
		silent_end(&silent[i]);
	ASSERT_TRUE(late_settled(self->fd));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(nr * SILENT_FILES, stats.late[PERFAUX_ID_UNREADABLE]);
}

/* Wait until exactly @nr workers wait. Return false if that takes too long. */
static bool late_readers_soon(int nr)
{
	uint64_t end = now_ns() + 50000000000ULL;

	while (late_readers() != nr && now_ns() < end)
		sched_yield();
	return late_readers() == nr;
}

/* The files of one file system use up its bound. Another file that the user maps is read. */
TEST_F_TIMEOUT(fuse, bound_of_file_system, SECONDS)
{
	struct mapper mapper = { .uid = USER, .nr = SILENT_FILES };
	struct silent silent;

	ASSERT_EQ(0, start_with_silent(self, &silent, 1));
	memcpy(mapper.fds, silent.fds, sizeof(silent.fds));
	ASSERT_EQ(0, map_as_user(&mapper));
	ASSERT_TRUE(late_reading(READ_MAX_FS));
	ASSERT_EQ(0, map_answered(self, "lib.so", USER));
	EXPECT_TRUE(late_found_soon(self->fd, 1));
	/* The worker that has read the file may not be done yet. */
	EXPECT_TRUE(late_readers_soon(READ_MAX_FS));
	EXPECT_EQ(SILENT_FILES, ring_fdinfo(self->fd, "pending"));
	silent_end(&silent);
	end_silent(_metadata, self, &silent, 1);
}

/* The mappings of @map use up the bound of @uid, and the next file of @uid waits. */
static void check_user(struct __test_metadata *_metadata, FIXTURE_DATA(fuse) *self, uid_t uid,
		       int (*map)(struct mapper *mapper), uid_t mapper_uid)
{
	static const char * const others[] = { "id-20.so", "id-32.so", "id-64.so" };
	struct silent silent[SERVERS_USER];
	struct mapper mapper;
	size_t i;

	ASSERT_EQ(0, start_with_silent(self, silent, SERVERS_USER));
	mapper = silent_mapper(mapper_uid, silent);
	ASSERT_EQ(0, map(&mapper));
	ASSERT_TRUE(late_reading(READ_MAX_USER));
	EXPECT_EQ(READ_MAX_USER, late_readers());
	ASSERT_EQ(0, map_answered(self, "lib.so", uid));
	/* Files of another user are read, although they came later. */
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		ASSERT_EQ(0, map_answered(self, others[i], OTHER));
		EXPECT_TRUE(late_found_soon(self->fd, i + 1));
	}
	EXPECT_EQ(mapper.nr + 1, ring_fdinfo(self->fd, "pending"));
	silent_end(&silent[0]);
	EXPECT_TRUE(late_found_soon(self->fd, i + 1));
	end_silent(_metadata, self, silent, SERVERS_USER);
}

TEST_F_TIMEOUT(fuse, bound_of_user, SECONDS)
{
	check_user(_metadata, self, USER, map_as_user, USER);
}

/* The container counts against root, who has made it. */
TEST_F_TIMEOUT(fuse, bound_of_container, SECONDS)
{
	check_user(_metadata, self, 0, map_in_container, 0);
}

/* Several users use up the bound of all, and none exceeds its own bound. */
TEST_F_TIMEOUT(fuse, bound_of_all, SECONDS)
{
	static struct silent silent[SERVERS_ALL];
	int i;

	ASSERT_EQ(0, start_with_silent(self, silent, SERVERS_ALL));
	for (i = 0; i < SERVERS_ALL / SERVERS_USER; i++) {
		struct mapper mapper = silent_mapper(USER + i, &silent[i * SERVERS_USER]);

		ASSERT_EQ(0, map_as_user(&mapper));
	}
	ASSERT_TRUE(late_reading(READ_MAX));
	ASSERT_EQ(0, map_answered(self, "lib.so", OTHER));
	/* No further file can be read now if reading it could block. */
	EXPECT_EQ(READ_MAX, late_readers());
	EXPECT_EQ(0, late_found(self->fd));
	EXPECT_EQ(SERVERS_ALL * SILENT_FILES + 1, ring_fdinfo(self->fd, "pending"));
	silent_end(&silent[0]);
	EXPECT_TRUE(late_found_soon(self->fd, 1));
	end_silent(_metadata, self, silent, SERVERS_ALL);
}

/* The mappings of several users wait, and none of the users exceeds its own bound. */
TEST_F_TIMEOUT(fuse, silent_of_all, SECONDS)
{
	struct mapper mapper = { .nr = 1, .times = PENDING_MAX };
	struct perfaux_ids_stats stats;
	struct silent silent;
	int i;

	ASSERT_EQ(0, start_with_silent(self, &silent, 1));
	mapper.fds[0] = silent.fds[0];
	for (i = 0; i < PENDING_MAX_ALL / PENDING_MAX; i++) {
		mapper.uid = USER + i;
		ASSERT_EQ(0, map_as_user(&mapper));
	}
	EXPECT_EQ(PENDING_MAX_ALL, ring_fdinfo(self->fd, "pending"));
	ASSERT_EQ(0, map_answered(self, "lib.so", OTHER));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(PENDING_MAX_ALL, stats.results[PERFAUX_ID_DEFERRED]);
	EXPECT_EQ(1, stats.results[PERFAUX_ID_UNREADABLE]);
	silent_end(&silent);
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ(0, late_found(self->fd));
	ASSERT_EQ(0, map_answered(self, "lib.so", OTHER));
	EXPECT_TRUE(late_found_soon(self->fd, 1));
}

TEST_HARNESS_MAIN
