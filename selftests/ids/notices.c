// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of descriptors of PERFAUX_IOC_IDS: notices, counters, errors, and who gets
 * them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "../ring/lib/abi.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define TESTER		1000
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

FIXTURE(ids) {
	struct elf_set set;
	struct map_ring ring;
	struct notices notices;
	char paranoid[16];
	int dev;
	int fd;
};

FIXTURE_SETUP(ids)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->dev);
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
	/* Allow events to the ordinary user. */
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid,
			       sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "1"));
}

FIXTURE_TEARDOWN(ids)
{
	file_write(PARANOID, self->paranoid);
}

/* Open a session and close it again. Returns 0 or -errno. */
static int open_only(int dev, const void *arg)
{
	int fd = call(dev, PERFAUX_IOC_IDS, arg);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST_F(ids, open_errors)
{
	LONG(perfaux_ids) longer = { .arg.size = sizeof(longer) };
	struct perfaux_ids good = { .size = sizeof(good) }, arg;
	struct rlimit limit, none = { 0, 0 };

	EXPECT_EQ(0, open_only(self->dev, &good));
	EXPECT_EQ(0, open_only(self->dev, &longer));
	longer.tail[1] = 1;
	EXPECT_EQ(-E2BIG, open_only(self->dev, &longer));
	EXPECT_EQ(-EFAULT, open_only(self->dev, NULL));

	arg = good;
	arg.size = PERFAUX_IDS_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg = good;
	arg.flags = 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg = good;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));

	arg = good;
	arg.queue_size = 8191;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg.queue_size = 8192;
	EXPECT_EQ(0, open_only(self->dev, &arg));
	arg.queue_size = 1 << 20;
	EXPECT_EQ(0, open_only(self->dev, &arg));
	arg.queue_size = (1 << 20) + 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg.queue_size = UINT32_MAX;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));

	getrlimit(RLIMIT_NOFILE, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	EXPECT_EQ(-EMFILE, open_only(self->dev, &good));
	setrlimit(RLIMIT_NOFILE, &limit);
	EXPECT_EQ(0, open_only(self->dev, &good));
}

TEST_F(ids, descriptor)
{
	struct perfaux_info info = { .size = sizeof(info) };
	char c = 0;

	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_IDS, &info));
	EXPECT_EQ(-ENOTTY, call(self->dev, PERFAUX_IOC_IDS_STATS, &info));
	EXPECT_EQ(-1, write(self->fd, &c, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd,
				   0));
	EXPECT_EQ(ENODEV, errno);
}

TEST_F(ids, stats_errors)
{
	LONG(perfaux_ids_stats) longer = { .arg.size = sizeof(longer) };
	struct perfaux_ids_stats stats = { 0 };

	stats.size = PERFAUX_IDS_STATS_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->fd, PERFAUX_IOC_IDS_STATS, &stats));
	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_IDS_STATS, NULL));
	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_IDS_STATS, &longer));
	EXPECT_EQ(sizeof(longer.arg), longer.arg.size);
	longer.arg.size = sizeof(longer);
	longer.tail[0] = 1;
	EXPECT_EQ(-E2BIG, call(self->fd, PERFAUX_IOC_IDS_STATS, &longer));
}

/* Each cause has its counter, also in fdinfo, and no other counter changes. */
TEST_F(ids, causes)
{
	static const struct {
		const char *file;
		enum perfaux_no_id cause;
		const char *name;
	} cases[] = {
		{ "lib.so", PERFAUX_ID_FOUND, "ids_found" },
		{ "no-id.so", PERFAUX_ID_NO_NOTE, "ids_no_note" },
		{ "text", PERFAUX_ID_NOT_ELF, "ids_not_elf" },
		{ "empty", PERFAUX_ID_NOT_ELF, "ids_not_elf" },
		{ "truncated-id", PERFAUX_ID_TRUNCATED, "ids_truncated" },
		{ "truncated-63", PERFAUX_ID_TRUNCATED, "ids_truncated" },
	};
	struct perfaux_ids_stats a, b;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t before = ring_fdinfo(self->fd, cases[i].name);

		ASSERT_EQ(0, ids_stats(self->fd, &a));
		map_elf(&self->ring, &self->set, cases[i].file);
		ASSERT_EQ(0, ids_stats(self->fd, &b));
		for (k = 0; k < ARRAY_SIZE(a.results); k++)
			EXPECT_EQ(a.results[k] + (k == cases[i].cause),
				  b.results[k])
				TH_LOG("%s: [%zu]", cases[i].file, k);
		EXPECT_EQ(before + 1, ring_fdinfo(self->fd, cases[i].name));
		EXPECT_EQ(0, memcmp(a.late, b.late, sizeof(a.late)));
	}
	EXPECT_EQ(0, ring_fdinfo(self->fd, "late_found"));
	EXPECT_EQ(0, ring_fdinfo(self->fd, "pending"));
	EXPECT_EQ(0, ring_fdinfo(self->fd, "notices_lost"));
	EXPECT_EQ(b.cached, (uint64_t)ring_fdinfo(self->fd, "cached"));
}

