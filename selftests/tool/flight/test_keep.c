// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool/keep.c: which snapshots are removed, in which order, and what never is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "keep.h"
#include "snap_dir.h"
#include "snapfile.h"
#include "stream.h"

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

/* "a.2026..." of @ns before now */
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
	/* Also its first look is of the clock of the test. */
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

/* What was told, as "path why;" or "path why: error;" */
static char told[4096];

static void tell(void *ctx, const char *path, const char *why, int err)
{
	const size_t len = strlen(told);

	(void)ctx;
	snprintf(told + len, sizeof(told) - len, "%s %s%s%s;", path, why,
		 err ? ": " : "", err ? strerror(-err) : "");
}

static int apply(struct keep *k, const char *committed)
{
	struct diag d;

	told[0] = '\0';
	return keep_apply(k, committed, tell, NULL, &d);
}

/* A snapshot of now, by this run */
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
	/* Nothing goes before there is something new. */
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
	EXPECT_EQ(0, keep_make_room(&self->k, tell, NULL, &self->d));
	EXPECT_EQ(2, snap_dir_count());
}

TEST_F(keep, bytes)
{
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .bytes = 3 * 1016 }));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000000", 1000));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000001", 1000));
	EXPECT_EQ(0, add(&self->k, "a.2026073010000002", 1000));
	/* As many bytes as they may have are not too many. */
	EXPECT_EQ(3, snap_dir_count());
	passes(S);
	EXPECT_EQ(1, add(&self->k, "a.2026073010000003", 1000));
	EXPECT_STREQ("./a.2026073010000000 --keep-bytes;", told);
	EXPECT_STREQ("a.2026073010000001 a.2026073010000002 a.2026073010000003 ",
		     snap_dir_list());
	EXPECT_EQ(0, apply(&self->k, NULL));
	/* One byte too many costs one more. */
	passes(S);
	EXPECT_EQ(2, add(&self->k, "a.2026073010000004", 1001));
	EXPECT_STREQ("./a.2026073010000001 --keep-bytes;./a.2026073010000002 --keep-bytes;",
		     told);
	EXPECT_STREQ("a.2026073010000003 a.2026073010000004 ", snap_dir_list());
	/* The newest stays, whatever it has. */
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
	/* To the moment */
	passes(HOUR);
	EXPECT_EQ(0, apply(&self->k, NULL));
	passes(1);
	EXPECT_EQ(1, apply(&self->k, NULL));
	/* The newest stays, however old. */
	passes(1000 * HOUR);
	EXPECT_EQ(0, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073012000000 ", snap_dir_list());
	EXPECT_EQ(1, add(&self->k, "a.2026073013000000", 0));
	EXPECT_STREQ("a.2026073013000000 ", snap_dir_list());
}

/* Touched or copied ones are as old as their names say. */
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

/* Without a time in the name there is only the file's. */
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

/* Everything that is not a snapshot of this pattern, user and kind stays. */
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
	EXPECT_EQ(0, keep_make_room(&self->k, tell, NULL, &self->d));
	EXPECT_STREQ(list, snap_dir_list());
	/* Nor do they count, or are the newest. */
	EXPECT_EQ(0, add(&self->k, "a.2026073000000000", 0));
	passes(S);
	EXPECT_EQ(1, add(&self->k, "a.2026073000000001", 0));
	EXPECT_STREQ("./a.2026073000000000 --keep=1;", told);
	EXPECT_EQ(0, access("sub/a.2026073001000000", F_OK));
}

