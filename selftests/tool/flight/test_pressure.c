// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/pressure.c: what the recorder writes to the files of /proc/pressure, which
 * messages it prints if the kernel refuses the text, and what it does when poll() reports pressure.
 * A directory of the test takes the place of /proc/pressure.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "flight/pressure.h"
#include "wrap.h"

#define PROC	"/proc/pressure/"

/* --- what tool/flight/pressure.c calls in the recorder and in the kernel --- */

static int dir, open_err, write_err;
static bool short_write;
static const struct trigger *wished[8];
static unsigned int nr_wishes;
/* Indices of the calls of poll() that report pressure, as bits */
static unsigned int polls, pressed;

void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size)
{
	if (!s || name || time != 55 || token || data || size || nr_wishes == ARRAY_LEN(wished))
		abort();
	wished[nr_wishes++] = t;
}

__u64 perf_clock_now(struct perf_clock *c)
{
	(void)c;
	return 55;
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, PROC, strlen(PROC)) || !(flags & O_NONBLOCK) || !(flags & O_CLOEXEC))
		abort();
	if (open_err) {
		errno = open_err;
		return -1;
	}
	return openat(dir, path + strlen(PROC), flags);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (write_err) {
		errno = write_err;
		return -1;
	}
	return __real_write(fd, data, size - short_write);
}

int __wrap_poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	if (nr != 1 || timeout || fds->events != POLLPRI)
		abort();
	fds->revents = pressed & 1U << polls++ ? POLLPRI : 0;
	return !!fds->revents;
}

/* --- the tests ------------------------------------------------------------- */

FIXTURE(pressure) {
	char path[32];
	struct session s;
	struct flight f;
	struct trigger t[3];
	struct diag d;
};

FIXTURE_SETUP(pressure)
{
	static const char * const specs[] = {
		"pressure=memory/150ms/1s", "pressure=io:full/1us/500ms", "pressure=cpu/3s/10s",
	};
	size_t i;

	strcpy(self->path, "/tmp/test_pressure.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->path));
	dir = __real_open(self->path, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, dir);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, trigger_parse(&self->t[i], specs[i], &self->d));
	self->s.flight = &self->f;
}

FIXTURE_TEARDOWN(pressure)
{
	static const char * const files[] = { "memory", "io", "cpu" };
	size_t i;

	flight_pressure_close(&self->s);
	for (i = 0; i < 3; i++) {
		unlinkat(dir, files[i], 0);
		trigger_free(&self->t[i]);
	}
	rmdir(self->path);
}

static void make(const char *name)
{
	close(openat(dir, name, O_CREAT | O_WRONLY, 0600));
}

/* Return whether the file has @text and a NUL. */
static bool has(const char *name, const char *text)
{
	char buf[64];
	const int fd = openat(dir, name, O_RDONLY);
	const ssize_t n = read(fd, buf, sizeof(buf));

	close(fd);
	return n == (ssize_t)strlen(text) + 1 && !memcmp(buf, text, n);
}

TEST_F(pressure, the_kernel_is_asked)
{
	int i;

	make("memory");
	make("io");
	make("cpu");
	EXPECT_EQ(0, flight_pressure_nr(&self->s));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, flight_pressure_open(&self->s, &self->t[i], &self->d));
	EXPECT_EQ(3, flight_pressure_nr(&self->s));
	EXPECT_TRUE(has("memory", "some 150000 1000000"));
	EXPECT_TRUE(has("io", "full 1 500000"));
	EXPECT_TRUE(has("cpu", "some 3000000 10000000"));
}

