// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/remove.c: the recorder's own thread never accesses the snapshots'
 * directory, whether the disk works or stands still.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "snap_dir.h"
#include "wrap.h"

#define FILES	2000
#define FORKS	200

/* --- a disk that stands still --- */

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static bool recording;
static unsigned int own;	/* accesses by the recorder's own thread */
static unsigned int open_to_signals;	/* accesses by a thread that takes SIGTERM */

static void touch(void)
{
	sigset_t blocked;

	if (!recording)
		return;
	if (gettid() == getpid()) {
		own++;
		return;
	}
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	open_to_signals += !sigismember(&blocked, SIGTERM);
	pthread_mutex_lock(&disk);
	pthread_mutex_unlock(&disk);
}

static int touch_open(int flags)
{
	touch();
	(void)flags;
	return 0;
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	touch();
	return __real_openat(dir, path, flags);
}

DIR *__wrap_opendir(const char *path)
{
	touch();
	return __real_opendir(path);
}

int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	touch();
	return __real_fstatat(dir, path, st, flags);
}

int __wrap_unlink(const char *path)
{
	touch();
	return __real_unlink(path);
}

/* --- the recorder --- */

static char said[1024];
static unsigned int nr_said;

void flight_say_removed(const char *path, const char *why, int err)
{
	const size_t len = strlen(said);

	snprintf(said + len, sizeof(said) - len, "%s %s%s;", path, why, err ? " failed" : "");
}

static void hear(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	nr_said++;
}

FIXTURE(remove)
{
	char dir[64];
	struct session *s;
	struct flight *f;
};

FIXTURE_SETUP(remove)
{
	const struct keep_limits limits = { .nr = 1 };
	struct diag d;

	ASSERT_TRUE(snap_dir_enter(self->dir, sizeof(self->dir)));
	self->s = calloc(1, sizeof(*self->s));
	self->f = calloc(1, sizeof(*self->f));
	ASSERT_TRUE(self->s && self->f);
	self->s->flight = self->f;
	ASSERT_EQ(0, mkdir("d", 0700));
	ASSERT_TRUE(snap_write("d/a.1", 0));
	ASSERT_EQ(0, keep_start(&self->f->keep, &limits, "%o.%s", "d/a", &d));
	wrap_open_hook = touch_open;
	said[0] = '\0';
	nr_said = 0;
	own = 0;
	say_to(hear);
}

FIXTURE_TEARDOWN(remove)
{
	/* Only the recorder's own thread takes signals. */
	EXPECT_EQ(0, open_to_signals);
	recording = false;
	keep_free(&self->f->keep);
	free(self->f);
	free(self->s);
	snap_dir_leave(self->dir);
}

/* Do what each round of the recorder's loop does, until all is done. */
static void finish(struct session *s)
{
	while (s->flight->removal)
		flight_remove_end(s, 1);
	recording = false;
}

