// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/snapfile/write.c and base/disk.c: a snapshot is written to a disk that is full,
 * that fails, or that other recorders also write to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "keep_now.h"
#include "snap_dir.h"
#include "snapfile/write.h"
#include "wrap.h"

#define TIME	(1785412800 * NSEC_PER_SEC)	/* 2026-07-30 12:00:00 UTC */

/* --- what a recorder has for its snapshots --- */

struct recorder {
	struct keep k;
	struct snapfile f;
	struct stream s;
	struct diag d;
	size_t size;
};

static bool may_go(void *ctx)
{
	const struct recorder *r = ctx;

	return keep_has_limits(&r->k);
}

static bool make_room(void *ctx, const struct keep_new *new)
{
	struct recorder *r = ctx;
	struct diag d;

	return keep_make_room(&r->k, new, tell, NULL, &d) > 0;
}

static int write_zeros(void *ctx)
{
	static const char data[32768];
	struct recorder *r = ctx;
	int err = 0;

	for (; !err && r->size; r->size -= sizeof(data)) {
		struct perf_event_header h = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(data),
		};

		err = stream_record_data(&r->s, &h, sizeof(h), data,
					 sizeof(data) - sizeof(h), 0) ?:
		      stream_flush(&r->s);
	}
	return err;
}

/* Write a snapshot of @size. Return 0 or -errno. */
static int record(struct recorder *r, __u64 number, size_t size)
{
	const struct snapfile_job job = {
		.pattern = "%o.%s", .base = "a", .trigger = "x", .number = number,
		.time = TIME, .out = &r->s, .write = write_zeros, .may_go = may_go,
		.no_space = make_room, .ctx = r,
	};
	int err;

	r->size = size;
	err = snapfile_write(&r->f, &job, &r->d);
	if (!err && keep_now(&r->k, r->f.path, &r->d) < 0)
		return -EIO;
	return err;
}

#define SNAPSHOT	(10 * 32768)

FIXTURE(write) {
	char dir[64];
	struct recorder r;
};

FIXTURE_SETUP(write)
{
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
}

FIXTURE_TEARDOWN(write)
{
	keep_free(&self->r.k);
	snap_dir_leave(self->dir);
}

