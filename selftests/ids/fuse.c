// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files whose file system waits for a program: nobody waits for it while a file
 * is being mapped; the id comes in a notice.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "../ring/ring_lib.h"
#include "fuse_server.h"
#include "ids_fs.h"
#include "ids_lib.h"

/* What may wait at most of one user, as the module has it. */
#define PENDING_MAX	1024

FIXTURE(fuse) {
	struct elf_set set;
	struct fuse_server server;
	struct map_ring ring;
	int fd;
	char dir[64];
};

FIXTURE_SETUP(fuse)
{
	module_insert("perfaux", "");
	ASSERT_EQ(0, elf_set_read(&self->set));
	run("modprobe -q fuse || true");
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	strcpy(self->dir, "/tmp/ids-fuse.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->server.set = &self->set;
	self->server.dir = self->dir;
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
}

FIXTURE_TEARDOWN(fuse)
{
	if (self->server.child.pid > 0)
		fuse_kill(&self->server);
	rmdir(self->dir);
}

/* The session last: else it would be the server's as well, and not end here. */
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

/* The id comes late, once; then the pages are there, and it is in the record. */
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
	/* Nothing has to be read of the empty one. */
	EXPECT_EQ(self->set.nr - 1, stats.results[PERFAUX_ID_DEFERRED]);
	EXPECT_EQ(with_id, stats.late[PERFAUX_ID_FOUND]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_NO_NOTE]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_NOT_ELF]);
	EXPECT_LT(0, stats.late[PERFAUX_ID_TRUNCATED]);
	EXPECT_EQ(0, stats.late[PERFAUX_ID_UNREADABLE]);

	for (i = 0; i < self->set.nr; i++) {
		struct id expected = id_in_record(&self->set.files[i].id);

		fd = open_file(self, self->set.files[i].name);
		ASSERT_EQ(0, map_and_read(&self->ring, fd, i % NR_WAYS,
					  &record));
		wrong += !id_equal(&expected, &record.id);
		close(fd);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, late_ids_read(self->fd, &self->set, self->dir));
}

/* A server that needs its own memory to answer is not made to wait for itself. */
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

/* Returns the longest time that one of @nr mappings took, ns. */
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

/* One that never answers: the task that maps goes on, and so does all else. */
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

	/* Other files have their ids meanwhile. */
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

/* All files of a silent server wait, and those of another are read. */
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
	/* Nothing has to be read of the empty one. */
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

/* What was mapped before a session began is none of its business. */
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

/* Of two mappings of one file, one during the read of the other, each is told. */
TEST_F_TIMEOUT(fuse, each_mapping, SECONDS)
{
	uint64_t nr = 20;
	int fd, status;

	ASSERT_EQ(0, start(self, FUSE_NORMAL));
	fd = open_file(self, "lib.so");
	ASSERT_LE(0, fd);
	kill(self->server.child.pid, SIGSTOP);
	/* Until it has stopped it still answers. */
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

/* What nobody asks for any more does not count against who asks next. */
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

/* What waits keeps the module, also when nobody wants the answer any more. */
TEST_F_TIMEOUT(fuse, silent_and_closed, SECONDS)
{
	int fd;

	ASSERT_EQ(0, start(self, FUSE_SILENT));
	fd = open_file(self, "lib.so");
	ASSERT_EQ(0, map_file(fd, WAY_PRIVATE));
	EXPECT_EQ(1, ring_fdinfo(self->fd, "pending"));
	/* If it had not begun it would be dropped. */
	ASSERT_TRUE(late_reading());
	close(self->fd);
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	fuse_kill(&self->server);
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	close(fd);
}

TEST_HARNESS_MAIN
