// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of notices: what they contain, how a reader gets them, and what happens when
 * the queue is full.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "../ring/lib/abi.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

FIXTURE(notices) {
	struct elf_set set;
	struct map_ring ring;
	struct notices notices;
	int fd;
};

FIXTURE_SETUP(notices)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(notices)
{
}

/* Ids for which a record has no room */
TEST_F(notices, long_ids)
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
TEST_F(notices, notice_file)
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
TEST_F(notices, small_buffers)
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
TEST_F(notices, bad_buffer)
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

TEST_F(notices, waiting)
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
TEST_F(notices, wakes)
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
TEST_F(notices, queue_full)
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
TEST_F(notices, two_sessions)
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

TEST_HARNESS_MAIN
