// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/snapfile/snapfile.c and snapfile/name.c: the names of snapshots; a file is
 * complete or does not exist, whichever process is killed and when, and it replaces no other
 * file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "snap_dir.h"
#include "snapfile/snapfile.h"
#include "stream/write.h"
#include "wrap.h"

#define ONE_NAME "would be the name of each snapshot: give %t (time) or %s (number) in it"
#define ONE_DIR "all snapshots go to one directory"
#define THERE_ARE "there are %o (the name of -o), %t (time), %n (trigger), %s (number) and %%"

#define T0	1785412800ULL		/* 2026-07-30 12:00:00 UTC */
#define NS(cs)	(T0 * NSEC_PER_SEC + (cs) * 10000000ULL)

/* --- file systems that can do less --- */

static bool no_noreplace, no_link;

static int no_tmpfile(int flags)
{
	return (flags & O_TMPFILE) == O_TMPFILE ? -EOPNOTSUPP : 0;
}

int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags)
{
	if (no_noreplace) {
		errno = EINVAL;
		return -1;
	}
	return __real_renameat2(from_dir, from, to_dir, to, flags);
}

int __wrap_link(const char *from, const char *to)
{
	if (no_link) {
		errno = EPERM;
		return -1;
	}
	return __real_link(from, to);
}

/* --- names --- */

static const struct {
	const char *pattern;
	const char *base;
	const char *says;	/* NULL: the pattern is right */
} pattern_cases[] = {
	{ "%o.sample.%t", "auxrec.data", NULL },
	{ "%o.%s", "auxrec.data", NULL },
	{ "/var/x%%y/%n-%t", "auxrec.data", NULL },
	{ "%o/%t", "dir", NULL },
	{ "%o", "x", "'%o' " ONE_NAME },
	{ "%o.%n", "x", "'%o.%n' " ONE_NAME },
	{ "", "x", "'' " ONE_NAME },
	{ "%o.%%t", "x", "'%o.%%t' " ONE_NAME },
	{ "%t%t", "x", "'%t%t': %t is given twice: give it once" },
	{ "%o%t%o", "x", "'%o%t%o': %o is given twice: give it once" },
	{ "%t/%s", "x",
	  "'%t/%s': %t is in a directory's name: give it after the last '/', " ONE_DIR },
	{ "%t.%o", "a/b",
	  "'%t.%o', 'a/b': %t is in a directory's name: give it after %o, " ONE_DIR },
	{ "%t.%y", "x",
	  "'%t.%y': there is no %y: " THERE_ARE },
	{ "%t.%", "x",
	  "'%t.%': there is no %: " THERE_ARE },
};

TEST(patterns)
{
	struct snapfile_name n;
	size_t i;

	for (i = 0; i < ARRAY_LEN(pattern_cases); i++) {
		struct diag d = { "" };
		int err = snapfile_name_init(&n, pattern_cases[i].pattern,
					     pattern_cases[i].base, &d);

		EXPECT_EQ(pattern_cases[i].says ? -EINVAL : 0, err);
		EXPECT_STREQ(pattern_cases[i].says ?: "", d.msg);
	}
}

TEST(long_names)
{
	char base[5000];
	struct snapfile_name n;
	struct diag d;
	char name[NAME_MAX + 1];

	/* There is room for .sample., 16 digits and -99999. */
	memset(base, 'a', sizeof(base));
	base[NAME_MAX - 30] = '\0';
	ASSERT_EQ(0, snapfile_name_init(&n, SNAPFILE_PATTERN, base, &d));
	snapfile_name_make(&n, "x", 1, NS(0), SNAPFILE_SAME, name);
	EXPECT_EQ(NAME_MAX, strlen(name));
	strcat(base, "a");
	EXPECT_EQ(-ENAMETOOLONG, snapfile_name_init(&n, SNAPFILE_PATTERN, base, &d));

	memset(base, 'a', sizeof(base));
	strcpy(base + sizeof(base) - 3, "/b");
	EXPECT_EQ(-ENAMETOOLONG, snapfile_name_init(&n, SNAPFILE_PATTERN, base, &d));
}

