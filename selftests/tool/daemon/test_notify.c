// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/service/notify.c: which messages arrive at the service manager's socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "kselftest_harness.h"
#include "service/notify.h"

/* Bind a socket to @name. A name that begins with '@' is an abstract one. */
static int manager(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	strcpy(addr.sun_path, name);
	if (*name == '@')
		addr.sun_path[0] = '\0';
	if (bind(fd, (struct sockaddr *)&addr,
		 offsetof(struct sockaddr_un, sun_path) + strlen(name)))
		return -1;
	return fd;
}

static const char *got(int fd)
{
	static char buf[1024];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, 0);

	buf[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "(nothing)" : buf;
}

TEST(none)
{
	EXPECT_EQ(0, notify_ready());
	unsetenv("NOTIFY_SOCKET");
	notify_init();
	EXPECT_EQ(0, notify_ready());
	EXPECT_EQ(0, notify_status("x"));
	EXPECT_EQ(0, notify_watchdog());
	EXPECT_EQ(0, notify_stopping());
	EXPECT_EQ(0, notify_watchdog_interval());
}

static void messages(struct __test_metadata *_metadata, const char *name)
{
	int fd = manager(name), i, n = 0;

	ASSERT_LE(0, fd);
	setenv("NOTIFY_SOCKET", name, 1);
	notify_init();
	/* The recorded command must not inherit the variable. */
	EXPECT_EQ(NULL, getenv("NOTIFY_SOCKET"));
	EXPECT_EQ(1, notify_ready());
	EXPECT_STREQ("READY=1", got(fd));
	EXPECT_EQ(1, notify_status("%d snapshots\n", 3));
	EXPECT_STREQ("STATUS=3 snapshots ", got(fd));
	EXPECT_EQ(1, notify_status("%02000d", 3));
	EXPECT_EQ(511, strlen(got(fd)));
	EXPECT_EQ(1, notify_watchdog());
	EXPECT_STREQ("WATCHDOG=1", got(fd));
	EXPECT_EQ(0, notify_busy());
	EXPECT_EQ(1, notify_stopping());
	EXPECT_STREQ("STOPPING=1", got(fd));
	EXPECT_EQ(1, notify_busy());
	EXPECT_STREQ("EXTEND_TIMEOUT_USEC=120000000", got(fd));
	/* notify_busy() sends at most one message per second. */
	for (i = 0; i < 100; i++)
		n += notify_busy();
	EXPECT_GT(50, n);
	close(fd);
	EXPECT_EQ(-ECONNREFUSED, notify_ready());
}

TEST(path)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/notify.%d", getpid());
	messages(_metadata, name);
	unlink(name);
	EXPECT_EQ(-ENOENT, notify_ready());
}

TEST(abstract)
{
	char name[64];

	snprintf(name, sizeof(name), "@notify.%d", getpid());
	messages(_metadata, name);
}

TEST(odd_names)
{
	static const char * const names[] = { "", "/", "@", "x", "vsock:2:1234", "relative/one" };
	char name[200];
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		notify_init();
		EXPECT_EQ(0, notify_ready());
	}
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[108] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	notify_init();
	EXPECT_EQ(0, notify_ready());
}

/* notify_watchdog() and notify_status() must not wait for a manager that does not read. */
TEST(full)
{
	char name[64];
	int fd, i, r = 1;

	snprintf(name, sizeof(name), "@full.%d", getpid());
	fd = manager(name);
	setenv("NOTIFY_SOCKET", name, 1);
	notify_init();
	for (i = 0; i < 100000 && r == 1; i++)
		r = i % 2 ? notify_watchdog() : notify_status("x");
	EXPECT_EQ(-EAGAIN, r);
	close(fd);
}

TEST(watchdog)
{
	char self[16], other[16];
	struct {
		const char *usec, *pid;
		__u64 ns;
	} cases[] = {
		{ "30000000", NULL, 15000000000 },
		{ "30000000", self, 15000000000 },
		{ "30000000", other, 0 },
		{ "30000000", "", 0 },
		{ "30000000", "x", 0 },
		{ "1", self, 500 },
		{ "0", self, 0 },
		{ "", self, 0 },
		{ "-1", self, 0 },
		{ "30s", self, 0 },
		{ "18446744073709551615", self, 0 },
		{ "18446744073709551616", self, 0 },
		{ NULL, self, 0 },
	};
	size_t i;

	snprintf(self, sizeof(self), "%d", getpid());
	snprintf(other, sizeof(other), "%d", getppid());
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].usec)
			setenv("WATCHDOG_USEC", cases[i].usec, 1);
		if (cases[i].pid)
			setenv("WATCHDOG_PID", cases[i].pid, 1);
		notify_init();
		EXPECT_EQ(cases[i].ns, notify_watchdog_interval()) {
			TH_LOG("case %zu", i);
		}
		EXPECT_EQ(NULL, getenv("WATCHDOG_USEC"));
		EXPECT_EQ(NULL, getenv("WATCHDOG_PID"));
	}
}

TEST_HARNESS_MAIN