/* The disk has room for three snapshots: the oldest go first. */
TEST_F(write, disk_full)
{
	const struct keep_limits limits = { .nr = 100 };
	struct stat st;
	int i;

	if (!snap_dir_small("1100k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	for (i = 1; i <= 20; i++)
		EXPECT_EQ(0, record(&self->r, i, SNAPSHOT));
	EXPECT_STREQ("a.18 a.19 a.20 ", snap_dir_list());
	ASSERT_EQ(0, stat("a.20", &st));
	EXPECT_EQ(SNAPSHOT + 16, st.st_size);
	/* If a snapshot finds no room whatever is removed, nothing is removed. */
	EXPECT_EQ(-ENOSPC, record(&self->r, 21, 4 * SNAPSHOT));
	EXPECT_STREQ("a.18 a.19 a.20 ", snap_dir_list());
	/* The next snapshot that fits is written as before. */
	EXPECT_EQ(0, record(&self->r, 22, SNAPSHOT));
	EXPECT_STREQ("a.19 a.20 a.22 ", snap_dir_list());
	/* A snapshot that needs the whole disk gets it. */
	EXPECT_EQ(0, record(&self->r, 23, 3 * SNAPSHOT));
	EXPECT_STREQ("a.23 ", snap_dir_list());
}

/* The disk has room for one snapshot: the newest stays. */
TEST_F(write, disk_of_one)
{
	const struct keep_limits limits = { .nr = 2 };
	char dir[256], said[512];
	struct stat st;
	int i, fd;

	if (!snap_dir_small("500k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	for (i = 1; i <= 5; i++) {
		char name[32];

		EXPECT_EQ(0, record(&self->r, i, SNAPSHOT + (i & 1) * 32768));
		snprintf(name, sizeof(name), "a.%d ", i);
		EXPECT_STREQ(name, snap_dir_list());
	}
	ASSERT_EQ(0, stat("a.5", &st));
	EXPECT_EQ(SNAPSHOT + 32768 + 16, st.st_size);
	/* A snapshot that does not fit in the place of the old one does not replace it. */
	EXPECT_EQ(-ENOSPC, record(&self->r, 6, 2 * SNAPSHOT));
	EXPECT_STREQ("a.5 ", snap_dir_list());
	ASSERT_NE(NULL, getcwd(dir, sizeof(dir)));
	snprintf(said, sizeof(said), "cannot write a snapshot to %s: No space left on device", dir);
	EXPECT_STREQ(said, self->r.d.msg);
	/*
	 * While a process reads the old snapshot, removing it frees nothing, so it is not
	 * replaced either.
	 */
	fd = open("a.5", O_RDONLY);
	EXPECT_EQ(-ENOSPC, record(&self->r, 7, SNAPSHOT));
	EXPECT_STREQ("a.5 ", snap_dir_list());
	close(fd);
	EXPECT_EQ(0, record(&self->r, 8, SNAPSHOT));
	EXPECT_STREQ("a.8 ", snap_dir_list());
}

/* The file system has inodes for one snapshot and for the directory. */
TEST_F(write, inodes_of_one)
{
	const struct keep_limits limits = { .nr = 2 };

	if (!snap_dir_small("1m,nr_inodes=2"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	EXPECT_EQ(0, record(&self->r, 1, 32768));
	EXPECT_EQ(0, record(&self->r, 2, 32768));
	EXPECT_STREQ("a.2 ", snap_dir_list());
}

/* Without limits, no snapshot may go: the new one fails, and the disk is as before. */
TEST_F(write, disk_full_no_limits)
{
	int i;

	if (!snap_dir_small("1100k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&self->r.k, &(struct keep_limits){ 0 }, "%o.%s", "a", &self->r.d));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(i <= 3 ? 0 : -ENOSPC, record(&self->r, i, SNAPSHOT));
	EXPECT_STREQ("a.1 a.2 a.3 ", snap_dir_list());
	ASSERT_EQ(0, unlink("a.2"));
	EXPECT_EQ(0, record(&self->r, 11, SNAPSHOT));
}

/* The file system runs out of inodes. */
TEST_F(write, no_inodes)
{
	const struct keep_limits limits = { .nr = 100 };
	int i;

	if (!snap_dir_small("1m,nr_inodes=4"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(0, record(&self->r, i, 32768));
	EXPECT_GE(3, snap_dir_count());
	EXPECT_EQ(0, access("a.10", F_OK));
}

/*
 * Recorders with the same name share a directory: there is always a snapshot, and at the end the
 * limit holds.
 */
TEST_F_TIMEOUT(write, race, 120)
{
	const struct keep_limits limits = { .nr = 1 };
	static struct recorder r;	/* one for each process */
	pid_t pids[4];
	int i, j, status;

	for (i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		if (keep_start(&r.k, &limits, "%o.%s", "a", &r.d))
			_exit(1);
		for (j = 0; j < 300; j++) {
			if (record(&r, i * 1000 + j + 1, 32768) || !snap_dir_count())
				_exit(2);
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		EXPECT_EQ(0, status);
	}
	/* A recorder that found the directory locked left some snapshots for the next time. */
	EXPECT_LE(1, snap_dir_count());
	EXPECT_GE(4, snap_dir_count());
	ASSERT_EQ(0, keep_start(&r.k, &limits, "%o.%s", "a", &r.d));
	EXPECT_LE(0, keep_now(&r.k, NULL, &r.d));
	EXPECT_EQ(1, snap_dir_count());
	keep_free(&r.k);
}

/* --- file systems that report that they are full when the test wants it --- */

static int full_err;
static unsigned int full_begins, full_names, full_closes;

static bool says_full(unsigned int *times)
{
	if (!*times)
		return false;
	--*times;
	errno = full_err;
	return true;
}

/* full_begins is counted in mkostemps(), which is called after open() has failed. */
static int full_open(int flags)
{
	return full_begins && (flags & O_TMPFILE) == O_TMPFILE ? -full_err : 0;
}

int __wrap_mkostemps(char *path, int suffix, int flags)
{
	return says_full(&full_begins) ? -1 : __real_mkostemps(path, suffix, flags);
}

/*
 * Calls in their order: d: fdatasync(), n: the file gets its name, s: fsync() of the file, f:
 * fsync() of the directory
 */
static char order[16];
static int data_err, names_err;

static void came(char what)
{
	const size_t len = strlen(order);

	if (len + 1 < sizeof(order)) {
		order[len] = what;
		order[len + 1] = '\0';
	}
}

int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	came('n');
	return says_full(&full_names) ? -1 : __real_linkat(from_dir, from, to_dir, to, flags);
}

static int sync_as(int err)
{
	errno = err;
	return err ? -1 : 0;
}

int __wrap_fdatasync(int fd)
{
	struct stat st;

	came(!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= 32768 ? 'd' : '?');
	return sync_as(data_err);
}

int __wrap_fsync(int fd)
{
	struct stat st, here;

	if (fstat(fd, &st) || stat(".", &here))
		came('?');
	else if (S_ISREG(st.st_mode))
		came('s');
	else
		came(st.st_ino == here.st_ino ? 'f' : '?');
	return sync_as(names_err);
}

/* Only the writer's descriptor is open for writing. */
int __wrap_close(int fd)
{
	const int flags = full_closes ? fcntl(fd, F_GETFL) : 0;
	const int r = __real_close(fd);

	return (flags & O_ACCMODE) == O_WRONLY && says_full(&full_closes) ? -1 : r;
}

FIXTURE(full) {
	char dir[64];
	struct recorder r;
};

FIXTURE_VARIANT(full) {
	int err;
};

FIXTURE_VARIANT_ADD(full, disk) { .err = ENOSPC };
FIXTURE_VARIANT_ADD(full, quota) { .err = EDQUOT };

FIXTURE_SETUP(full)
{
	const struct keep_limits limits = { .nr = 100 };
	int i;

	wrap_open_hook = full_open;
	full_err = variant->err;
	data_err = 0;
	names_err = 0;
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	for (i = 1; i <= 4; i++)
		ASSERT_EQ(0, record(&self->r, i, 32768));
	told[0] = '\0';
	order[0] = '\0';
}

FIXTURE_TEARDOWN(full)
{
	keep_free(&self->r.k);
	snap_dir_leave(self->dir);
}

TEST_F(full, begin)
{
	full_begins = 2;
	EXPECT_EQ(0, record(&self->r, 5, 32768));
	EXPECT_STREQ("./a.1 no space;./a.2 no space;", told);
	EXPECT_STREQ("a.3 a.4 a.5 ", snap_dir_list());
}

TEST_F(full, name)
{
	full_names = 2;
	EXPECT_EQ(0, record(&self->r, 5, 32768));
	EXPECT_STREQ("./a.1 no space;./a.2 no space;", told);
	EXPECT_STREQ("a.3 a.4 a.5 ", snap_dir_list());
}

/* An error of close() means that data is lost, so the snapshot fails. */
TEST_F(full, close)
{
	full_closes = 1;
	EXPECT_EQ(-variant->err, record(&self->r, 5, 32768));
	EXPECT_STREQ("./a.1 no space;", told);
	EXPECT_STREQ("a.2 a.3 a.4 ", snap_dir_list());
	EXPECT_EQ(0, record(&self->r, 6, 32768));
}

/* The snapshot also fails if the error comes later, from fdatasync(). */
TEST_F(full, sync)
{
	data_err = variant->err;
	EXPECT_EQ(-variant->err, record(&self->r, 5, 32768));
	EXPECT_STREQ("./a.1 no space;", told);
	EXPECT_STREQ("d", order);
	EXPECT_STREQ("a.2 a.3 a.4 ", snap_dir_list());
}

/* If the disk stays full, the newest snapshot stays, and the attempts end. */
TEST_F(full, for_good)
{
	full_begins = 1000;
	EXPECT_EQ(-variant->err, record(&self->r, 5, 32768));
	EXPECT_STREQ("a.4 ", snap_dir_list());
	full_begins = 0;
	full_names = 1000;
	EXPECT_EQ(-variant->err, record(&self->r, 6, 32768));
	EXPECT_STREQ("a.4 ", snap_dir_list());
}

/* --- room that the file system itself needs --- */

static bool no_fallocate;

int __wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
	if (!no_fallocate)
		return __real_fallocate(fd, mode, at, len);
	errno = EOPNOTSUPP;
	return -1;
}

FIXTURE(margin) {
	char dir[64];
	struct recorder r;
};

FIXTURE_VARIANT(margin) {
	bool no_fallocate;
};

FIXTURE_VARIANT_ADD(margin, fallocate) { .no_fallocate = false };
FIXTURE_VARIANT_ADD(margin, statvfs) { .no_fallocate = true };

FIXTURE_SETUP(margin)
{
	no_fallocate = variant->no_fallocate;
	full_err = ENOSPC;
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
}

FIXTURE_TEARDOWN(margin)
{
	keep_free(&self->r.k);
	snap_dir_leave(self->dir);
}

/* Start with a snapshot of @size bytes. Return 0, or -errno. */
static int begin_with(struct recorder *r, size_t size)
{
	const struct keep_limits limits = { .nr = 100 };

	return keep_start(&r->k, &limits, "%o.%s", "a", &r->d) ?: record(r, 1, size);
}

/*
 * The disk has room for the second snapshot's data, but not for 16 KiB more, which the file system
 * may need for itself. The second snapshot could then fail although the first one was removed for
 * it. So the first snapshot stays.
 */
TEST_F(margin, data_lacks)
{
	if (!snap_dir_small("368k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, begin_with(&self->r, SNAPSHOT));
	EXPECT_EQ(-ENOSPC, record(&self->r, 2, SNAPSHOT + 32768));
	EXPECT_STREQ("a.1 ", snap_dir_list());
}

/* The disk has room for the data and the 16 KiB. */
TEST_F(margin, data_fits)
{
	if (!snap_dir_small("372k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, begin_with(&self->r, SNAPSHOT));
	EXPECT_EQ(0, record(&self->r, 2, SNAPSHOT + 32768));
	EXPECT_STREQ("a.2 ", snap_dir_list());
}

/*
 * The data of both snapshots is on the disk, but there is no room for the second one's name. Less
 * than 16 KiB are free, so the first snapshot makes room.
 */
TEST_F(margin, name_lacks)
{
	if (!snap_dir_small("372k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, begin_with(&self->r, 32768));
	full_names = 1;
	EXPECT_EQ(0, record(&self->r, 2, SNAPSHOT));
	EXPECT_STREQ("a.2 ", snap_dir_list());
}

/* 16 KiB are free. It is not known what would help, so the newest snapshot stays. */
TEST_F(margin, name_unknown)
{
	if (!snap_dir_small("376k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, begin_with(&self->r, 32768));
	full_names = 1;
	EXPECT_EQ(-ENOSPC, record(&self->r, 2, SNAPSHOT));
	EXPECT_STREQ("a.1 ", snap_dir_list());
}

/* --- a snapshot gets its name when it is on disk --- */

FIXTURE(disk) {
	char dir[64];
	struct recorder r;
};

FIXTURE_SETUP(disk)
{
	const struct keep_limits limits = { .nr = 100 };

	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
	ASSERT_EQ(0, keep_start(&self->r.k, &limits, "%o.%s", "a", &self->r.d));
	ASSERT_EQ(0, record(&self->r, 1, 32768));
	order[0] = '\0';
	told[0] = '\0';
}

FIXTURE_TEARDOWN(disk)
{
	keep_free(&self->r.k);
	snap_dir_leave(self->dir);
}

/* Is the message @what, with the directory's absolute path, and the error EIO? */
static bool said(const char *msg, const char *what)
{
	char dir[256], wanted[512];
	size_t len;

	if (!getcwd(dir, sizeof(dir)))
		return false;
	len = snprintf(wanted, sizeof(wanted), what, dir);
	return !strncmp(msg, wanted, len) && !strcmp(msg + len, ": Input/output error");
}

TEST_F(disk, order)
{
	EXPECT_EQ(0, record(&self->r, 2, 32768));
	EXPECT_STREQ("dnsf", order);
	EXPECT_STREQ("a.1 a.2 ", snap_dir_list());
}

TEST_F(disk, data_lost)
{
	data_err = EIO;
	EXPECT_EQ(-EIO, record(&self->r, 2, 32768));
	EXPECT_TRUE(said(self->r.d.msg, "cannot get a snapshot in %s to the disk"));
	EXPECT_STREQ("d", order);
	EXPECT_STREQ("a.1 ", snap_dir_list());
	EXPECT_STREQ("", told);
	data_err = 0;
	EXPECT_EQ(0, record(&self->r, 3, 32768));
}

/* A file whose name may be lost is not reported. */
TEST_F(disk, name_lost)
{
	names_err = EIO;
	EXPECT_EQ(-EIO, record(&self->r, 2, 32768));
	EXPECT_TRUE(said(self->r.d.msg, "cannot get the name of a snapshot in %s to the disk"));
	EXPECT_STREQ("dns", order);
	names_err = ENOSPC;
	EXPECT_EQ(-EIO, record(&self->r, 3, 32768));
	/* ext4 returns EROFS when it has become read-only. */
	names_err = EROFS;
	EXPECT_EQ(-EIO, record(&self->r, 4, 32768));
	EXPECT_STREQ("a.1 ", snap_dir_list());
	EXPECT_STREQ("", told);
}

/* Some file systems have no fsync() and no fdatasync(). */
TEST_F(disk, no_sync)
{
	static const int none[] = { EINVAL, ENOSYS, EOPNOTSUPP };
	size_t i;

	for (i = 0; i < ARRAY_LEN(none); i++) {
		data_err = none[i];
		names_err = none[i];
		EXPECT_EQ(0, record(&self->r, 2 + i, 32768));
	}
	EXPECT_EQ(4, snap_dir_count());
}

TEST_HARNESS_MAIN