static const struct {
	const char *pattern;
	const char *base;
	const char *trigger;
	unsigned int again;
	const char *dir;
	const char *name;
} name_cases[] = {
	{ "%o.sample.%t", "auxrec.data", "x", 1, ".", "auxrec.data.sample.2026073012000042" },
	{ "%o.sample.%t", "auxrec.data", "x", 2, ".", "auxrec.data.sample.2026073012000042-2" },
	{ "%o.sample.%t", "/var/a", "x", 1, "/var", "a.sample.2026073012000042" },
	{ "%o.sample.%t", "/a", "x", 1, "/", "a.sample.2026073012000042" },
	{ "d%%/%o-%s-%n", "50%t", "x", 13, "d%", "50%t-7-13-x" },
	{ "%%t%t%%", "x", "x", 2, ".", "%t2026073012000042-2%" },
	{ "%s%t", "x", "x", 3, ".", "72026073012000042-3" },
	{ "%t%s", "x", "x", 3, ".", "2026073012000042-37" },
	{ "%s0", "x", "x", 1, ".", "70" },
	{ "%n%s", "x", "event-sched:sched_switch", 1, ".", "event-sched_sched_switch7" },
	{ "%n.%s", "x", "exec-foo*", 1, ".", "exec-foo_.7" },
	{ "%n.%s", "x", ".. a/b", 1, ".", "_._a_b.7" },
	{ "%n.%s", "x", "-rf", 1, ".", "_rf.7" },
};

TEST(names)
{
	struct snapfile_parts parts;
	char name[NAME_MAX + 1];
	struct snapfile_name n;
	struct diag d;
	size_t i;

	setenv("TZ", "UTC0", 1);
	for (i = 0; i < ARRAY_LEN(name_cases); i++) {
		ASSERT_EQ(0, snapfile_name_init(&n, name_cases[i].pattern, name_cases[i].base, &d))
			TH_LOG("%s", d.msg);
		EXPECT_STREQ(name_cases[i].dir, n.dir);
		snapfile_name_make(&n, name_cases[i].trigger, 7, NS(42), name_cases[i].again, name);
		EXPECT_STREQ(name_cases[i].name, name);
		EXPECT_TRUE(snapfile_name_match(&n, name, &parts))
			TH_LOG("%s", name);
		if (parts.has_time)
			EXPECT_EQ(NS(42), parts.time);
	}
}

TEST(time_zone)
{
	struct snapfile_parts parts;
	char name[NAME_MAX + 1];
	struct snapfile_name n;
	struct diag d;

	setenv("TZ", "XYZ-5:30", 1);
	ASSERT_EQ(0, snapfile_name_init(&n, "%t", "x", &d));
	snapfile_name_make(&n, "x", 7, NS(42), 1, name);
	EXPECT_STREQ("2026073017300042", name);
	EXPECT_TRUE(snapfile_name_match(&n, name, &parts));
	EXPECT_EQ(NS(42), parts.time);
}

/*
 * Names that recorders have made: in this zone, or in another one before the machine's zone was
 * changed. In this zone, the clock steps from 02:00 to 03:00 on 29 March 2026, and from 03:00 to
 * 02:00 on 25 October.
 */
static const char * const dates[] = {
	"2026032902300042", "2026032902000000", "2026032903000000", "2026102502300042",
	"2026102503000000", "2026013100000000", "2026123123595999", "2028022923595999",
	"2000022900000000",
};