/* What was one when it was looked at may be another file when it is to go. */
TEST_F(keep, becomes_other)
{
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	ASSERT_EQ(0, truncate("a.2026073010000000", 0));
	EXPECT_EQ(0, add(&self->k, "a.2026073012000000", 0));
	EXPECT_EQ(0, access("a.2026073010000000", F_OK));
	/* A new one of that name is looked at anew. */
	ASSERT_EQ(0, unlink("a.2026073010000000"));
	ASSERT_TRUE(snap_write("x", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	EXPECT_EQ(1, apply(&self->k, NULL));
}

/* Much may happen while a slow disk removes one: a new snapshot, a new file of that name. */
TEST_F(keep, planned)
{
	struct keep_plan p;

	ASSERT_TRUE(snap_write("a.2026073009000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 1 }));
	ASSERT_EQ(0, keep_plan(&self->k, NULL, &p, &self->d));
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
	/* The directory is not held any more. */
	EXPECT_EQ(2, apply(&self->k, NULL));
	EXPECT_STREQ("a.2026073012000000 ", snap_dir_list());
}

/* The clock is set back by a day: what comes then is the newest nonetheless. */
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
	/* They age as time passes, not as the clock says. */
	now.real += 48 * HOUR;
	EXPECT_EQ(0, apply(&self->k, NULL));
	passes(2 * HOUR - S / 2);
	EXPECT_EQ(2, apply(&self->k, NULL));
}

/* An earlier run's clock was ahead: those go before what this run writes. */
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
	/* And they do not stay until then. */
	passes(HOUR - S);
	EXPECT_EQ(1, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2031010100000000 --keep-age;", told);
}

/* A restarted daemon's limits are for what it finds, too. */
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

/* One that cannot be removed is told once, and does not cost the others. */
TEST_F(keep, stuck)
{
	ASSERT_TRUE(snap_write("a.2026073009000000", 0));
	ASSERT_TRUE(snap_write("a.2026073010000000", 0));
	ASSERT_TRUE(snap_write("a.2026073011000000", 0));
	/* A mount point of this name space */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("a.2026073009000000", "a.2026073009000000", NULL, MS_BIND, NULL))
		SKIP(return, "cannot mount");
	ASSERT_TRUE(start(&self->k, (struct keep_limits){ .nr = 2 }));
	EXPECT_EQ(0, apply(&self->k, NULL));
	EXPECT_STREQ("./a.2026073009000000 --keep=2: Device or resource busy;", told);
	EXPECT_EQ(1, add(&self->k, "a.2026073012000000", 0));
	EXPECT_STREQ("./a.2026073010000000 --keep=2;", told);
	EXPECT_EQ(1, keep_make_room(&self->k, tell, NULL, &self->d));
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
	EXPECT_EQ(1, keep_make_room(&self->k, tell, NULL, &self->d));
	EXPECT_STREQ("./a.2026073009000000 no space;", told);
	EXPECT_EQ(1, keep_make_room(&self->k, tell, NULL, &self->d));
	EXPECT_EQ(0, keep_make_room(&self->k, tell, NULL, &self->d));
	EXPECT_STREQ("a.2026073011000000 ", snap_dir_list());
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

/* --- with snapfile.c and stream.c, as a recorder has them --- */

struct recorder {
	struct keep k;
	struct snapfile f;
	struct stream s;
	struct diag d;
};

static bool make_room(void *ctx)
{
	struct recorder *r = ctx;

	return keep_make_room(&r->k, tell, NULL, &r->d) > 0;
}

/* One of @size; 0 or -errno */
static int record(struct recorder *r, __u64 number, size_t size)
{
	static const char data[32768];
	int fd, err = 0, end;

	while ((fd = snapfile_begin(&r->f, "%o.%s", "a", "x", number, T0 * S, &r->d)) == -ENOSPC) {
		if (!make_room(r))
			break;
	}
	if (fd < 0)
		return fd;
	if (stream_open_fd(&r->s, fd, &r->d))
		return -ENOMEM;
	r->s.no_space = make_room;
	r->s.no_space_ctx = r;
	for (; !err && size; size -= sizeof(data)) {
		struct perf_event_header h = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(data),
		};

		err = stream_record_data(&r->s, &h, sizeof(h), data,
					 sizeof(data) - sizeof(h), 0) ?:
		      stream_flush(&r->s);
	}
	end = stream_close(&r->s);
	err = err ?: end;
	while (!err) {
		err = snapfile_commit(&r->f, &r->d);
		if (err != -ENOSPC || !make_room(r))
			break;
		err = 0;
	}
	if (err)
		snapfile_abort(&r->f);
	else if (keep_apply(&r->k, r->f.path, tell, NULL, &r->d) < 0)
		return -EIO;
	return err;
}

#define SNAPSHOT	(10 * 32768)

/* A disk for three of them: the oldest go first. */
TEST_F(keep, disk_full)
{
	const struct keep_limits limits = { .nr = 100 };
	static struct recorder r;
	struct stat st;
	int i;

	if (!snap_dir_small("1100k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&r.k, &limits, "%o.%s", "a", &r.d));
	for (i = 1; i <= 20; i++)
		EXPECT_EQ(0, record(&r, i, SNAPSHOT));
	EXPECT_STREQ("a.18 a.19 a.20 ", snap_dir_list());
	ASSERT_EQ(0, stat("a.20", &st));
	EXPECT_EQ(SNAPSHOT + 16, st.st_size);
	/* One that has no room whatever goes: the newest stays all the same. */
	EXPECT_EQ(-ENOSPC, record(&r, 21, 4 * SNAPSHOT));
	EXPECT_STREQ("a.20 ", snap_dir_list());
	/* And after that all is as before. */
	EXPECT_EQ(0, record(&r, 22, SNAPSHOT));
	EXPECT_STREQ("a.20 a.22 ", snap_dir_list());
	keep_free(&r.k);
}

/* Nobody said that any may go: the new one fails, and the disk is as it was. */
TEST_F(keep, disk_full_no_limits)
{
	static struct recorder r;
	int i;

	if (!snap_dir_small("1100k"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&r.k, &(struct keep_limits){ 0 }, "%o.%s", "a", &r.d));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(i <= 3 ? 0 : -ENOSPC, record(&r, i, SNAPSHOT));
	EXPECT_STREQ("a.1 a.2 a.3 ", snap_dir_list());
	ASSERT_EQ(0, unlink("a.2"));
	EXPECT_EQ(0, record(&r, 11, SNAPSHOT));
	keep_free(&r.k);
}

/* Names, too, need room: inodes are out. */
TEST_F(keep, no_inodes)
{
	const struct keep_limits limits = { .nr = 100 };
	static struct recorder r;
	int i;

	if (!snap_dir_small("1m,nr_inodes=4"))
		SKIP(return, "cannot mount a tmpfs");
	ASSERT_EQ(0, keep_start(&r.k, &limits, "%o.%s", "a", &r.d));
	for (i = 1; i <= 10; i++)
		EXPECT_EQ(0, record(&r, i, 32768));
	EXPECT_GE(3, snap_dir_count());
	EXPECT_EQ(0, access("a.10", F_OK));
	keep_free(&r.k);
}

/* Recorders of one name in one directory: never more than the limit, never none. */
TEST_F_TIMEOUT(keep, race, 120)
{
	const struct keep_limits limits = { .nr = 1 };
	static struct recorder r;
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
	/* Who found another at work left some to the next time. */
	EXPECT_LE(1, snap_dir_count());
	EXPECT_GE(4, snap_dir_count());
	ASSERT_EQ(0, keep_start(&r.k, &limits, "%o.%s", "a", &r.d));
	EXPECT_LE(0, keep_apply(&r.k, NULL, tell, NULL, &r.d));
	EXPECT_EQ(1, snap_dir_count());
	keep_free(&r.k);
}

/* What is remembered is what is on disk. */
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