/*
 * The parser would have to look at more than is allowed while the file is mapped: a
 * worker reports the result, or the result is cached already.
 */
TEST_F(ids, too_large)
{
	struct perfaux_ids_stats stats;

	map_elf(&self->ring, &self->set, "notes-70000");
	ASSERT_TRUE(late_settled(self->fd));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(1, stats.results[PERFAUX_ID_TOO_LARGE] +
		  stats.late[PERFAUX_ID_TOO_LARGE]);
	EXPECT_EQ(stats.results[PERFAUX_ID_DEFERRED],
		  stats.late[PERFAUX_ID_TOO_LARGE]);
}

/*
 * A record has an id only if its own event asked for one, whatever other events
 * asked for.
 */
TEST_F(ids, records_of_others)
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

static int make_cold(FIXTURE_DATA(ids) *self, struct cold *cold, const char *dir)
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
static uint64_t map_cold(FIXTURE_DATA(ids) *self, struct cold *cold, int prot,
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
static int ids_recorded(FIXTURE_DATA(ids) *self)
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
TEST_F(ids, nobody_else_reads)
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

/* Ids for which a record has no room */
TEST_F(ids, long_ids)
{
	static const char * const names[] = {
		"id-21.so", "id-32.so", "id-33.so", "id-64.so", "id-300.so",
	};
	const struct perfaux_notice *notice;
	struct perfaux_ids_stats stats;
	size_t i;

	map_elf(&self->ring, &self->set, "id-20.so");
	EXPECT_EQ(-EAGAIN, notices_read(self->fd, &self->notices));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct elf_file *file = elf_set_find(&self->set, names[i]);
		struct id expected = id_in_record(&file->id), id;
		struct map_record record = map_elf(&self->ring, &self->set, names[i]);

		EXPECT_TRUE(id_equal(&expected, &record.id));
		ASSERT_LT(0, notices_read(self->fd, &self->notices));
		notice = notices_next(&self->notices);
		ASSERT_NE(NULL, notice);
		id = notice_id(notice);
		EXPECT_TRUE(id_equal(&file->id, &id))
			TH_LOG("%s: %s", names[i], id_text(&id));
		EXPECT_EQ(PERFAUX_NOTICE_LONG_ID, notice->type);
		EXPECT_EQ(record.pid, notice->pid);
		EXPECT_EQ(record.tid, notice->tid);
		EXPECT_EQ(record.start, notice->start);
		EXPECT_EQ(record.length, notice->length);
		EXPECT_EQ(record.pgoff, notice->pgoff);
		EXPECT_LE(notice->time, record.time);
		EXPECT_GT(notice->time + 1000000000, record.time);
		EXPECT_STREQ(map_record_name(&record), notice_name(notice));
		EXPECT_EQ(NULL, notices_next(&self->notices));
		EXPECT_EQ(0, errno);
	}
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(ARRAY_SIZE(names), stats.long_ids);
	EXPECT_EQ(ARRAY_SIZE(names), stats.notices);
	EXPECT_EQ(0, stats.notices_lost);
}

/* The file in a notice is the same as in stat(). */
TEST_F(ids, notice_file)
{
	const struct perfaux_notice *notice;
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/id-32.so", self->set.dir);
	ASSERT_EQ(0, stat(path, &st));
	map_elf(&self->ring, &self->set, "id-32.so");
	ASSERT_LT(0, notices_read(self->fd, &self->notices));
	notice = notices_next(&self->notices);
	ASSERT_NE(NULL, notice);
	EXPECT_EQ(st.st_ino, notice->ino);
	EXPECT_EQ(st.st_dev >> 8 & 0xfff, notice->major);
	EXPECT_EQ((st.st_dev & 0xff) | (st.st_dev >> 12 & 0xfff00),
		  notice->minor);
	EXPECT_STREQ(path, notice_name(notice));
}

