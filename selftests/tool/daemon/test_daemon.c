// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/service/daemon.c, service/log.c and service/pidfile.c. A child process plays the
 * caller, that is, the command a user types, and the caller starts the daemon.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "service/daemon.h"
#include "service/log.h"
#include "service/pidfile.h"
#include "../flight/wrap.h"

/* Every write() takes this lock first. A test that holds the lock simulates a disk that hangs. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	pthread_mutex_lock(&disk);
	pthread_mutex_unlock(&disk);
	return __real_write(fd, data, size);
}

FIXTURE(daemon) {
	char dir[32];
	struct daemon_options opt;
	struct diag d;
	int order[2];		/* orders to the daemon, one byte each */
	int report[2];		/* the daemon's answers */
	int err;		/* the read end of the caller's stderr */
	pid_t caller;
	char text[8192];
};

FIXTURE_SETUP(daemon)
{
	/* A shell starts background jobs with SIGINT ignored. */
	signal(SIGINT, SIG_DFL);
	strcpy(self->dir, "/tmp/daemon.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
	self->opt = (struct daemon_options){ "pid", "log" };
	ASSERT_EQ(0, pipe2(self->order, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->report, O_CLOEXEC));
	/* Orphaned daemons become children of the test, so that the test can wait for their end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

FIXTURE_TEARDOWN(daemon)
{
	unlink("log");
	unlink("log.1");
	unlink("pid");
	EXPECT_EQ(0, rmdir(self->dir));
}

/* The daemon's behaviour before it is ready */
enum begin { READY, FAILS, KILLED, HELD };

static void do_daemon(FIXTURE_DATA(daemon) *self, enum begin begin)
{
	char c, text[512];

	if (daemon_begin(&self->opt, &self->d)) {
		say("%s", self->d.msg);
		exit(125);
	}
	close(self->order[1]);
	say("before");
	if (begin == FAILS)
		exit(3);
	if (begin == KILLED)
		raise(SIGKILL);
	/* Not ready yet */
	if (begin == HELD && (write(self->report[1], "b", 1) != 1 ||
			      read(self->order[0], &c, 1) != 1))
		exit(4);
	if (daemon_ready(&self->d)) {
		dprintf(self->report[1], "%s", self->d.msg);
		exit(5);
	}
	say("after");
	while (read(self->order[0], &c, 1) == 1) {
		switch (c) {
		case 's':
			say("said");
			dprintf(self->report[1], ".");
			break;
		case 'i':
			snprintf(text, sizeof(text), "%d %d ", getpid() == getsid(0), getpid());
			if (readlink("/proc/self/fd/2", text + strlen(text), 64) < 0)
				exit(6);
			dprintf(self->report[1], "%.64s.", text);
			break;
		}
	}
	daemon_end();
	exit(7);
}

/* Start the caller, with a pipe as its stderr. */
static void call(FIXTURE_DATA(daemon) *self, enum begin begin)
{
	int err[2];

	if (pipe2(err, O_CLOEXEC))
		abort();
	self->caller = fork();
	if (!self->caller) {
		dup2(err[1], STDERR_FILENO);
		close(err[1]);
		do_daemon(self, begin);
	}
	close(err[1]);
	self->err = err[0];
}

/*
 * Return the caller's exit status, and its messages in self->text. Messages are read until no
 * process has the caller's stderr open.
 */
static int called(FIXTURE_DATA(daemon) *self)
{
	size_t len = 0;
	ssize_t n;
	int status;

	while ((n = read(self->err, self->text + len, sizeof(self->text) - 1 - len)) > 0)
		len += n;
	self->text[len] = '\0';
	close(self->err);
	waitpid(self->caller, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *file(const char *path)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "(none)" : text;
}

static void order(FIXTURE_DATA(daemon) *self, char what, char *answer)
{
	size_t len = 0;

	if (write(self->order[1], &what, 1) != 1)
		abort();
	do {
		if (read(self->report[0], answer + len, 1) != 1)
			abort();
	} while (answer[len++] != '.');
	answer[len] = '\0';
}

/* Close the pipe of orders, which ends the daemon, and return the daemon's wait status. */
static int end(FIXTURE_DATA(daemon) *self)
{
	int status;

	close(self->order[1]);
	return waitpid(-1, &status, 0) > 0 ? status : -1;
}

static bool matches(const char *text, const char *pattern)
{
	regex_t re;
	int r;

	regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	r = regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return !r;
}

#define STAMP "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}[+-][0-9]{4} auxrec\\[[0-9]+\\]: "

TEST_F(daemon, lives)
{
	char answer[512], text[64];
	pid_t pid;

	call(self, READY);
	/* called() returns while the daemon lives only if the daemon has closed the stderr. */
	EXPECT_EQ(0, called(self));
	EXPECT_STREQ("auxrec: before\n", self->text);
	order(self, 'i', answer);
	pid = atoi(file("pid"));
	/* The daemon leads its session, its PID is in the file, and its stderr is /dev/null. */
	snprintf(text, sizeof(text), "1 %d /dev/null.", pid);
	EXPECT_STREQ(text, answer);
	kill(pid, SIGHUP);
	order(self, 's', answer);
	EXPECT_TRUE(matches(file("log"), "^" STAMP "before\n" STAMP "after\n" STAMP "said\n$")) {
		TH_LOG("%s", file("log"));
	}
	EXPECT_EQ(7 << 8, end(self));
	EXPECT_STREQ("(none)", file("pid"));
}

/* The caller waits until the daemon reports that it is ready. */
TEST_F(daemon, waits)
{
	struct pollfd p;
	char c, answer[512];

	call(self, HELD);
	ASSERT_EQ(1, read(self->report[0], &c, 1));
	EXPECT_EQ(0, waitpid(self->caller, NULL, WNOHANG));
	p = (struct pollfd){ .fd = self->err, .events = POLLIN };
	EXPECT_EQ(1, poll(&p, 1, 0));
	ASSERT_EQ(1, write(self->order[1], "g", 1));
	EXPECT_EQ(0, called(self));
	order(self, 's', answer);
	end(self);
}

TEST_F(daemon, fails)
{
	call(self, FAILS);
	EXPECT_EQ(3, called(self));
	EXPECT_STREQ("auxrec: before\n", self->text);
	EXPECT_TRUE(matches(file("log"), "^" STAMP "before\n$"));
	EXPECT_STREQ("(none)", file("pid"));

	call(self, KILLED);
	EXPECT_EQ(128 + SIGKILL, called(self));
	EXPECT_NE(NULL, strstr(self->text, "killed by signal 9"));
	/* The next daemon takes over the PID file that the killed one left. */
	EXPECT_STRNE("(none)", file("pid"));
	call(self, FAILS);
	EXPECT_EQ(3, called(self));

	self->opt.log = "none/log";
	call(self, READY);
	EXPECT_EQ(125, called(self));
	EXPECT_NE(NULL, strstr(self->text, "none/log: cannot write a log there"));
	self->opt.log = "log";
	self->opt.pid_file = "none/pid";
	call(self, READY);
	EXPECT_EQ(125, called(self));
	EXPECT_NE(NULL, strstr(self->text, "none/pid: No such file"));
}

TEST_F(daemon, one_at_a_time)
{
	char text[64];
	pid_t pid;

	call(self, READY);
	ASSERT_EQ(0, called(self));
	pid = atoi(file("pid"));
	call(self, READY);
	EXPECT_EQ(125, called(self));
	snprintf(text, sizeof(text), "pid: held by another recorder, process %d\n", pid);
	EXPECT_NE(NULL, strstr(self->text, text)) {
		TH_LOG("%s", self->text);
	}
	EXPECT_EQ(pid, atoi(file("pid")));
	EXPECT_EQ(7 << 8, end(self));
}

/* The user presses Ctrl-C while the daemon starts. */
TEST_F(daemon, caller_killed)
{
	char text[512] = "", c;
	int status;

	call(self, HELD);
	ASSERT_EQ(1, read(self->report[0], &c, 1));
	kill(self->caller, SIGINT);
	ASSERT_EQ(self->caller, waitpid(self->caller, &status, 0));
	EXPECT_EQ(SIGINT, WTERMSIG(status));
	ASSERT_EQ(1, write(self->order[1], "g", 1));
	ASSERT_LT(0, waitpid(-1, &status, 0));
	EXPECT_EQ(5 << 8, status);
	EXPECT_LT(0, read(self->report[0], text, sizeof(text) - 1));
	EXPECT_NE(NULL, strstr(text, "that started the daemon ended"));
	EXPECT_STREQ("(none)", file("pid"));
	close(self->err);
}

/* Some programs start others with stdio closed and SIGCHLD ignored. */
TEST_F(daemon, odd_start)
{
	char answer[512];
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGCHLD, SIG_IGN);
		close(0);
		close(1);
		close(2);
		do_daemon(self, READY);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	order(self, 's', answer);
	EXPECT_EQ(7 << 8, end(self));
	/* A thread writes the log, so the log is complete only when the daemon has ended. */
	EXPECT_TRUE(matches(file("log"), "^" STAMP "before\n" STAMP "after\n" STAMP "said\n$"));
}

TEST_F(daemon, log_rotates)
{
	int i;

	ASSERT_EQ(0, log_to_file("log", &self->d));
	say_to(log_write);
	say("one");
	ASSERT_EQ(0, rename("log", "log.1"));
	say("two\n");
	say("three");
	EXPECT_TRUE(matches(file("log.1"), "^" STAMP "one\n$"));
	EXPECT_TRUE(matches(file("log"), "^" STAMP "two\n\n" STAMP "three\n$"));
	ASSERT_EQ(0, unlink("log"));
	say("four %0*d", 4000, 0);
	EXPECT_TRUE(matches(file("log"), STAMP "four 0+\n$"));
	/* logrotate's copytruncate truncates the log. */
	ASSERT_EQ(0, truncate("log", 0));
	say("five");
	EXPECT_TRUE(matches(file("log"), "^" STAMP "five\n$"));

	ASSERT_EQ(0, unlink("log"));
	ASSERT_EQ(0, symlink("/dev/full", "log"));
	for (i = 0; i < 3; i++)
		say("lost");
	ASSERT_EQ(0, unlink("log"));
	say("six");
	EXPECT_TRUE(matches(file("log"), "^" STAMP "3 messages could not be written here\n"
			    STAMP "six\n$")) {
		TH_LOG("%s", file("log"));
	}
	log_close();
	say("nowhere");
	say_to(NULL);
}

/* Return how many lines of @text end in @what. */
static unsigned int count_lines(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr += text[strlen(what)] == '\n';
	return nr;
}

/*
 * A process that logs does not wait for the disk. The messages that fit in the queue are written
 * later, and the others are counted.
 */
TEST_F(daemon, log_on_a_disk_that_stands_still)
{
	const unsigned int nr = 5000;
	unsigned int i, lines;
	static char text[1 << 20];
	const char *missed;
	FILE *f;

	ASSERT_EQ(0, log_to_file("log", &self->d));
	say_to(log_write);
	pthread_mutex_lock(&disk);
	for (i = 0; i < nr; i++)
		say("waits");
	pthread_mutex_unlock(&disk);
	log_close();
	say_to(NULL);

	f = fopen("log", "r");
	ASSERT_NE(NULL, f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	lines = count_lines(text, ": waits");
	missed = strstr(text, " messages could not be written here\n");
	ASSERT_NE(NULL, missed);
	EXPECT_LT(100, lines);
	while (missed[-1] != ' ')
		missed--;
	EXPECT_EQ(nr, lines + atoi(missed));
}

/*
 * A child's messages go through the parent's queue, so they stay in order. The parent waits only
 * for its own messages.
 */
TEST_F(daemon, log_of_a_child)
{
	__u64 begin;
	int status;
	pid_t pid;

	ASSERT_EQ(0, log_to_file("log", &self->d));
	say_to(log_write);
	say("before");
	pid = fork();
	if (!pid) {
		close_range(3, log_inherited() - 1, 0);
		close_range(log_inherited() + 1, ~0U, 0);
		say("child");
		say("again");
		log_close();
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	while (!strstr(file("log"), "again\n"))
		sched_yield();
	pthread_mutex_lock(&disk);
	begin = now_ns();
	say("after");
	/* The 100 ms are PATIENCE_NS of service/log.c. */
	EXPECT_LE(100000000ULL, now_ns() - begin);
	pthread_mutex_unlock(&disk);
	log_close();
	say_to(NULL);
	EXPECT_TRUE(matches(file("log"), "^" STAMP "before\n" STAMP "child\n"
			    STAMP "again\n" STAMP "after\n$")) {
		TH_LOG("%s", file("log"));
	}
}

TEST_F(daemon, pid_file)
{
	struct pidfile p = { NULL }, q = { NULL };
	int status;
	pid_t pid, holder;

	ASSERT_EQ(0, pidfile_take(&p, "pid", NULL, &self->d));
	EXPECT_EQ(getpid(), atoi(file("pid")));
	EXPECT_EQ(-EBUSY, pidfile_take(&q, "pid", &holder, &self->d));
	EXPECT_EQ(getpid(), holder);
	/* pidfile_drop() in a child does not remove the parent's file. */
	pid = fork();
	if (!pid) {
		pidfile_drop(&p);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(getpid(), atoi(file("pid")));
	EXPECT_EQ(-EBUSY, pidfile_take(&q, "pid", NULL, &self->d));
	/* pidfile_drop() does not remove a file that another holder has made. */
	ASSERT_EQ(0, unlink("pid"));
	ASSERT_EQ(0, pidfile_take(&q, "pid", NULL, &self->d));
	pidfile_drop(&p);
	EXPECT_EQ(getpid(), atoi(file("pid")));
	pidfile_drop(&q);
	EXPECT_STREQ("(none)", file("pid"));
	pidfile_drop(&q);

	/* The old content is longer than a PID. */
	status = open("pid", O_CREAT | O_WRONLY, 0600);
	ASSERT_EQ(20, write(status, "12345678901234567890", 20));
	close(status);
	ASSERT_EQ(0, pidfile_take(&p, "pid", NULL, &self->d));
	EXPECT_EQ(getpid(), atoi(file("pid")));
	EXPECT_GT(12, strlen(file("pid")));
	pidfile_drop(&p);

	ASSERT_EQ(0, symlink("log", "pid"));
	EXPECT_EQ(-ELOOP, pidfile_take(&p, "pid", NULL, &self->d));
	ASSERT_EQ(0, unlink("pid"));
	ASSERT_EQ(0, mkfifo("pid", 0600));
	EXPECT_EQ(-EINVAL, pidfile_take(&p, "pid", NULL, &self->d));
}

/* Several processes take and drop the same PID file; only one can hold it at a time. */
TEST_F(daemon, pid_file_race)
{
	struct pidfile p = { NULL };
	int i, j, status, bad = 0, shared;
	pid_t pids[4];

	shared = open("log", O_CREAT | O_RDWR, 0600);
	for (i = 0; i < 4; i++) {
		pids[i] = fork();
		for (j = 0; !pids[i] && j < 3000; j++) {
			char c = 'x';

			if (pidfile_take(&p, "pid", NULL, &self->d))
				continue;
			/* No other process can be between the two pwrite() calls. */
			if (pread(shared, &c, 1, 0) == 1 && c == 'h')
				_exit(1);
			if (pwrite(shared, "h", 1, 0) != 1 || pwrite(shared, "-", 1, 0) != 1)
				_exit(2);
			pidfile_drop(&p);
		}
		if (!pids[i])
			_exit(0);
	}
	for (i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		bad += status != 0;
	}
	EXPECT_EQ(0, bad);
	close(shared);
}

TEST_HARNESS_MAIN
