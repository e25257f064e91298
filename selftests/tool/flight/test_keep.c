// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/snapfile/keep.c: which snapshots are removed, in which order, and which files are
 * never removed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "keep_now.h"
#include "snap_dir.h"

#define PATTERN	"%o.%t"
#define T0	1785412800ULL		/* 2026-07-30 12:00:00 UTC */
#define S	NSEC_PER_SEC
#define HOUR	(3600 * S)

static struct keep_clock now;

static struct keep_clock fake_clock(void)
{
	return now;
}

static void passes(__u64 ns)
{
	now.real += ns;
	now.boot += ns;
}

FIXTURE(keep) {
	char dir[64];
	struct keep k;
	struct diag d;
};

FIXTURE_SETUP(keep)
{
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
	now = (struct keep_clock){ T0 * S, HOUR };
}

FIXTURE_TEARDOWN(keep)
{
	keep_free(&self->k);
	snap_dir_leave(self->dir);
}

/* Return the name "a.2026..." of the time @ns before now. */
static const char *name_of(__u64 ns)
{
	static char name[64];
	const __u64 at = now.real - ns;
	const time_t s = at / S;
	char text[32];

	strftime(text, sizeof(text), "%Y%m%d%H%M%S", gmtime(&s));
	snprintf(name, sizeof(name), "a.%s%02llu", text, at % S / 10000000);
	return name;
}

static bool start_as(struct keep *k, struct keep_limits limits, const char *pattern)
{
	struct diag d;

	keep_free(k);
	/* Start without limits, so that the first look also uses the test's clock. */
	if (keep_start(k, &(struct keep_limits){ 0 }, pattern, "a", &d))
		return false;
	k->limits = limits;
	k->clock = fake_clock;
	return !keep_look(k, &d);
}

static bool start(struct keep *k, struct keep_limits limits)
{
	return start_as(k, limits, PATTERN);
}

static int apply(struct keep *k, const char *committed)
{
	struct diag d;

	told[0] = '\0';
	return keep_now(k, committed, &d);
}

/* Write a snapshot, as this run does */
static int add(struct keep *k, const char *name, size_t size)
{
	if (!snap_write(name, size))
		return -errno;
	return apply(k, name);
}

TEST_F(keep, number)
{
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000-2", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000-10", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000-9", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 3 }));
	/* No snapshot is removed before there is a new one. */
	EXPECT_EQ(5, snap_dir_count());
	EXPECT_EQ(3, add(&self->k, "a.2026073012000000", 0));
	EXPECT_STREQ("./a.2026073010000000 --keep=3;./a.2026073010000000-9 --keep=3;"
		     "./a.2026073010000000-10 --keep=3;", told);
	EXPECT_STREQ("a.2026073011000000 a.2026073011000000-2 a.2026073012000000 ",
		     snap_dir_list());
	EXPECT_EQ(0, apply(&self->k, NULL));
}

TEST_F(keep, no_limits)
{
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ 0 }));
	EXPECT_EQ(0, add(&self->k, "a.2026073012000000", 0));
	EXPECT_EQ(0, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_EQ(2, snap_dir_count());
}

TEST_F(keep, bytes)
{
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .bytes = 3 * 1016 }));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000000", 1000));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000001", 1000));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000002", 1000));
	/* Exactly as many bytes as allowed are not too many. */
	EXPECT_EQ(3, snap_dir_count());
	passes(S);
	EXPECT_EQ(1, add(&self->k, "a.2026073010000003", 1000));
	EXPECT_STREQ("./a.2026073010000000 --keep-bytes;", told);
	EXPECT_STREQ("a.2026073010000001 a.2026073010000002 a.2026073010000003 ",
		     snap_dir_list());
	EXPECT_EQ(0, apply(&self->k, NULL));
	/* For one byte too many, one more snapshot goes. */
	passes(S);
	EXPECT_EQ(2, add(&self->k, "a.2026073010000004", 1001));
	EXPECT_STREQ("./a.2026073010000001 --keep-bytes;./a.2026073010000002 --keep-bytes;",
		     told);
	EXPECT_STREQ("a.2026073010000003 a.2026073010000004 ", snap_dir_list());
	/* The newest stays, however large it is. */
	passes(S);
	EXPECT_EQ(2, add(&self->k, "a.2026073010000005", 100000));
	EXPECT_STREQ("a.2026073010000005 ", snap_dir_list());
}

