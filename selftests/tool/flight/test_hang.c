// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/hang.c: which tasks hang. A directory of the test takes the place of /proc,
 * an eventfd takes the place of each timer, and the test sets the clock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "flight/hang.h"
#include "wrap.h"

#define PROC	"/proc/"
#define S	NSEC_PER_SEC

/* --- what tool/flight/hang.c calls in the recorder and in the kernel --- */

static int dir;
static __u64 now, interval;
static int timer;
static unsigned int wishes;

void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size)
{
	if (!s || !t || name || time != 44 || token || data || size)
		abort();
	wishes++;
}

void flight_wish_task(struct session *s, const struct trigger *t, __u32 pid, __u32 tid,
		      __u64 time)
{
	(void)s;
	(void)t;
	(void)pid;
	(void)tid;
	(void)time;
}

__u64 perf_clock_now(struct perf_clock *c)
{
	(void)c;
	return 44;
}

__u64 __wrap_now_ns(void)
{
	return now;
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, PROC, strlen(PROC)) || flags != (O_RDONLY | O_CLOEXEC))
		abort();
	return openat(dir, path + strlen(PROC), flags);
}

int __wrap_timerfd_create(int clock, int flags)
{
	if (clock != CLOCK_MONOTONIC || flags != (TFD_NONBLOCK | TFD_CLOEXEC))
		abort();
	timer = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return timer;
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old)
{
	(void)fd;
	if (flags || old || memcmp(&new->it_interval, &new->it_value, sizeof(new->it_value)))
		abort();
	interval = new->it_value.tv_sec * S + new->it_value.tv_nsec;
	return 0;
}

/* --- the tests ------------------------------------------------------------- */

FIXTURE(hang) {
	char path[32];
	struct options opt;
	struct session s;
	struct flight f;
	struct trigger t;
	struct diag d;
};