TEST(names_of_any_zone)
{
	struct snapfile_parts parts;
	struct snapfile_name n;
	struct diag d;
	size_t i;

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	ASSERT_EQ(0, snapfile_name_init(&n, "%t", "x", &d));
	for (i = 0; i < ARRAY_LEN(dates); i++)
		EXPECT_TRUE(snapfile_name_match(&n, dates[i], &parts))
			TH_LOG("%s", dates[i]);
	EXPECT_FALSE(snapfile_name_match(&n, "2026022902300042", &parts));
	EXPECT_FALSE(snapfile_name_match(&n, "2026032902306042", &parts));
}

/* Write a file for TZ whose zone has one leap second, before the time @leap and one more second. */
static bool make_leap_zone(const char *path, __u32 leap)
{
	/* tzfile(5): the header counts 1 leap second, 1 type of time, and 7 bytes of names. */
	__u8 zone[44 + 6 + 7 + 8] = "TZif";
	FILE *f = fopen(path, "wb");
	int i;

	zone[31] = 1;
	zone[39] = 1;
	zone[43] = 7;
	/* The type of time is 9 hours east of UTC. */
	zone[46] = 32400 >> 8;
	zone[47] = 32400 & 0xff;
	memcpy(zone + 50, "LEAP+9", 7);
	for (i = 0; i < 4; i++)
		zone[57 + i] = leap >> (24 - 8 * i);
	zone[64] = 1;
	return f && fwrite(zone, sizeof(zone), 1, f) == 1 && !fclose(f);
}

/* In a zone with leap seconds, the clock shows second 60 during one. */
TEST(leap_second)
{
	char dir[64], tz[128], name[NAME_MAX + 1];
	struct snapfile_parts parts;
	struct snapfile_name n;
	struct diag d;

	ASSERT_TRUE(snap_dir_enter(dir, sizeof(dir)));
	ASSERT_TRUE(make_leap_zone("zone", T0));
	snprintf(tz, sizeof(tz), ":%s/zone", dir);
	setenv("TZ", tz, 1);
	ASSERT_EQ(0, snapfile_name_init(&n, "%t", "x", &d));
	snapfile_name_make(&n, "x", 7, NS(42), 1, name);
	EXPECT_STREQ("2026073020596042", name);
	EXPECT_TRUE(snapfile_name_match(&n, name, &parts));
	EXPECT_EQ(NS(42), parts.time);
	EXPECT_FALSE(snapfile_name_match(&n, "2026073020586042", &parts));
	snap_dir_leave(dir);
}

TEST(parts)
{
	struct snapfile_parts parts;
	struct snapfile_name n;
	struct diag d;

	setenv("TZ", "UTC0", 1);
	ASSERT_EQ(0, snapfile_name_init(&n, "%o-%n-%s-%t.x", "a", &d));
	ASSERT_TRUE(snapfile_name_match(&n, "a-b-1-c-12-2026073012000000-3.x", &parts));
	EXPECT_EQ(12, parts.number);
	EXPECT_EQ(3, parts.again);
	EXPECT_EQ(NS(0), parts.time);
}

/* Files that users and other programs have beside the snapshots */
static const char * const others[] = {
	"auxrec.data", "auxrec.data.sample.", "auxrec.data.sample.202607301200004",
	"auxrec.data.sample.20260730120000420", "auxrec.data.sample.2026073012000042-",
	"auxrec.data.sample.2026073012000042-1", "auxrec.data.sample.2026073012000042-02",
	"auxrec.data.sample.2026073012000042-2x", "auxrec.data.sample.2026073012000042.old",
	"auxrec.data.sample.2026073012000042-100000", "auxrec.data.sample.2026133012000042",
	"auxrec.data.sample.2026073024000042", "auxrec.data.sample.2026070012000042",
	"auxrec.data.sample.2026001212000042", "auxrec.data.sample.2026023012000042",
	"auxrec.data.sample.2026022912000042", "auxrec.data.sample.2026063112000042",
	"auxrec.data.sample.2026073012600042", "auxrec.data.sample.2026073012006042",
	"auxrec.data.sample.2100022912000042", "auxrec.data.sample.2026073012006142",
	"xauxrec.data.sample.2026073012000042", "Auxrec.data.sample.2026073012000042",
	"auxrec.data.sample.2026-73012000042", "auxrec.data.sample.9999073012000042",
	".auxrec-aaaaaa.tmp", "",
};