/* read() returns whole notices, as many as fit, in order. */
TEST_F(ids, small_buffers)
{
	uint64_t buf[2048];
	const struct perfaux_notice *notice = (void *)buf;
	ssize_t n;
	int i;

	for (i = 0; i < 3; i++)
		map_elf(&self->ring, &self->set, i == 1 ? "id-33.so" : "id-32.so");
	EXPECT_EQ(-1, read(self->fd, buf, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(*notice)));
	EXPECT_EQ(EINVAL, errno);
	n = read(self->fd, buf, 300);
	ASSERT_LT(0, n);
	EXPECT_EQ(n, notice->size);
	EXPECT_EQ(32, notice->id_size);
	/* The buffer is one byte smaller than the next notice. */
	EXPECT_EQ(-1, read(self->fd, buf, n - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, (void *)-4096L, sizeof(buf)));
	EXPECT_EQ(EFAULT, errno);
}

/* A notice that could not be delivered is not lost. */
TEST_F(ids, bad_buffer)
{
	void *nowhere = at_the_edge(0);
	uint64_t buf[512];

	map_elf(&self->ring, &self->set, "id-32.so");
	EXPECT_EQ(-1, read(self->fd, nowhere, sizeof(buf)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_LT(0, read(self->fd, buf, sizeof(buf)));
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(ids, waiting)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	struct itimerval soon = { .it_value.tv_usec = 50000 };
	struct notices *notices = &self->notices;
	uint64_t buf[512];

	EXPECT_EQ(0, poll(&pfd, 1, 0));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EINTR, errno);

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
	map_elf(&self->ring, &self->set, "id-32.so");
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN, pfd.revents);
	EXPECT_LT(0, notices_read(self->fd, notices));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
}

static void map_long_fn(void *arg)
{
	map_path(arg, WAY_PRIVATE);
}

/* A waiting reader is woken. */
TEST_F(ids, wakes)
{
	struct child child;
	char path[256];

	snprintf(path, sizeof(path), "%s/id-32.so", self->set.dir);
	ASSERT_EQ(0, child_start(&child, map_long_fn, path));
	map_ring_close(&self->ring);
	ASSERT_EQ(0, map_ring_open(&self->ring, child.pid));
	child_go(&child);
	EXPECT_LT(0, notices_wait(self->fd, &self->notices, 10000));
	child_wait(&child);
}

/* Notices that do not fit are counted. After reading there is room again. */
TEST_F(ids, queue_full)
{
	struct perfaux_ids_stats stats;
	const struct perfaux_notice *notice;
	int fd = ids_open(8192), i;
	uint64_t read_back = 0;

	ASSERT_LE(0, fd);
	for (i = 0; i < 100; i++)
		map_elf(&self->ring, &self->set, "id-64.so");
	ASSERT_EQ(0, ids_stats(fd, &stats));
	EXPECT_EQ(100, stats.long_ids);
	EXPECT_EQ(100, stats.notices + stats.notices_lost);
	EXPECT_LT(0, stats.notices_lost);
	EXPECT_EQ(stats.notices_lost,
		  (uint64_t)ring_fdinfo(fd, "notices_lost"));
	ASSERT_LT(0, notices_read(fd, &self->notices));
	EXPECT_GE(8192, self->notices.size);
	while ((notice = notices_next(&self->notices)))
		read_back++;
	EXPECT_EQ(0, errno);
	EXPECT_EQ(stats.notices, read_back);
	map_elf(&self->ring, &self->set, "id-64.so");
	EXPECT_LT(0, notices_read(fd, &self->notices));
	/* The other session has a queue of its own. */
	EXPECT_EQ(0, ring_fdinfo(self->fd, "notices_lost"));
	EXPECT_EQ(101, ring_fdinfo(self->fd, "notices"));
	close(fd);
}

/*
 * Records have ids while any session is open. Each session delivers the notices
 * since it was opened.
 */
