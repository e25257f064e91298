// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of locked memory: it is charged against the user's RLIMIT_MEMLOCK and given
 * back, and the pages are freed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "lib/ring_lib.h"

#define USER	1000
#define OTHER	1001
#define THIRD	1002
/* The uids that are 1 and 2 in USER's user namespace, as newuidmap maps them */
#define SUBUIDS		100000
#define NR_SUBUIDS	2

/* A child reports by its exit status: 0 is success, else the line that failed. */
#define CHECK(cond) do { if (!(cond)) _exit(__LINE__ % 255 + 1); } while (0)

static void become(uid_t uid, rlim_t memlock)
{
	struct rlimit limit = { memlock, memlock };

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit));
	CHECK(!setresgid(uid, uid, uid));
	CHECK(!setresuid(uid, uid, uid));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int create_ring(uint32_t segment_size, uint32_t nr)
{
	struct perfaux_create create;
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC), fd;

	ring_params(&create, segment_size, nr);
	fd = ioctl(dev, PERFAUX_IOC_CREATE, &create);
	if (fd < 0)
		fd = -errno;
	close(dev);
	return fd;
}

/* A worker frees memory, so try for up to 10 s until the memory is back. */
static int create_soon(uint32_t segment_size, uint32_t nr)
{
	uint64_t end = now_ns() + 10000000000ULL;
	int fd;

	do {
		fd = create_ring(segment_size, nr);
		if (fd == -EPERM)
			sched_yield();
	} while (fd == -EPERM && now_ns() < end);
	return fd;
}

/* Run @fn in a child. Returns 0 or the line that failed. */
static int in_child(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Return the bytes that a ring of @nr segments takes, including tables. */
static rlim_t ring_bytes(uint32_t segment_size, uint32_t nr)
{
	int fd = create_ring(segment_size, nr);
	rlim_t bytes;

	if (fd < 0)
		return 0;
	bytes = ring_fdinfo(fd, "locked_pages") * sysconf(_SC_PAGESIZE);
	close(fd);
	return bytes;
}

static rlim_t small, large;	/* 8 and 64 segments of 16K */

static void do_limit_exact(void)
{
	int fd;

	become(USER, large);
	fd = create_soon(16384, 64);
	CHECK(fd >= 0);
	/* The limit has no room for one more page. */
	CHECK(create_ring(4096, 2) == -EPERM);
	close(fd);
	CHECK(create_soon(16384, 64) >= 0);
}

TEST(limit_exact)
{
	large = ring_bytes(16384, 64);
	ASSERT_LT(64 * 16384, large);
	EXPECT_EQ(0, in_child(do_limit_exact));
}

static void do_limit_below(void)
{
	become(USER, large - sysconf(_SC_PAGESIZE));
	CHECK(create_soon(4096, 2) >= 0);
	CHECK(create_ring(16384, 64) == -EPERM);
	CHECK(create_ring(1 << 30, 4096) == -EPERM);
}

TEST(limit_below)
{
	large = ring_bytes(16384, 64);
	EXPECT_EQ(0, in_child(do_limit_below));
}

static void do_limit_zero(void)
{
	become(USER, 0);
	CHECK(create_ring(4096, 2) == -EPERM);
}

TEST(limit_zero)
{
	EXPECT_EQ(0, in_child(do_limit_zero));
}

static void two_rings(void)
{
	int a, b;

	become(USER, 2 * small);
	a = create_soon(16384, 8);
	CHECK(a >= 0);
	b = create_soon(16384, 8);
	CHECK(b >= 0);
	CHECK(create_ring(16384, 8) == -EPERM);
	close(a);
	a = create_soon(16384, 8);
	CHECK(a >= 0);
	CHECK(create_ring(16384, 8) == -EPERM);
}

TEST(two_rings_add_up)
{
	small = ring_bytes(16384, 8);
	EXPECT_EQ(0, in_child(two_rings));
}

/* Processes of one user share the limit, other users do not. */
static void second_process(void)
{
	become(USER, small);
	CHECK(create_ring(16384, 8) == -EPERM);
}

static void second_user(void)
{
	become(OTHER, small);
	CHECK(create_soon(16384, 8) >= 0);
}

static void third_process(void)
{
	become(USER, small);
	CHECK(create_soon(16384, 8) >= 0);
}

TEST(per_user)
{
	int go[2], ready[2], status;
	pid_t pid;
	char c;

	small = ring_bytes(16384, 8);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		close(go[1]);
		become(USER, small);
		CHECK(create_soon(16384, 8) >= 0);
		CHECK(write(ready[1], "", 1) == 1);
		CHECK(read(go[0], &c, 1) == 0);
		_exit(0);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(0, in_child(second_process));
	EXPECT_EQ(0, in_child(second_user));
	close(go[1]);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	/* When the first process is gone, there is room. */
	EXPECT_EQ(0, in_child(third_process));
}

struct holder {
	int ready[2];
	int go[2];
};

/* Take each uid in turn and use up its limit; then keep all the rings. */
static void several_uids(void *arg)
{
	const struct rlimit limit = { small, small };
	const struct holder *holder = arg;
	uid_t uid;
	char c;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit));
	for (uid = 0; uid <= NR_SUBUIDS; uid++) {
		/* The saved uid stays 0, so this process may change to the next uid. */
		CHECK(!setresuid(uid, uid, 0));
		CHECK(create_soon(16384, 8) >= 0);
		CHECK(create_ring(16384, 8) == -EPERM);
		CHECK(!setresuid(0, 0, 0));
	}
	close(holder->go[1]);
	CHECK(write(holder->ready[1], "", 1) == 1);
	CHECK(read(holder->go[0], &c, 1) == 0);
}