TEST_F(pressure, each_has_its_wish)
{
	struct pollfd fds[4] = { [3] = { .fd = 77 } };
	size_t i;

	make("memory");
	make("io");
	make("cpu");
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, flight_pressure_open(&self->s, &self->t[i], &self->d));
	flight_pressure_poll(&self->s, fds);
	EXPECT_EQ(77, fds[3].fd);
	for (i = 0; i < 3; i++) {
		EXPECT_LE(0, fds[i].fd);
		EXPECT_EQ(POLLPRI, fds[i].events);
		/* poll() also reports that the file can be read and written: no pressure. */
		fds[i].revents = POLLIN | POLLOUT;
	}
	flight_pressure_polled(&self->s, fds);
	EXPECT_EQ(0, nr_wishes);

	/* The trigger that was opened first comes last. */
	fds[2].revents = POLLPRI | POLLIN;
	flight_pressure_polled(&self->s, fds);
	ASSERT_EQ(1, nr_wishes);
	EXPECT_EQ(&self->t[0], wished[0]);

	/* The second of the three calls of poll() reports pressure. */
	pressed = 2;
	flight_pressure_last(&self->s);
	EXPECT_EQ(3, polls);
	ASSERT_EQ(2, nr_wishes);
	EXPECT_EQ(&self->t[1], wished[1]);
}

TEST_F(pressure, a_file_that_fails_is_not_polled_again)
{
	struct pollfd fd;

	make("memory");
	ASSERT_EQ(0, flight_pressure_open(&self->s, &self->t[0], &self->d));
	flight_pressure_poll(&self->s, &fd);
	fd.revents = POLLIN | POLLERR | POLLPRI;
	flight_pressure_polled(&self->s, &fd);
	EXPECT_EQ(0, nr_wishes);
	EXPECT_EQ(1, flight_pressure_nr(&self->s));
	flight_pressure_poll(&self->s, &fd);
	EXPECT_EQ(-1, fd.fd);
}

#define NO_PSI \
	"--trigger pressure-memory_150ms_1s: there is no /proc/pressure/memory: this kernel does not measure pressure; it must have CONFIG_PSI, and psi=1 on its command line"
#define NO_RIGHT \
	"--trigger pressure-memory_150ms_1s: /proc/pressure/memory: Operation not permitted; the kernel wants CAP_SYS_RESOURCE"
#define NO_WINDOW \
	"--trigger pressure-memory_150ms_1s: the kernel refuses the window of 1000ms: without CAP_SYS_RESOURCE, the window must be 2s, 4s, 6s, 8s or 10s"

TEST_F(pressure, messages)
{
	make("memory");
	open_err = ENOENT;
	EXPECT_EQ(-ENOENT, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ(NO_PSI, self->d.msg);
	open_err = EPERM;
	EXPECT_EQ(-EPERM, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ(NO_RIGHT, self->d.msg);
	open_err = EROFS;
	EXPECT_EQ(-EROFS, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ("--trigger pressure-memory_150ms_1s: /proc/pressure/memory is read-only here: a service must have ReadWritePaths=/proc/pressure",
		     self->d.msg);
	open_err = EMFILE;
	EXPECT_EQ(-EMFILE, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ("--trigger pressure-memory_150ms_1s: /proc/pressure/memory: Too many open files",
		     self->d.msg);
	open_err = 0;
	write_err = EINVAL;
	EXPECT_EQ(-EINVAL, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ(NO_WINDOW, self->d.msg);
	write_err = EOPNOTSUPP;
	EXPECT_EQ(-EOPNOTSUPP, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ("--trigger pressure-memory_150ms_1s: this kernel does not measure pressure: give psi=1 on its command line",
		     self->d.msg);
	write_err = 0;
	short_write = true;
	EXPECT_EQ(-EIO, flight_pressure_open(&self->s, &self->t[0], &self->d));
	EXPECT_STREQ("--trigger pressure-memory_150ms_1s: /proc/pressure/memory: the kernel refuses it: Input/output error",
		     self->d.msg);
	EXPECT_EQ(0, flight_pressure_nr(&self->s));
}

/* A window of a multiple of 2 s is refused for another reason. */
TEST_F(pressure, refused_for_another_reason)
{
	make("cpu");
	write_err = EINVAL;
	EXPECT_EQ(-EINVAL, flight_pressure_open(&self->s, &self->t[2], &self->d));
	EXPECT_STREQ("--trigger pressure-cpu_3s_10s: /proc/pressure/cpu: the kernel refuses it: Invalid argument",
		     self->d.msg);
}

TEST_HARNESS_MAIN
