// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of files on file systems whose server is another machine, or could be. Like
 * files on FUSE (fuse.c), they are not read while they are being mapped.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"
#include "net_server.h"

/*
 * The exported directory. It stays, because the NFS server stays. It is a copy,
 * because ksmbd returns EINVAL for files on a file system that is mounted
 * read-only.
 */
#define EXPORTED	"/tmp/ids-exported"

FIXTURE(netfs) {
	struct elf_set set;
	struct net_server server;
	struct map_ring ring;
	int fd;
	char dir[64];
	int *files;
	uint64_t with_id;
};

FIXTURE_VARIANT(netfs) {
	enum net_kind kind;
};

FIXTURE_VARIANT_ADD(netfs, nfs) { .kind = NET_NFS };
FIXTURE_VARIANT_ADD(netfs, cifs) { .kind = NET_CIFS };
FIXTURE_VARIANT_ADD(netfs, 9p) { .kind = NET_9P };

FIXTURE_SETUP(netfs)
{
	size_t i;

	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	for (i = 0; i < self->set.nr; i++)
		self->with_id += !!self->set.files[i].id.size;
	if (!mkdir(EXPORTED, 0755))
		ASSERT_EQ(0, elf_set_copy(&self->set, EXPORTED, LONG_MAX));
	self->files = calloc(self->set.nr, sizeof(*self->files));
	strcpy(self->dir, "/tmp/ids-net.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->server.kind = variant->kind;
	self->server.exported = EXPORTED;
	self->server.dir = self->dir;
	ASSERT_EQ(0, net_start(&self->server));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(1 << 20);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(netfs)
{
	net_stop(&self->server);
	rmdir(self->dir);
}

static void open_all(struct __test_metadata *_metadata,
		     FIXTURE_DATA(netfs) *self)
{
	char path[256];
	size_t i;

	for (i = 0; i < self->set.nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", self->dir,
			 self->set.files[i].name);
		self->files[i] = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, self->files[i]) TH_LOG("%s", path);
	}
}

static void close_all(FIXTURE_DATA(netfs) *self)
{
	size_t i;

	for (i = 0; i < self->set.nr; i++)
		close(self->files[i]);
}

/* Map all files. Either each has its id in its record, or none has. */
static void map_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(netfs) *self, bool in_record)
{
	const struct id none = { 0 };
	struct map_record record;
	uint64_t begin;
	size_t i;

	for (i = 0; i < self->set.nr; i++) {
		const struct elf_file *file = &self->set.files[i];
		struct id id = in_record ? id_in_record(&file->id) : none;

		if (in_record && elf_file_is_late(file))
			continue;
		begin = now_ns();
		ASSERT_EQ(0, map_and_read(&self->ring, self->files[i],
					  i % NR_WAYS, &record));
		EXPECT_GT(STALL_NS, now_ns() - begin);
		EXPECT_TRUE(id_equal(&id, &record.id))
			TH_LOG("%s: %s", file->name, id_text(&record.id));
	}
}

/* All files but the empty one, which does not have to be read */
static uint64_t deferred(FIXTURE_DATA(netfs) *self)
{
	return ids_result(self->fd, PERFAUX_ID_DEFERRED) + 1;
}

/* The id comes late, once. Then the pages are in memory, and the id is in the record. */
TEST_F_TIMEOUT(netfs, late_ids, SECONDS)
{
	struct perfaux_ids_stats stats;

	open_all(_metadata, self);
	map_all(_metadata, self, false);
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ(self->set.nr, deferred(self));
	EXPECT_EQ(self->with_id,
		  late_ids_read(self->fd, &self->set, self->dir));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(self->with_id, stats.late[PERFAUX_ID_FOUND]);
	EXPECT_EQ(0, stats.late[PERFAUX_ID_UNREADABLE]);
	close_all(self);

	open_all(_metadata, self);
	map_all(_metadata, self, true);
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ(0, late_ids_read(self->fd, &self->set, self->dir));
	close_all(self);
}

/* Nobody waits for a server that hangs. When the server continues, the ids come. */
TEST_F_TIMEOUT(netfs, hangs, SECONDS)
{
	open_all(_metadata, self);
	ASSERT_EQ(0, net_hang(&self->server));
	map_all(_metadata, self, false);
	EXPECT_EQ(self->set.nr, deferred(self));
	EXPECT_EQ(self->set.nr - 1, ring_fdinfo(self->fd, "pending"));
	EXPECT_EQ(0, late_ids_read(self->fd, &self->set, self->dir));

	/* Other files get their ids meanwhile. */
	EXPECT_TRUE(late_not_others(&self->ring, &self->set));

	net_go_on(&self->server);
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_EQ(self->with_id,
		  late_ids_read(self->fd, &self->set, self->dir));
	close_all(self);
}

/* Waiting reads keep the module, but only until the server continues. */
TEST_F_TIMEOUT(netfs, hangs_and_closed, SECONDS)
{
	open_all(_metadata, self);
	ASSERT_EQ(0, net_hang(&self->server));
	map_all(_metadata, self, false);
	/* A read that has not begun would be dropped. */
	ASSERT_TRUE(late_reading(1));
	close(self->fd);
	map_ring_close(&self->ring);
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	net_go_on(&self->server);
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	EXPECT_EQ(0, ids_insert(NO_HURRY_US));
	close_all(self);
}

TEST_HARNESS_MAIN