/* The last of these uids, outside the namespace */
static void subuid(void)
{
	become(SUBUIDS + NR_SUBUIDS - 1, small);
	CHECK(create_ring(16384, 8) == -EPERM);
}

/* Each uid that a user has in a user namespace has a limit of its own. */
TEST(per_uid_of_namespace)
{
	struct holder holder;
	struct in_namespace in = { .maker = USER, .fn = several_uids, .arg = &holder };
	struct child child;
	char map[64], c;

	small = ring_bytes(16384, 8);
	ASSERT_EQ(0, pipe2(holder.ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(holder.go, O_CLOEXEC));
	snprintf(map, sizeof(map), "0 %d 1\n1 %d %d\n", USER, SUBUIDS, NR_SUBUIDS);
	in.map = map;
	ASSERT_EQ(0, in_namespace(&child, &in));
	close(holder.ready[1]);
	EXPECT_EQ(1, read(holder.ready[0], &c, 1));
	EXPECT_EQ(0, in_child(second_process));
	EXPECT_EQ(0, in_child(subuid));
	close(holder.go[1]);
	EXPECT_EQ(0, child_wait(&child));
	EXPECT_EQ(0, in_child(third_process));
}

/* A process that forks is not charged twice, and its charge is not returned twice. */
static void fork_once(void)
{
	int fd, status;
	pid_t pid;

	become(USER, small);
	fd = create_soon(16384, 8);
	CHECK(fd >= 0);
	pid = fork();
	if (!pid) {
		close(fd);
		CHECK(create_ring(4096, 2) == -EPERM);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(!status);
	CHECK(create_ring(4096, 2) == -EPERM);
}

TEST(fork_does_not_charge)
{
	small = ring_bytes(16384, 8);
	EXPECT_EQ(0, in_child(fork_once));
}

/* A mapping keeps the charge as well as a descriptor does. */
static void mapping_keeps(void)
{
	struct perfaux_create create;
	struct ring ring;

	become(USER, small);
	close(create_soon(16384, 8));
	ring_params(&create, 16384, 8);
	while (ring_open(&ring, &create) == -EPERM)
		sched_yield();
	close(ring.fd);
	ring.fd = -1;
	CHECK(create_ring(4096, 2) == -EPERM);
	ring_unmap(&ring);
	CHECK(create_soon(16384, 8) >= 0);
}

TEST(mapping_keeps_charge)
{
	small = ring_bytes(16384, 8);
	EXPECT_EQ(0, in_child(mapping_keeps));
}

static void set_caps(uint64_t caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	CHECK(!syscall(SYS_capset, &header, data));
}

/* PF_SUPERPRIV in /proc/PID/stat: the process has used a capability */
#define PF_SUPERPRIV	0x100

static bool used_capability(void)
{
	unsigned int flags = 0;
	char text[1024];

	CHECK(!file_read("/proc/self/stat", text, sizeof(text)));
	CHECK(sscanf(strrchr(text, ')'), ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1);
	return flags & PF_SUPERPRIV;
}

/* A child begins without the flag. */
static void capability_is_last(void)
{
	CHECK(!used_capability());
	CHECK(create_ring(16384, 8) >= 0);
	CHECK(!used_capability());
	CHECK(create_ring(16384, 8) >= 0);
	CHECK(used_capability());
}

/* A user without any locked memory; root may have some. */
static void third_user(void)
{
	CHECK(!prctl(PR_SET_KEEPCAPS, 1));
	become(THIRD, small);
	set_caps(1ULL << CAP_IPC_LOCK);
	CHECK(!in_child(capability_is_last));
}

/* A ring below the limit needs no capability. */
TEST(cap_ipc_lock_is_asked_last)
{
	small = ring_bytes(16384, 8);
	EXPECT_EQ(0, in_child(third_user));
}

static void exempt(void)
{
	CHECK(!prctl(PR_SET_KEEPCAPS, 1));
	become(USER, 0);
	set_caps(1ULL << CAP_IPC_LOCK);
	CHECK(create_ring(16384, 64) >= 0);
	set_caps(0);
	CHECK(create_ring(4096, 2) == -EPERM);
}

TEST(cap_ipc_lock_is_exempt)
{
	EXPECT_EQ(0, in_child(exempt));
	/*
	 * The charge is gone with the exempt process, and the sum has not gone
	 * below 0.
	 */
	small = ring_bytes(16384, 8);
	EXPECT_EQ(0, in_child(third_process));
	EXPECT_EQ(0, in_child(do_limit_zero));
}

/* Root without the capability has a limit too. */
static void root_limited(void)
{
	struct rlimit limit = { 0, 0 };

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit));
	set_caps(0);
	CHECK(create_ring(4096, 2) == -EPERM);
}

TEST(root_without_capability)
{
	EXPECT_EQ(0, in_child(root_limited));
}

FIXTURE(slow) {
	struct rnd rnd;
};

FIXTURE_SETUP(slow)
{
	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
}

FIXTURE_TEARDOWN(slow)
{
}

static rlim_t huge;	/* 256 segments of 256K, which take a while to make */

static void huge_again(void)
{
	become(USER, huge);
	CHECK(create_soon(262144, 256) >= 0);
}

/*
 * Kill a process at various moments while it makes a large ring: nothing stays
 * charged.
 */
TEST_F_TIMEOUT(slow, killed_while_creating, SECONDS)
{
	uint64_t begin = now_ns(), took;
	int i, status, killed = 0;

	huge = ring_bytes(262144, 256);
	took = now_ns() - begin;
	for (i = 0; i < 12; i++) {
		uint64_t when;
		pid_t pid;

		pid = fork();
		if (!pid) {
			become(USER, huge);
			for (;;)
				close(create_ring(262144, 256));
		}
		when = now_ns() + took / 64 * rnd_below(&self->rnd, 128);
		while (now_ns() < when)
			sched_yield();
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		ASSERT_EQ(0, in_child(huge_again));
	}
	EXPECT_LT(0, killed);
}

static long free_kb(void)
{
	char text[4096], *at;

	if (file_read("/proc/meminfo", text, sizeof(text)))
		return -1;
	at = strstr(text, "MemFree:");
	return at ? atol(at + 8) : -1;
}

/* Make 200 rings of 4 MiB: the pages come back, within the noise of other activity. */
TEST_F_TIMEOUT(slow, pages_come_back, SECONDS)
{
	const long slack = 40 * 1024;
	long before, after = 0;
	uint64_t end;
	int i;

	for (i = 0; i < 5; i++)
		close(create_ring(65536, 64));
	before = free_kb();
	ASSERT_LT(0, before);
	for (i = 0; i < 200; i++) {
		int fd = create_ring(65536, 64);

		ASSERT_LE(0, fd);
		close(fd);
	}
	/* The last pages are still being freed. */
	end = now_ns() + 10000000000ULL;
	do {
		after = free_kb();
	} while (after < before - slack && now_ns() < end);
	EXPECT_LT(before - slack, after);
	TH_LOG("free: %ld KiB before, %ld after 800 MiB", before, after);
}

TEST_HARNESS_MAIN