TEST_F(keep, age)
{
	ASSERT_TRUE(snap_write(name_of(3 * HOUR), 0));
	ASSERT_TRUE(snap_write(name_of(HOUR), 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .age = 2 * HOUR }));
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2026073009000000 --keep-age;", told);
	EXPECT_EQ(0, add(&self->k, "a.2026073012000000", 0));
	/* A snapshot stays up to exactly its maximum age. */
	passes(HOUR);
	EXPECT_EQ(0, apply(&self->k, NULL));
	passes(1);
	EXPECT_EQ(1, apply(&self->k, NULL));
	/* The newest stays, however old it is. */
	passes(1000 * HOUR);
	EXPECT_EQ(0, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073012000000 ", snap_dir_list());
	EXPECT_EQ(1, add(&self->k, "a.2026073013000000", 0));
	EXPECT_STREQ("a.2026073013000000 ", snap_dir_list());
}

/* Snapshots that were touched or copied are as old as their names say. */
TEST_F(keep, touched)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_EQ(0, utimensat(AT_FDCWD, "a.2026073011000000", old, 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073011000000 ", snap_dir_list());
}

/* If the name has no time, the file's time counts. */
TEST_F(keep, numbered)
{
	struct timespec t[2] = { { 0 }, { 0 } };
	static const char * const names[] = { "a.10", "a.9", "a.1-2", "a.2", "a.1" };
	static const char * const more[] = { "a.3", "a.4", "a.5", "a.6", "a.7" };
	char path[16];
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		ASSERT_TRUE(snap_write(names[i], 0));
		t[1].tv_sec = T0 - 1000 + i;
		ASSERT_EQ(0, utimensat(AT_FDCWD, names[i], t, 0));
	}
	ASSERT_TRUE(start_as(&self->k, (struct keep_limits){ .nr = 6 }, "%o.%s"));
	for (i = 0; i < ARRAY_LEN(names); i++) {
		passes(S);
		EXPECT_EQ(!!i, add(&self->k, more[i], 0));
		if (i) {
			snprintf(path, sizeof(path), "./%s", names[i - 1]);
			EXPECT_EQ(0, strncmp(told, path, strlen(path)))
				TH_LOG("%s, not %s", told, path);
		}
	}
	EXPECT_STREQ("a.1 a.3 a.4 a.5 a.6 a.7 ", snap_dir_list());
}

TEST_F(keep, same_moment)
{
	ASSERT_TRUE(start_as(&self->k, (struct keep_limits){ .nr = 2 }, "%o.%t.%s"));
	ASSERT_TRUE(snap_write("a.2026073010000000.10", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000.9", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000.11", 0));
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073010000000.10 a.2026073010000000.11 ", snap_dir_list());
}