TEST_F(ids, two_sessions)
{
	struct map_record record;
	int other;

	map_elf(&self->ring, &self->set, "id-32.so");
	other = ids_open(0);
	ASSERT_LE(0, other);
	EXPECT_EQ(0, ring_fdinfo(other, "ids_found"));
	EXPECT_EQ(-EAGAIN, notices_read(other, &self->notices));
	map_elf(&self->ring, &self->set, "id-32.so");
	EXPECT_EQ(1, ring_fdinfo(other, "ids_found"));
	EXPECT_EQ(2, ring_fdinfo(self->fd, "ids_found"));
	close(self->fd);
	record = map_elf(&self->ring, &self->set, "note-last-page-100m");
	EXPECT_EQ(20, record.id.size);
	EXPECT_EQ(2, ring_fdinfo(other, "ids_found"));
	close(other);
	record = map_elf(&self->ring, &self->set, "id-64.so");
	EXPECT_EQ(0, record.id.size);
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
	FIXTURE_DATA(ids) *self = arg;
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

TEST_F(ids, ordinary_user)
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
	/* Root's session has both. */
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
TEST_F(ids, programs_of_more_rights)
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

/* Looking for an id in a hole of a file allocates no memory. */
TEST_F(ids, holes_stay)
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

static int expected_module(struct id *id)
{
	char command[256], line[256] = "";
	FILE *out;

	snprintf(command, sizeof(command),
		 "readelf -n /perfaux/build/modules/%s/auxgen.ko | sed -n 's/^ *Build ID: //p'",
		 getenv("PERFAUX_KERNEL"));
	out = popen(command, "r");
	if (!out || !fgets(line, sizeof(line), out))
		return -1;
	pclose(out);
	line[strcspn(line, "\n")] = 0;
	return id_parse(line, id);
}

static uint64_t module_start(const char *name)
{
	char line[512], this[64];
	uint64_t start = 0;
	FILE *modules = fopen("/proc/modules", "re");
	unsigned long at;

	while (fgets(line, sizeof(line), modules))
		if (sscanf(line, "%63s %*s %*s %*s %*s %lx", this, &at) == 2 &&
		    !strcmp(this, name))
			start = at;
	fclose(modules);
	return start;
}

TEST_F(ids, kernel_module)
{
	const struct perfaux_notice *notice;
	struct id expected, id;
	uint64_t before;

	ASSERT_EQ(0, expected_module(&expected));
	ASSERT_LT(0, expected.size);
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	before = now_ns();
	ASSERT_EQ(0, module_insert("auxgen", ""));
	ASSERT_LT(0, notices_read(self->fd, &self->notices));
	notice = notices_next(&self->notices);
	ASSERT_NE(NULL, notice);
	id = notice_id(notice);
	EXPECT_EQ(PERFAUX_NOTICE_MODULE, notice->type);
	EXPECT_TRUE(id_equal(&expected, &id))
		TH_LOG("%s, not %s", id_text(&id), id_text(&expected));
	EXPECT_EQ(module_start("auxgen"), notice->start);
	EXPECT_LT(0, notice->length);
	EXPECT_EQ(UINT32_MAX, notice->pid);
	EXPECT_EQ(UINT32_MAX, notice->tid);
	EXPECT_STREQ("auxgen", notice_name(notice));
	/* perf's clock and this clock start together and differ little. */
	EXPECT_LT(before - 1000000000, notice->time);
	EXPECT_GT(now_ns() + 1000000000, notice->time);
	EXPECT_EQ(NULL, notices_next(&self->notices));
}

/* The code of the module ran, so a trace of it may exist. */
TEST_F(ids, module_that_fails)
{
	const struct perfaux_notice *notice;

	ASSERT_EQ(0, module_remove_wait("auxgen"));
	ASSERT_EQ(-EINVAL, module_insert("auxgen", "name="));
	ASSERT_LT(0, notices_read(self->fd, &self->notices));
	notice = notices_next(&self->notices);
	ASSERT_NE(NULL, notice);
	EXPECT_EQ(PERFAUX_NOTICE_MODULE, notice->type);
	EXPECT_EQ(0, notice->id_size);
	EXPECT_NE(0, notice->start);
	EXPECT_LT(0, notice->length);
	EXPECT_STREQ("auxgen", notice_name(notice));
	EXPECT_EQ(NULL, notices_next(&self->notices));
	EXPECT_EQ(0, module_insert("auxgen", ""));
}

TEST_HARNESS_MAIN