TEST(other_names)
{
	struct snapfile_parts parts;
	struct snapfile_name n;
	struct diag d;
	size_t i;

	setenv("TZ", "UTC0", 1);
	ASSERT_EQ(0, snapfile_name_init(&n, SNAPFILE_PATTERN, "auxrec.data", &d));
	for (i = 0; i < ARRAY_LEN(others); i++)
		EXPECT_FALSE(snapfile_name_match(&n, others[i], &parts))
			TH_LOG("%s", others[i]);
	ASSERT_EQ(0, snapfile_name_init(&n, "%s", "x", &d));
	EXPECT_TRUE(snapfile_name_match(&n, "18446744073709551615", &parts));
	EXPECT_EQ(~0ULL, parts.number);
	EXPECT_FALSE(snapfile_name_match(&n, "18446744073709551616", &parts));
	EXPECT_FALSE(snapfile_name_match(&n, "01", &parts));
	EXPECT_FALSE(snapfile_name_match(&n, "-2", &parts));
}

/* --- files --- */

#define PATTERN	"%o.%s"

FIXTURE(files) {
	char dir[64];
	struct snapfile f;
	struct diag d;
};

/* How a file gets its name */
FIXTURE_VARIANT(files) {
	bool no_tmpfile;
	bool no_noreplace;
};

FIXTURE_VARIANT_ADD(files, unnamed) { };
FIXTURE_VARIANT_ADD(files, renamed) { .no_tmpfile = true };
FIXTURE_VARIANT_ADD(files, linked) { .no_tmpfile = true, .no_noreplace = true };

FIXTURE_SETUP(files)
{
	int fd;

	wrap_open_hook = variant->no_tmpfile ? no_tmpfile : NULL;
	no_noreplace = variant->no_noreplace;
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
	if (variant->no_tmpfile)
		return;
	fd = __real_open(".", O_TMPFILE | O_WRONLY, 0600);
	if (fd < 0) {
		snap_dir_leave(self->dir);
		SKIP(return, "no O_TMPFILE here");
	}
	close(fd);
}

FIXTURE_TEARDOWN(files)
{
	snap_dir_leave(self->dir);
}

static int begin(struct snapfile *f, __u64 number)
{
	struct diag d;

	return snapfile_begin(f, PATTERN, "a", "x", number, NS(0), &d);
}

#define FULL	100000

/* Write a complete snapshot: the same byte FULL times. */
static bool fill(int fd, char byte)
{
	char data[1000];
	int i;

	memset(data, byte, sizeof(data));
	for (i = 0; i < FULL; i += sizeof(data)) {
		if (write(fd, data, sizeof(data)) != sizeof(data))
			return false;
	}
	return true;
}

static bool is_full(const char *name)
{
	static char data[FULL + 1];
	int fd = __real_open(name, O_RDONLY | O_CLOEXEC);
	ssize_t len, i;

	len = read(fd, data, sizeof(data));
	close(fd);
	for (i = 0; i < len; i++) {
		if (data[i] != data[0])
			return false;
	}
	return len == FULL;
}

static bool write_one(struct snapfile *f, __u64 number)
{
	const int fd = begin(f, number);
	struct diag d;

	return fd >= 0 && fill(fd, 'a' + number % 26) && !close(fd) &&
	       !snapfile_commit(f, &d);
}