/* Every file that is no snapshot stays: another pattern, another user, another kind of file. */
TEST_F(keep, not_snapshots)
{
	static const char text[] = "PERFILE2, and what else I noted";
	char list[4096];
	int fd;

	ASSERT_EQ(0, mkdir("a.2026073001000000", 0700));
	ASSERT_EQ(0, mkfifo("a.2026073001000001", 0600));
	ASSERT_TRUE(snap_write("b.2026073001000000", 0));
	ASSERT_EQ(0, symlink("b.2026073001000000", "a.2026073001000002"));
	ASSERT_EQ(0, symlink("nowhere", "a.2026073001000003"));
	/* Empty, shorter than the head, another head, perf's other format */
	fd = open("a.2026073001000004", O_CREAT | O_WRONLY, 0600);
	close(fd);
	ASSERT_TRUE(snap_write("a.2026073001000005", 0));
	ASSERT_EQ(0, truncate("a.2026073001000005", 15));
	fd = open("a.2026073001000006", O_CREAT | O_WRONLY, 0600);
	ASSERT_EQ(sizeof(text), write(fd, text, sizeof(text)));
	close(fd);
	fd = open("a.2026073001000007", O_CREAT | O_WRONLY, 0600);
	ASSERT_EQ(16, write(fd, "PERFILE2\x68\0\0\0\0\0\0\0", 16));
	close(fd);
	/* Names that the pattern does not make */
	ASSERT_TRUE(snap_write("a.2026073001000008.bak", 0));
	ASSERT_TRUE(snap_write("a.2026073001000008-1", 0));
	/* SNAPFILE_SAME is 99999. */
	ASSERT_TRUE(snap_write("a.2026073001000008-100000", 0));
	ASSERT_TRUE(snap_write("a", 0));
	ASSERT_TRUE(snap_write(".auxrec-aaaaaa.tmp", 0));
	ASSERT_EQ(0, mkdir("sub", 0700));
	ASSERT_TRUE(snap_write("sub/a.2026073001000000", 0));
	if (!geteuid()) {
		ASSERT_TRUE(snap_write("a.2026073001000009", 0));
		ASSERT_EQ(0, chown("a.2026073001000009", 1, 1));
	}
	strcpy(list, snap_dir_list());

	ASSERT_TRUE(start(&self->k, (struct keep_limits){ 1, 1, 1 }));
	EXPECT_EQ(0, apply(&self->k, NULL));
	EXPECT_EQ(0, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_STREQ(list, snap_dir_list());
	/* These files do not count as snapshots, and none of them counts as the newest. */
	EXPECT_EQ(0, add(&self->k, "a.2026073000000000", 0));
	passes(S);
	EXPECT_EQ(1, add(&self->k, "a.2026073000000001", 0));
	EXPECT_STREQ("./a.2026073000000000 --keep=1;", told);
	EXPECT_EQ(0, access("sub/a.2026073001000000", F_OK));
}

/* A file that was a snapshot at the look may be another file when it must go. */
TEST_F(keep, becomes_other)
{
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	ASSERT_EQ(0, truncate("a.2026073010000000", 0));
	EXPECT_EQ(0, add(&self->k, "a.2026073012000000", 0));
	EXPECT_EQ(0, access("a.2026073010000000", F_OK));
	/* A new file of that name is looked at again. */
	ASSERT_EQ(0, unlink("a.2026073010000000"));
	ASSERT_TRUE(snap_write("x", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	EXPECT_EQ(1, apply(&self->k, NULL));
}

/* A file that has taken the name of a snapshot is no snapshot, and does not count. */
TEST_F(keep, name_taken)
{
	int fd;

	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 2 }));
	fd = open("x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, rename("x", "a.2026073011000000"));
	EXPECT_EQ(0, add(&self->k, "a.2026073012000000", 0));
	EXPECT_STREQ("a.2026073010000000 a.2026073011000000 a.2026073012000000 ",
		     snap_dir_list());
}

/*
 * While a slow disk removes a snapshot, there may be a new snapshot, or a new file with the old
 * name.
 */
TEST_F(keep, planned)
{
	struct keep_plan p;

	ASSERT_TRUE(snap_write("a.2026073009000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	ASSERT_EQ(0, keep_now_plan(&self->k, NULL, &p, &self->d));
	EXPECT_EQ(2, p.nr);
	ASSERT_TRUE(snap_write("a.2026073012000000", 0));
	ASSERT_EQ(0, keep_note(&self->k, "a.2026073012000000", &self->d));
	ASSERT_TRUE(snap_write("x", 0));
	ASSERT_EQ(0, rename("x", "a.2026073010000000"));
	told[0] = '\0';
	keep_remove(&p);
	EXPECT_EQ(1, keep_removed(&self->k, &p, tell, NULL));
	EXPECT_STREQ("./a.2026073009000000 --keep=1;", told);
	EXPECT_STREQ("a.2026073010000000 a.2026073011000000 a.2026073012000000 ",
		     snap_dir_list());
	/* The directory is not locked any more. */
	EXPECT_EQ(2, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073012000000 ", snap_dir_list());
}

/* The clock is set back by a day: snapshots written after that are still the newest. */
TEST_F(keep, clock_back)
{
	ASSERT_TRUE(snap_write(name_of(HOUR), 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 3, .age = 2 * HOUR }));
	passes(S);
	EXPECT_EQ(0, add(&self->k, name_of(0), 0));	/* 12:00:01 */
	now.real -= 24 * HOUR;
	passes(S);
	EXPECT_EQ(0, add(&self->k, name_of(0), 0));
	passes(S);
	EXPECT_EQ(1, add(&self->k, name_of(0), 0));
	EXPECT_STREQ("./a.2026073011000000 --keep=3;", told);
	passes(S);
	EXPECT_EQ(1, add(&self->k, name_of(0), 0));
	EXPECT_STREQ("./a.2026073012000100 --keep=3;", told);
	EXPECT_STREQ("a.2026072912000200 a.2026072912000300 a.2026072912000400 ",
		     snap_dir_list());
	/* Snapshots of this run age as time passes, not as the clock says. */
	now.real += 48 * HOUR;
	EXPECT_EQ(0, apply(&self->k, NULL));
	passes(2 * HOUR - S / 2);
	EXPECT_EQ(2, apply(&self->k, NULL));
}

/*
 * Snapshots that were written and noted while a thread looks are not the oldest, although the
 * clock was set back by a day then.
 */
TEST_F(keep, noted_since_the_look)
{
	struct keep_plan p;
	struct keep copy;
	char name[2][64];
	int i, lock;

	ASSERT_TRUE(snap_write(name_of(HOUR), 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 2 }));
	ASSERT_EQ(0, keep_copy(&copy, &self->k));
	now.real -= 24 * HOUR;
	for (i = 0; i < 2; i++) {
		passes(S);
		strcpy(name[i], name_of(0));
		ASSERT_TRUE(snap_write(name[i], 0));
		ASSERT_EQ(0, keep_note(&self->k, name[i], &self->d));
	}
	now.real += 24 * HOUR;
	lock = keep_lock(&copy);
	ASSERT_EQ(0, keep_look(&copy, &self->d));
	keep_take(&self->k, &copy);
	ASSERT_EQ(0, keep_plan(&self->k, lock, &p, &self->d));
	keep_remove(&p);
	told[0] = '\0';
	EXPECT_EQ(1, keep_removed(&self->k, &p, tell, NULL));
	EXPECT_STREQ("./a.2026073011000000 --keep=2;", told);
	EXPECT_EQ(0, access(name[0], F_OK));
	EXPECT_EQ(0, access(name[1], F_OK));
}

/* The snapshot that was just reported stays, even if another recorder has written one since. */
TEST_F(keep, newer_of_another)
{
	char ours[64];

	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	strcpy(ours, name_of(0));
	ASSERT_TRUE(snap_write(ours, 0));
	ASSERT_EQ(0, keep_note(&self->k, ours, &self->d));
	passes(S);
	ASSERT_TRUE(snap_write(name_of(0), 0));
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2026073012000100 --keep=1;", told);
	EXPECT_EQ(0, access(ours, F_OK));
}

/* If an earlier run's clock was ahead, its snapshots are removed before those of this run. */
TEST_F(keep, from_the_future)
{
	ASSERT_TRUE(snap_write("a.2030010100000000", 0));
	ASSERT_TRUE(snap_write("a.2031010100000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 3, .age = HOUR }));
	passes(S);
	EXPECT_EQ(0, add(&self->k, "a.2026073012000100", 0));
	passes(S);
	EXPECT_EQ(1, add(&self->k, "a.2026073012000200", 0));
	EXPECT_STREQ("./a.2030010100000000 --keep=3;", told);
	/* A snapshot with a time in the future is not kept until that time. */
	passes(HOUR - S);
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2031010100000000 --keep-age;", told);
}

/* The limits of a restarted daemon also apply to the snapshots that it finds. */
TEST_F(keep, restarts)
{
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 3 }));
		passes(S);
		EXPECT_EQ(i < 3 ? 0 : 1, add(&self->k, name_of(0), 0));
	}
	EXPECT_STREQ("a.2026073012001800 a.2026073012001900 a.2026073012002000 ",
		     snap_dir_list());
}