/* Let the child that writes make room. Return whether it removed one snapshot. */
static bool makes_room(struct flight *f)
{
	const pid_t pid = keep_fork();
	struct diag d;
	int status;

	if (!pid) {
		recording = false;
		_exit(keep_make_room(&f->keep, NULL, NULL, NULL, &d) != 1);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST_F(remove, stands_still)
{
	struct flight *f = self->f;

	pthread_mutex_lock(&disk);
	ASSERT_TRUE(snap_write("d/a.3", 0));
	recording = true;
	flight_remove_old(self->s, "d/a.3");
	flight_remove_end(self->s, 0);
	EXPECT_NE(NULL, f->removal);
	recording = false;
	ASSERT_TRUE(snap_write("d/a.2", 0));
	recording = true;
	flight_remove_old(self->s, "d/a.2");
	/* The pattern has no time, so the snapshot that has been known for longest goes: a.1. */
	EXPECT_TRUE(makes_room(f));
	EXPECT_EQ(-1, access("d/a.1", F_OK));
	EXPECT_EQ(0, access("d/a.3", F_OK));
	flight_remove_end(self->s, 0);
	EXPECT_NE(NULL, f->removal);
	EXPECT_EQ(0, own);
	pthread_mutex_unlock(&disk);
	finish(self->s);
	EXPECT_EQ(0, own);
	EXPECT_EQ(1, f->stats.removed);
	EXPECT_STREQ("d/a.3 --keep=1;", said);
	EXPECT_EQ(0, access("d/a.2", F_OK));
	/* The look has found all snapshots that were noted. */
	EXPECT_EQ(0, f->keep.nr_noted);
}

/* Each look at this clock takes a second. */
static struct keep_clock slow_clock(void)
{
	static __u64 calls;
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	calls++;
	return (struct keep_clock){
		(real.tv_sec + calls) * NSEC_PER_SEC + real.tv_nsec,
		(boot.tv_sec + calls) * NSEC_PER_SEC + boot.tv_nsec,
	};
}

/* A snapshot that has its name but is not yet reported is not taken for an old one. */
TEST_F(remove, being_written)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct flight *f = self->f;

	f->keep.clock = slow_clock;
	ASSERT_TRUE(snap_write("d/a.3", 0));
	ASSERT_TRUE(snap_write("d/a.2", 0));
	ASSERT_EQ(0, utimensat(AT_FDCWD, "d/a.2", old, 0));
	f->child = 1;
	recording = true;
	flight_remove_old(self->s, "d/a.3");
	/* The thread has looked at the directory by then. */
	flight_remove_end(self->s, 60);
	EXPECT_NE(NULL, f->removal);
	f->child = 0;
	flight_remove_old(self->s, "d/a.2");
	finish(self->s);
	EXPECT_EQ(0, own);
	EXPECT_STREQ("d/a.1 --keep=1;d/a.3 --keep=1;", said);
	EXPECT_EQ(0, access("d/a.2", F_OK));
}

/* A new snapshot comes while old ones are removed: one more is old then. */
TEST_F(remove, again)
{
	struct flight *f = self->f;

	ASSERT_TRUE(snap_write("d/a.2", 0));
	f->child = 1;
	recording = true;
	flight_remove_old(self->s, "d/a.2");
	/* The thread has looked at the directory by then. */
	flight_remove_end(self->s, 60);
	f->child = 0;
	pthread_mutex_lock(&disk);
	flight_remove_end(self->s, 0);
	EXPECT_NE(NULL, f->removal);
	recording = false;
	ASSERT_TRUE(snap_write("d/a.3", 0));
	recording = true;
	flight_remove_old(self->s, "d/a.3");
	pthread_mutex_unlock(&disk);
	finish(self->s);
	EXPECT_STREQ("d/a.1 --keep=1;d/a.2 --keep=1;", said);
	EXPECT_EQ(0, access("d/a.3", F_OK));
	EXPECT_EQ(2, f->stats.removed);
}

/* A snapshot of this run counts as such, even if the look that should have found it failed. */
TEST_F(remove, no_directory)
{
	const struct timespec future[2] = { { .tv_sec = 4000000000 }, { .tv_sec = 4000000000 } };
	struct flight *f = self->f;

	ASSERT_TRUE(snap_write("d/a.2", 0));
	ASSERT_EQ(0, rename("d", "e"));
	recording = true;
	flight_remove_old(self->s, "d/a.2");
	finish(self->s);
	EXPECT_STREQ("cannot look for snapshots in d: No such file or directory", said);
	recording = true;
	flight_remove_old(self->s, NULL);
	finish(self->s);
	EXPECT_EQ(2, nr_said);
	EXPECT_EQ(0, own);
	said[0] = '\0';
	ASSERT_EQ(0, rename("e", "d"));
	ASSERT_EQ(0, utimensat(AT_FDCWD, "d/a.1", future, 0));
	recording = true;
	flight_remove_old(self->s, NULL);
	finish(self->s);
	EXPECT_STREQ("d/a.1 --keep=1;", said);
	EXPECT_EQ(1, f->stats.removed);
	EXPECT_EQ(0, f->keep_err);
}

TEST_F(remove, no_limits)
{
	self->f->keep.limits.nr = 0;
	recording = true;
	flight_remove_old(self->s, "d/a.1");
	EXPECT_EQ(NULL, self->f->removal);
	EXPECT_EQ(0, own);
}

/* A child can use local time, whatever the thread does at the moment of the fork. */
TEST_F_TIMEOUT(remove, fork, 120)
{
	struct keep_limits limits = { .nr = 2 * FILES };
	struct flight *f = self->f;
	unsigned int i, met = 0;
	char name[64];
	struct diag d;
	int status;

	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "d/b.20260730%02u%02u%02u00", i / 3600, i / 60 % 60,
			 i % 60);
		ASSERT_TRUE(snap_write(name, 0));
	}
	keep_free(&f->keep);
	ASSERT_EQ(0, keep_start(&f->keep, &limits, "%o.%t", "d/b", &d));
	for (i = 0; i < FORKS; i++) {
		const time_t t = i;
		struct tm tm;
		pid_t pid;

		flight_remove_end(self->s, 0);
		if (!f->removal)
			flight_remove_old(self->s, NULL);
		pid = keep_fork();
		if (!pid) {
			alarm(10);
			_exit(!localtime_r(&t, &tm));
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		met += !!f->removal;
	}
	finish(self->s);
	EXPECT_EQ(FORKS, met);
	EXPECT_EQ(FILES, f->keep.nr);
}

TEST_HARNESS_MAIN
