// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of how many descriptors of PERFAUX_IOC_IDS a user may have, with all uids
 * and containers of the user.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define TESTER		1000
#define OTHER		1001
/* The uids that are 1, 2 ... in the tester's user namespace, as newuidmap maps them */
#define SUBUIDS		100000
#define NR_SUBUIDS	10
/* The limit of one user, as in the module */
#define SESSIONS_MAX	64

FIXTURE(sessions) {
	int fd;
	char paranoid[16];
};

/* Root has a session of all tasks all the time. */
FIXTURE_SETUP(sessions)
{
	ids_insert(NO_HURRY_US);
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
	/* Let ordinary users open sessions. */
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid, sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "2"));
}

FIXTURE_TEARDOWN(sessions)
{
	file_write(PARANOID, self->paranoid);
	close(self->fd);
}

static void many_sessions_fn(void *arg)
{
	struct rlimit limit = { SESSIONS_MAX + 10, SESSIONS_MAX + 10 };
	int i;

	(void)arg;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (become_uid(TESTER))
		_exit(100);
	for (i = 0; i < SESSIONS_MAX; i++)
		if (ids_open(0) < 0)
			_exit(1);
	_exit(ids_open(0) == -EMFILE ? 0 : 2);
}

TEST_F(sessions, many_sessions)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, many_sessions_fn, NULL));
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
}

/* Return how many sessions can be opened, up to @most. */
static int open_sessions(int most)
{
	int n = 0;

	while (n < most && ids_open(0) >= 0)
		n++;
	return n;
}

/* Open a session outside the namespaces, as @uid. Returns 0 or errno. */
static int open_outside(uid_t uid)
{
	pid_t pid = fork();
	int status, fd;

	if (!pid) {
		if (become_uid(uid))
			_exit(255);
		fd = ids_open(0);
		_exit(fd < 0 ? -fd : 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

/* A child in a user namespace, which keeps the sessions that it has opened there */
struct container {
	struct child child;
	int opened[2];
	int end[2];
};

/* The container's @fn calls this when all sessions are open. */
static void tell_and_wait(struct container *container)
{
	char c;

	close(container->end[1]);
	if (write(container->opened[1], "", 1) != 1 || read(container->end[0], &c, 1))
		_exit(102);
}

/*
 * Same as in_namespace(), but return when @fn has called tell_and_wait(). Returns
 * 0, -errno, or the wait status if the child has ended instead.
 */
static int container_start(struct container *container, uid_t maker, const char *map,
			   void (*fn)(void *arg))
{
	struct in_namespace in = {
		.maker = maker, .map = map, .fn = fn, .arg = container,
	};
	int ret;
	char c;

	if (pipe2(container->opened, O_CLOEXEC) || pipe2(container->end, O_CLOEXEC))
		return -errno;
	ret = in_namespace(&container->child, &in);
	if (ret)
		return ret;
	close(container->opened[1]);
	if (read(container->opened[0], &c, 1) == 1)
		return 0;
	return child_wait(&container->child) ?: -ECHILD;
}

/* End the container, which closes its sessions. Returns the wait status. */
static int container_end(struct container *container)
{
	close(container->opened[0]);
	close(container->end[0]);
	close(container->end[1]);
	return child_wait(&container->child);
}

static void many_uids_fn(void *arg)
{
	int n = 0, fd;
	uid_t uid;

	for (uid = 0; uid < NR_SUBUIDS; uid++) {
		/* The saved uid stays 0, so this process may change to the next uid. */
		if (setresuid(uid, uid, 0))
			_exit(1);
		n += open_sessions(SESSIONS_MAX / 4);
		if (setresuid(0, 0, 0))
			_exit(2);
	}
	if (n != SESSIONS_MAX)
		_exit(3);
	/* Make a nested namespace that belongs to another uid. */
	if (setresuid(1, 1, 1) || unshare(CLONE_NEWUSER))
		_exit(4);
	fd = ids_open(0);
	if (fd != -EMFILE)
		_exit(5);
	tell_and_wait(arg);
}

/*
 * All uids that are mapped in a user namespace count as the user who made the
 * namespace.
 */
TEST_F(sessions, many_sessions_of_uids)
{
	struct container container;
	char map[64];

	snprintf(map, sizeof(map), "0 %d 1\n1 %d %d\n", TESTER, SUBUIDS, NR_SUBUIDS);
	ASSERT_EQ(0, container_start(&container, TESTER, map, many_uids_fn));
	EXPECT_EQ(EMFILE, open_outside(TESTER));
	EXPECT_EQ(0, open_outside(OTHER));
	EXPECT_EQ(0, open_outside(SUBUIDS));
	EXPECT_EQ(0, container_end(&container));
	EXPECT_EQ(0, open_outside(TESTER));
}

static void roots_container_fn(void *arg)
{
	if (setresuid(1, 1, 1))
		_exit(1);
	if (open_sessions(2 * SESSIONS_MAX) != SESSIONS_MAX)
		_exit(2);
	tell_and_wait(arg);
}

/* A container that root has made for others does not use up root's sessions. */
TEST_F(sessions, sessions_of_a_container)
{
	struct container container;
	char map[64];

	snprintf(map, sizeof(map), "0 %d %d\n", SUBUIDS, NR_SUBUIDS);
	ASSERT_EQ(0, container_start(&container, 0, map, roots_container_fn));
	EXPECT_EQ(0, open_outside(0));
	EXPECT_EQ(0, open_outside(TESTER));
	EXPECT_EQ(0, container_end(&container));
}

/* The user of another container: exits with errno, or with 0 if it got a session. */
static void neighbour_fn(void *arg)
{
	int fd;

	(void)arg;
	if (setresuid(1, 1, 1))
		_exit(255);
	fd = ids_open(0);
	_exit(fd < 0 ? -fd : 0);
}

static int open_in_neighbour(uid_t maker)
{
	char map[64];
	struct in_namespace in = { .maker = maker, .map = map, .fn = neighbour_fn };
	struct child child;
	int status;

	/* These are uids that no other container has. */
	snprintf(map, sizeof(map), "0 %d %d\n", SUBUIDS + NR_SUBUIDS, NR_SUBUIDS);
	if (in_namespace(&child, &in))
		return -1;
	status = child_wait(&child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * A container's sessions count for the user who made the container. Here the maker of all
 * containers is root, so they share one limit.
 */
TEST_F(sessions, containers_of_one_maker)
{
	struct container container;
	char map[64];

	snprintf(map, sizeof(map), "0 %d %d\n", SUBUIDS, NR_SUBUIDS);
	ASSERT_EQ(0, container_start(&container, 0, map, roots_container_fn));
	EXPECT_EQ(EMFILE, open_in_neighbour(0));
	EXPECT_EQ(0, open_in_neighbour(TESTER));
	EXPECT_EQ(0, container_end(&container));
	EXPECT_EQ(0, open_in_neighbour(0));
}

TEST_HARNESS_MAIN