TEST_F(files, commit)
{
	struct stat st;
	int fd;

	umask(0);
	fd = begin(&self->f, 1);
	ASSERT_LE(3, fd);
	EXPECT_TRUE(fill(fd, 'x'));
	/* There is no file yet that looks like a snapshot. */
	EXPECT_EQ(variant->no_tmpfile ? 1 : 0, snap_dir_count());
	EXPECT_EQ(NULL, strstr(snap_dir_list(), "a.1"));
	close(fd);
	ASSERT_EQ(0, snapfile_commit(&self->f, &self->d));
	EXPECT_STREQ("./a.1", self->f.path);
	EXPECT_STREQ("a.1 ", snap_dir_list());
	EXPECT_TRUE(is_full("a.1"));
	ASSERT_EQ(0, stat("a.1", &st));
	EXPECT_EQ(S_IFREG | 0600, st.st_mode);
	EXPECT_EQ(1, st.st_nlink);
	/* Both descriptors are closed, and there is nothing to abort. */
	EXPECT_EQ(-1, fcntl(self->f.fd, F_GETFD));
	snapfile_abort(&self->f);
	EXPECT_STREQ("a.1 ", snap_dir_list());
}

TEST_F(files, abort)
{
	const int fd = begin(&self->f, 1);

	ASSERT_LE(3, fd);
	EXPECT_TRUE(fill(fd, 'x'));
	close(fd);
	snapfile_abort(&self->f);
	EXPECT_STREQ("", snap_dir_list());
	EXPECT_EQ(-1, fcntl(self->f.fd, F_GETFD));
	snapfile_abort(&self->f);
}

TEST_F(files, replaces_nothing)
{
	ASSERT_TRUE(snap_write("a.1", 0));
	ASSERT_EQ(0, symlink("nowhere", "a.1-2"));
	ASSERT_EQ(0, mkdir("a.1-3", 0700));
	ASSERT_TRUE(write_one(&self->f, 1));
	EXPECT_STREQ("./a.1-4", self->f.path);
	ASSERT_TRUE(write_one(&self->f, 1));
	EXPECT_STREQ("a.1 a.1-2 a.1-3 a.1-4 a.1-5 ", snap_dir_list());
	EXPECT_FALSE(is_full("a.1"));
	EXPECT_TRUE(is_full("a.1-4"));
}

/* Several snapshots are written at the same time: all begin before one is done. */
TEST_F(files, at_once)
{
	static struct snapfile f[4];
	int fd[4], i;

	for (i = 0; i < 4; i++)
		ASSERT_LE(3, fd[i] = begin(&f[i], 1));
	for (i = 0; i < 4; i++) {
		EXPECT_TRUE(fill(fd[i], 'a' + i));
		close(fd[i]);
		/* Another recorder starts in between. */
		EXPECT_EQ(0, snapfile_clean(PATTERN, "a", &self->d));
	}
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, snapfile_commit(&f[i], &self->d));
	EXPECT_STREQ("a.1 a.1-2 a.1-3 a.1-4 ", snap_dir_list());
}

/*
 * Fork a child that begins a snapshot, and that writes a byte to *@told when the data is
 * written.
 */