static void put(const char *name, const char *text)
{
	const int fd = openat(dir, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

FIXTURE_SETUP(hang)
{
	strcpy(self->path, "/tmp/test_hang.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->path));
	dir = __real_open(self->path, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, dir);
	ASSERT_EQ(0, mkdirat(dir, "12", 0700));
	put("12/stat", "12 (a) R 3) S 1 12 12 0 -1");
	put("12/schedstat", "1000 20 3\n");
	ASSERT_EQ(0, trigger_parse(&self->t, "hang=12/4s,name=h", &self->d));
	self->s.flight = &self->f;
	self->s.opt = &self->opt;
	self->f.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	now = 100 * S;
}

FIXTURE_TEARDOWN(hang)
{
	flight_hang_close(&self->s);
	unlinkat(dir, "12/stat", 0);
	unlinkat(dir, "12/schedstat", 0);
	unlinkat(dir, "12", AT_REMOVEDIR);
	rmdir(self->path);
	trigger_free(&self->t);
}

/* Let the timer expire @seconds later, with the task in @state. Return the number of wishes. */
static unsigned int later(struct session *s, unsigned int seconds, char state)
{
	char text[] = "12 (a) R 3) ? 1 12 12 0 -1";
	struct epoll_event ev;
	const __u64 one = 1;

	*strchr(text, '?') = state;
	put("12/stat", text);
	now += seconds * S;
	if (write(timer, &one, sizeof(one)) != sizeof(one) ||
	    epoll_wait(s->flight->epoll_fd, &ev, 1, 0) != 1)
		abort();
	flight_hang_run(s);
	if (epoll_wait(s->flight->epoll_fd, &ev, 1, 0))
		abort();
	return wishes;
}

TEST_F(hang, no_look_before_the_timer)
{
	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d)) TH_LOG("%s", self->d.msg);
	EXPECT_EQ(S, interval);
	put("12/stat", "12 (a) D 1");
	now += 100 * S;
	flight_hang_run(&self->s);
	EXPECT_EQ(0, wishes);
}

TEST_F(hang, uninterruptible)
{
	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	EXPECT_EQ(0, later(&self->s, 3, 'D'));
	EXPECT_EQ(1, later(&self->s, 1, 'D'));
	/* One hang has one wish. */
	EXPECT_EQ(1, later(&self->s, 10, 'D'));
	/* The task runs, and hangs again. */
	put("12/schedstat", "1001 20 4\n");
	EXPECT_EQ(1, later(&self->s, 1, 'D'));
	EXPECT_EQ(1, later(&self->s, 3, 'D'));
	EXPECT_EQ(2, later(&self->s, 1, 'D'));
}

TEST_F(hang, moves_between_the_looks)
{
	char ran[32];
	int i;

	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	for (i = 0; i < 20; i++) {
		snprintf(ran, sizeof(ran), "1000 20 %d\n", 4 + i);
		put("12/schedstat", ran);
		EXPECT_EQ(0, later(&self->s, 3, "DRS"[i % 3]));
	}
}

/* If a task slept and then waits for a CPU, its hang begins at the first look that sees it wait. */
TEST_F(hang, waits_for_a_cpu)
{
	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	EXPECT_EQ(0, later(&self->s, 10, 'S'));
	EXPECT_EQ(0, later(&self->s, 10, 'R'));
	EXPECT_EQ(0, later(&self->s, 3, 'R'));
	EXPECT_EQ(1, later(&self->s, 1, 'R'));
	EXPECT_EQ(1, later(&self->s, 4, 'R'));
	/* The task has run in between, and waits again. */
	put("12/schedstat", "1000 9000 4\n");
	EXPECT_EQ(1, later(&self->s, 4, 'R'));
	EXPECT_EQ(1, later(&self->s, 4, 'R'));
	EXPECT_EQ(2, later(&self->s, 4, 'R'));
}

/*
 * When a task that waits is moved to another CPU, the kernel adds the time of waiting to schedstat.
 * The task waits on, so its hang does not end.
 */
TEST_F(hang, is_moved_to_another_cpu)
{
	char ran[32];
	int i;

	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	for (i = 0; i < 4; i++) {
		snprintf(ran, sizeof(ran), "1000 %d 3\n", 30 + i);
		put("12/schedstat", ran);
		EXPECT_EQ(0, later(&self->s, 1, 'R'));
	}
	put("12/schedstat", "1000 40 3\n");
	EXPECT_EQ(1, later(&self->s, 1, 'R'));
	put("12/schedstat", "1000 50 3\n");
	EXPECT_EQ(1, later(&self->s, 10, 'R'));
}

TEST_F(hang, sleeps_or_is_stopped)
{
	size_t i;

	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, later(&self->s, 10, "STtISSTS"[i]));
}

TEST_F(hang, the_end)
{
	struct epoll_event ev;

	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	EXPECT_EQ(0, later(&self->s, 10, 'Z'));
	/* The descriptor of the timer is closed. */
	EXPECT_EQ(-1, fcntl(timer, F_GETFD));
	flight_hang_run(&self->s);
	EXPECT_EQ(0, epoll_wait(self->f.epoll_fd, &ev, 1, 0));
	EXPECT_EQ(0, wishes);
}

TEST_F(hang, the_end_without_a_zombie)
{
	ASSERT_EQ(0, flight_hang_open(&self->s, &self->t, &self->d));
	put("12/schedstat", "");
	EXPECT_EQ(0, later(&self->s, 10, 'D'));
	EXPECT_EQ(-1, fcntl(timer, F_GETFD));
}

TEST_F(hang, messages)
{
	put("12/schedstat", "0 0 0\n");
	EXPECT_EQ(-EOPNOTSUPP, flight_hang_open(&self->s, &self->t, &self->d));
	EXPECT_STREQ("--trigger h: this kernel does not count when tasks run: it must have CONFIG_SCHEDSTATS",
		     self->d.msg);
	unlinkat(dir, "12/schedstat", 0);
	EXPECT_EQ(-EOPNOTSUPP, flight_hang_open(&self->s, &self->t, &self->d));
	unlinkat(dir, "12/stat", 0);
	EXPECT_EQ(-ESRCH, flight_hang_open(&self->s, &self->t, &self->d));
	EXPECT_STREQ("--trigger h: there is no process or thread 12", self->d.msg);
}

TEST_HARNESS_MAIN