/* A snapshot that cannot be removed is reported once, and no other goes in its place. */
TEST_F(keep, stuck)
{
	ASSERT_TRUE(snap_write("a.2026073009000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	/* A mount point in this mount namespace cannot be removed. */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("a.2026073009000000", "a.2026073009000000", NULL, MS_BIND, NULL))
		SKIP(return, "cannot mount");
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 2 }));
	EXPECT_EQ(0, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2026073009000000 --keep=2: Device or resource busy;", told);
	EXPECT_EQ(1, add(&self->k, "a.2026073012000000", 0));
	EXPECT_STREQ("./a.2026073010000000 --keep=2;", told);
	EXPECT_EQ(1, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_STREQ("a.2026073009000000 a.2026073012000000 ", snap_dir_list());
	umount("a.2026073009000000");
	EXPECT_EQ(1, add(&self->k, "a.2026073012000001", 0));
	EXPECT_STREQ("./a.2026073009000000 --keep=2;", told);
}

TEST_F(keep, one_goes)
{
	ASSERT_TRUE(snap_write("a.2026073009000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 100 }));
	told[0] = '\0';
	EXPECT_EQ(1, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_STREQ("./a.2026073009000000 no space;", told);
	EXPECT_EQ(1, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_EQ(0, keep_make_room(&self->k, NULL, tell, NULL, &self->d));
	EXPECT_STREQ("a.2026073011000000 ", snap_dir_list());
}

/* A new snapshot: does it fit when @freed bytes are free? 1: yes, 0: no, -1: not known */
struct fits {
	int says;
	__u64 freed;
};

static int fits(void *ctx, __u64 freed)
{
	struct fits *f = ctx;

	f->freed = freed;
	return f->says;
}

/* Write a snapshot whose bytes take room on the disk. */
static bool write_bytes(const char *name, size_t size)
{
	int fd, err;

	if (!snap_write(name, 0))
		return false;
	fd = open(name, O_WRONLY);
	err = posix_fallocate(fd, 0, size);
	close(fd);
	return !err;
}

TEST_F(keep, the_newest_goes)
{
	struct fits f = { .says = 0 };
	const struct keep_new new = { fits, &f };

	ASSERT_TRUE(write_bytes("a.2026073010000000", 20000));
	ASSERT_TRUE(write_bytes("a.2026073011000000", 50000));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 100 }));
	told[0] = '\0';
	/* If no removal makes enough room, no snapshot is removed. */
	EXPECT_EQ(0, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_EQ(2, snap_dir_count());
	EXPECT_LE(70000, f.freed);
	EXPECT_GE(100000, f.freed);
	/* If it is not known whether the snapshot fits, the newest stays. */
	f.says = -1;
	EXPECT_EQ(1, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_EQ(0, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_STREQ("a.2026073011000000 ", snap_dir_list());
	f.says = 1;
	EXPECT_EQ(1, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_STREQ("./a.2026073010000000 no space;./a.2026073011000000 no space;", told);
	EXPECT_EQ(0, snap_dir_count());
	EXPECT_EQ(0, keep_make_room(&self->k, &new, tell, NULL, &self->d));
}

/* A file that has another name, or that is being read, keeps its room when it is removed. */
TEST_F(keep, frees_nothing)
{
	struct fits f = { .says = 0 };
	const struct keep_new new = { fits, &f };
	int fd;

	ASSERT_TRUE(write_bytes("a.2026073010000000", 50000));
	ASSERT_TRUE(write_bytes("a.2026073011000000", 50000));
	ASSERT_EQ(0, link("a.2026073010000000", "mine"));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 100 }));
	EXPECT_EQ(0, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_LE(50000, f.freed);
	EXPECT_GE(65536, f.freed);
	fd = open("a.2026073011000000", O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, keep_make_room(&self->k, &new, tell, NULL, &self->d));
	EXPECT_EQ(0, f.freed);
	close(fd);
}

TEST_F(keep, no_directory)
{
	const struct keep_limits limits = { .nr = 1 };

	EXPECT_EQ(-ENOENT, keep_start(&self->k, &limits, PATTERN, "nowhere/a", &self->d));
	EXPECT_STREQ("cannot look for snapshots in nowhere: No such file or directory",
		     self->d.msg);
	EXPECT_EQ(0, keep_start(&self->k, &(struct keep_limits){ 0 }, PATTERN,
				"nowhere/a", &self->d));
}

/* The recorder remembers only snapshots that are on disk. */
TEST_F(keep, memory)
{
	int i;

	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 5 }));
	for (i = 0; i < 200; i++) {
		passes(S);
		ASSERT_LE(0, add(&self->k, name_of(0), 0));
		EXPECT_GE(6, self->k.nr);
	}
}

TEST_HARNESS_MAIN