static pid_t hang(int *told)
{
	static struct snapfile f;
	int p[2];
	pid_t pid;

	if (pipe(p))
		return -1;
	pid = fork();
	if (!pid) {
		const int fd = begin(&f, 1);

		if (fd >= 0 && fill(fd, 'x') && write(p[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(p[1]);
	*told = p[0];
	return pid;
}

static void kill_9(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F(files, killed)
{
	const bool named = variant->no_tmpfile;
	pid_t dead, alive;
	int told;
	char c;

	dead = hang(&told);
	ASSERT_EQ(1, read(told, &c, 1));
	close(told);
	alive = hang(&told);
	ASSERT_EQ(1, read(told, &c, 1));
	close(told);
	kill_9(dead);
	EXPECT_EQ(named ? 2 : 0, snap_dir_count());
	/* The pattern does not matter, only its directory does. */
	EXPECT_EQ(named ? 1 : 0, snapfile_clean("%t", "b", &self->d));
	EXPECT_EQ(named ? 1 : 0, snap_dir_count());
	EXPECT_EQ(0, snapfile_clean(PATTERN, "a", &self->d));
	kill_9(alive);
	EXPECT_EQ(named ? 1 : 0, snapfile_clean(PATTERN, "a", &self->d));
	EXPECT_STREQ("", snap_dir_list());
}

/* A process that is stopped is still alive, so its file stays. */
TEST_F(files, stopped)
{
	pid_t pid;
	int told, status;
	char c;

	pid = hang(&told);
	ASSERT_EQ(1, read(told, &c, 1));
	close(told);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	EXPECT_TRUE(WIFSTOPPED(status));
	EXPECT_EQ(0, snapfile_clean(PATTERN, "a", &self->d));
	EXPECT_EQ(variant->no_tmpfile ? 1 : 0, snap_dir_count());
	kill_9(pid);
}

/* Kill a child that writes one snapshot after the other, at any moment. */
TEST_F_TIMEOUT(files, killed_anywhere, 120)
{
	unsigned int i, done, nr = 0, temporary = 0;
	char list[65536], *name, *save;

	for (i = 0; i < 100; i++) {
		int p[2];
		pid_t pid;

		ASSERT_EQ(0, pipe(p));
		pid = fork();
		if (!pid) {
			for (;;) {
				if (!write_one(&self->f, i + 1) ||
				    write(p[1], "", 1) != 1)
					_exit(1);
			}
		}
		close(p[1]);
		/* Wait until some snapshots are complete, then kill the child in the next one. */
		for (done = 0; done <= i % 4; done++) {
			char c;

			ASSERT_EQ(1, read(p[0], &c, 1));
		}
		/*
		 * Sleep for a random time, so that the moment is random. No check depends on that
		 * time.
		 */
		usleep(rand() % 300);
		kill_9(pid);
		close(p[0]);
	}
	strcpy(list, snap_dir_list());
	for (name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		if (name[0] == '.') {
			temporary++;
			continue;
		}
		nr++;
		EXPECT_TRUE(is_full(name))
			TH_LOG("%s", name);
	}
	EXPECT_LE(250, nr);
	EXPECT_EQ(variant->no_tmpfile, temporary > 0);
	EXPECT_EQ(temporary, snapfile_clean(PATTERN, "a", &self->d));
	EXPECT_EQ(nr, snap_dir_count());
}

/*
 * Recorders with the same name start, clean up and write at the same time: each snapshot is
 * there, once.
 */
TEST_F_TIMEOUT(files, race, 120)
{
	pid_t pids[4];
	int i, j, status;

	for (i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		for (j = 0; j < 100; j++) {
			/*
			 * This may remove a file that another recorder has not locked yet. The
			 * other recorder then makes another file.
			 */
			if (snapfile_clean(PATTERN, "a", &self->d) < 0 ||
			    !write_one(&self->f, j + 1))
				_exit(1);
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(400, snap_dir_count());
	EXPECT_EQ(0, access("a.100-4", F_OK));
}

TEST_F(files, disk_full)
{
	struct snapfile *f = &self->f;
	struct stream s;
	char data[32768];
	int fd, i;

	if (!snap_dir_small("256k"))
		SKIP(return, "cannot mount a tmpfs");
	/* Write records until the disk is full, several times. */
	memset(data, 0, sizeof(data));
	for (i = 0; i < 10; i++) {
		struct perf_event_header h = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(data),
		};
		int err;

		fd = begin(f, 1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, stream_open_fd(&s, fd, &self->d));
		do {
			memcpy(data, &h, sizeof(h));
			err = stream_record(&s, data) ?: stream_flush(&s);
		} while (!err);
		EXPECT_EQ(-ENOSPC, err);
		/* A record that is written in part is cut off. */
		EXPECT_EQ(0, (s.bytes - 16) % sizeof(data));
		EXPECT_EQ(s.bytes, lseek(fd, 0, SEEK_END));
		EXPECT_EQ(-ENOSPC, stream_close(&s));
		/*
		 * The file could be kept as it is. When it is removed, the next snapshot has room
		 * again.
		 */
		snapfile_abort(f);
		EXPECT_STREQ("", snap_dir_list());
	}
}

TEST_F(files, stream)
{
	static const char head[16] = "PERFILE2\x10";
	const int fd = begin(&self->f, 1);
	char is[32];
	struct stream s;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_open_fd(&s, fd, &self->d));
	EXPECT_EQ(0, stream_close(&s));
	EXPECT_EQ(-1, fcntl(fd, F_GETFD));
	ASSERT_EQ(0, snapfile_commit(&self->f, &self->d));
	EXPECT_EQ(16, read(__real_open("a.1", O_RDONLY), is, sizeof(is)));
	EXPECT_EQ(0, memcmp(is, head, 16));
}

/* Files that are not a recorder's temporary files are left alone. */
TEST_F(files, clean_others)
{
	ASSERT_EQ(0, mkdir(".auxrec-000000.tmp", 0700));
	ASSERT_EQ(0, symlink("a.1", ".auxrec-000001.tmp"));
	ASSERT_EQ(0, mkfifo(".auxrec-000002.tmp", 0700));
	ASSERT_TRUE(snap_write("a.1", 0));
	ASSERT_TRUE(snap_write("auxrec-000003.tmp", 0));
	ASSERT_TRUE(snap_write(".auxrec-0000004.tmp", 0));
	ASSERT_TRUE(snap_write(".auxrec-000005.tmx", 0));
	ASSERT_TRUE(snap_write(".auxrec-000006.tmp", 0));
	EXPECT_EQ(1, snapfile_clean(PATTERN, "a", &self->d));
	EXPECT_EQ(7, snap_dir_count());
	EXPECT_NE(0, access(".auxrec-000006.tmp", F_OK));
}

TEST_F(files, no_directory)
{
	EXPECT_EQ(-ENOENT, snapfile_clean("%o.%t", "nowhere/a", &self->d));
	EXPECT_STREQ("snapshots cannot go to nowhere: No such file or directory",
		     self->d.msg);
	EXPECT_EQ(-ENOENT, snapfile_begin(&self->f, "%o.%t", "nowhere/a", "x", 1, 1, &self->d));
	EXPECT_STREQ("cannot create a snapshot in nowhere: No such file or directory",
		     self->d.msg);
	snapfile_abort(&self->f);
	EXPECT_EQ(-EINVAL, snapfile_clean("%o", "a", &self->d));
}

FIXTURE(less) {
	char dir[64];
	struct snapfile f;
	struct diag d;
};

FIXTURE_SETUP(less)
{
	wrap_open_hook = no_tmpfile;
	no_noreplace = true;
	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
}

FIXTURE_TEARDOWN(less)
{
	snap_dir_leave(self->dir);
}

/*
 * If a file cannot be named, the commit fails with a message, can be tried again, and leaves no
 * file.
 */
TEST_F(less, cannot_name)
{
	char dir[PATH_MAX], said[PATH_MAX + 128];
	int fd;

	fd = begin(&self->f, 1);
	ASSERT_LE(0, fd);
	close(fd);
	no_link = true;
	EXPECT_EQ(-EPERM, snapfile_commit(&self->f, &self->d));
	ASSERT_NE(NULL, realpath(".", dir));
	snprintf(said, sizeof(said),
		 "cannot name a snapshot in %s: its file system has no link() nor RENAME_NOREPLACE",
		 dir);
	EXPECT_STREQ(said,
		     self->d.msg);
	no_link = false;
	EXPECT_EQ(0, snapfile_commit(&self->f, &self->d));
	EXPECT_STREQ("a.1 ", snap_dir_list());
	no_link = true;
	fd = begin(&self->f, 2);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(-EPERM, snapfile_commit(&self->f, &self->d));
	snapfile_abort(&self->f);
	EXPECT_STREQ("a.1 ", snap_dir_list());
}

TEST_HARNESS_MAIN
