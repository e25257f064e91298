// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of many attached events: what they cost others, how many of them a user may
 * have, and that the module finds each of them while its tables grow and shrink.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "lib/ring_lib.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define PRCTL_ID	"/sys/kernel/tracing/events/syscalls/sys_enter_prctl/id"
#define USER		1000
#define OTHER		1001
/* The uid that is 1 in USER's user namespace, as newuidmap maps it */
#define SUBUID		100000

/*
 * With this number of events, a lookup in a table of 1024 chains passes 58 events. The variable
 * EVENTS sets another number, to measure.
 */
static unsigned int many = 60000;

/* The longest search for a moment in which nothing else makes samples slow */
#define MEASURE_NS	30000000000ULL

/* A child reports by its exit status: 0 is success, else the line that failed. */
#define CHECK(cond) do { if (!(cond)) _exit(__LINE__ % 255 + 1); } while (0)

FIXTURE(attached) {
	struct ring ring;
	struct ring other;
	char paranoid[16];
	int prctl;		/* each prctl() of this thread is a sample of this event */
};

static int overwrite_ring(struct ring *ring)
{
	struct perfaux_create create;

	ring_params(&create, 4096, 2);
	create.flags = PERFAUX_RING_OVERWRITE;
	return ring_open(ring, &create);
}

static int open_event(const struct perf_event_attr *attr)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Open an event of the caller that is never enabled. */
static int idle_event(void)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return open_event(&attr);
}

static int prctl_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
	};
	char id[16];

	if (file_read(PRCTL_ID, id, sizeof(id)))
		return -1;
	attr.config = atoi(id);
	return open_event(&attr);
}

FIXTURE_SETUP(attached)
{
	module_insert("perfaux", "");
	ASSERT_EQ(0, file_read(PARANOID, self->paranoid, sizeof(self->paranoid)));
	ASSERT_EQ(0, file_write(PARANOID, "2"));
	ASSERT_EQ(0, overwrite_ring(&self->ring));
	ASSERT_EQ(0, overwrite_ring(&self->other));
	self->prctl = prctl_event();
	ASSERT_LE(0, self->prctl);
}

FIXTURE_TEARDOWN(attached)
{
	close(self->prctl);
	ring_close(&self->ring);
	ring_close(&self->other);
	file_write(PARANOID, self->paranoid);
}

/* Attaches @nr events, whose descriptors are closed. */
static int attach_idle(struct ring *ring, unsigned int nr)
{
	int event, ret = 0;

	while (!ret && nr--) {
		event = idle_event();
		if (event < 0)
			return -errno;
		ret = ring_attach_trigger(ring, event, nr, 0);
		close(event);
	}
	return ret;
}

/* --- the cost of attached events ------------------------------------------- */

/*
 * Measure the time of 500 calls many times, and return the shortest time: other load
 * only adds time.
 */
static uint64_t prctl_ns(void)
{
	uint64_t best = UINT64_MAX, begin, ns;
	int i, k;

	for (i = 0; i < 40; i++) {
		begin = now_ns();
		for (k = 0; k < 500; k++)
			prctl(PR_GET_DUMPABLE);
		ns = now_ns() - begin;
		if (ns < best)
			best = ns;
	}
	return best;
}

static void attach_many_fn(void *arg)
{
	const struct rlimit limit = { 2 * many, 2 * many };
	struct ring ring;
	int *done = arg;

	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	CHECK(!overwrite_ring(&ring));
	CHECK(!attach_idle(&ring, many));
	CHECK(write(done[1], "", 1) == 1);
	pause();
}

/*
 * Another user has many attached events, and our samples cost the same as without
 * them. The shortest time counts, because other load only adds time. If the machine is
 * busy at first, the test measures again until it has seen a short time.
 */
TEST_F_TIMEOUT(attached, cost_of_others, SECONDS)
{
	uint64_t alone, after, ns, give_up, beside = UINT64_MAX;
	const char *events = getenv("EVENTS");
	struct child child;
	int done[2];
	char c;

	if (events)
		many = strtoul(events, NULL, 10);
	/* Keep the hook registered all the time. */
	ASSERT_EQ(0, attach_idle(&self->ring, 1));
	alone = prctl_ns();
	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	ASSERT_EQ(0, child_start(&child, attach_many_fn, done));
	child_go(&child);
	close(done[1]);
	ASSERT_EQ(1, read(done[0], &c, 1));
	give_up = now_ns() + MEASURE_NS;
	do {
		ns = prctl_ns();
		beside = ns < beside ? ns : beside;
	} while (beside >= alone + alone / 2 && now_ns() < give_up);
	child_kill(&child);
	/* The machine may have become slower since @alone was measured. */
	after = prctl_ns();
	TH_LOG("%lu ns alone, %lu ns beside %u attached events, %lu ns after them",
	       alone, beside, many, after);
	alone = after > alone ? after : alone;
	EXPECT_LT(beside, alone + alone / 2);
	close(done[0]);
}

/* --- the limit of attached events ------------------------------------------ */

static void limit_to(rlim_t nr)
{
	const struct rlimit limit = { nr, nr };

	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
}

/* Run @fn as @uid. Returns 0 or the line that failed. */
static int as_user(uid_t uid, void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		CHECK(!become_uid(uid));
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define LIMIT	32

static void three(void)
{
	struct ring ring;

	CHECK(!overwrite_ring(&ring));
	CHECK(!attach_idle(&ring, 3));
}

static void none(void)
{
	struct ring ring;

	limit_to(LIMIT);
	CHECK(!overwrite_ring(&ring));
	CHECK(attach_idle(&ring, 1) == -EMFILE);
}

/*
 * The limit applies to the sum over all rings and processes of the user. Events
 * that are gone do not count.
 */
static void sum_of_rings(void)
{
	struct ring a, b;
	int status;
	pid_t pid;

	CHECK(!overwrite_ring(&a));
	CHECK(!overwrite_ring(&b));
	limit_to(LIMIT);
	CHECK(!attach_idle(&a, LIMIT / 2));
	CHECK(!attach_idle(&b, LIMIT / 2));
	CHECK(attach_idle(&a, 1) == -EMFILE);
	pid = fork();
	if (!pid) {
		none();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(!status);
	ring_close(&b);
	CHECK(!attach_idle(&a, LIMIT / 2));
	CHECK(attach_idle(&a, 1) == -EMFILE);
	ring_close(&a);
	CHECK(!overwrite_ring(&a));
	CHECK(!attach_idle(&a, LIMIT));
}

TEST_F(attached, limit_per_user)
{
	EXPECT_EQ(0, as_user(USER, sum_of_rings));
	EXPECT_EQ(0, as_user(USER, sum_of_rings));
}

static void hold_limit_fn(void *arg)
{
	struct ring ring;
	int *done = arg;

	CHECK(!become_uid(USER));
	CHECK(!overwrite_ring(&ring));
	CHECK(!attach_idle(&ring, LIMIT));
	CHECK(write(done[1], "", 1) == 1);
	pause();
}

static void one_of_subuid_fn(void *arg)
{
	(void)arg;
	CHECK(!setresuid(1, 1, 1));
	none();
}

/*
 * The limit of other users, and of root, is not reduced. But all uids of a user's
 * namespaces count as that user.
 */
TEST_F(attached, limit_of_others)
{
	struct in_namespace in = { .maker = USER, .fn = one_of_subuid_fn };
	struct child holder, child;
	char map[64], c;
	int done[2];

	ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
	ASSERT_EQ(0, child_start(&holder, hold_limit_fn, done));
	child_go(&holder);
	close(done[1]);
	ASSERT_EQ(1, read(done[0], &c, 1));
	EXPECT_EQ(0, as_user(USER, none));
	EXPECT_EQ(0, as_user(OTHER, three));
	EXPECT_EQ(0, attach_idle(&self->ring, 2 * LIMIT));
	snprintf(map, sizeof(map), "0 %d 1\n1 %d 1\n", USER, SUBUID);
	in.map = map;
	ASSERT_EQ(0, in_namespace(&child, &in));
	EXPECT_EQ(0, child_wait(&child));
	child_kill(&holder);
	close(done[0]);
}

/* --- lookups of attached events -------------------------------------------- */

static void grow_and_shrink_fn(void *arg)
{
	const struct rlimit limit = { 4096, 4096 };
	struct perfaux_detach all = {
		.size = sizeof(all), .flags = PERFAUX_DETACH_ALL, .fd = -1,
	};
	struct ring ring;

	(void)arg;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	CHECK(!overwrite_ring(&ring));
	for (;;) {
		CHECK(!attach_idle(&ring, 1100));
		CHECK(!ioctl(ring.fd, PERFAUX_IOC_DETACH, &all));
	}
}

/* Each round of the other process replaces a table about ten times. */
TEST_F_TIMEOUT(attached, found_while_tables_change, SECONDS)
{
	const __u64 *triggers = &self->ring.ctl->triggers;
	struct child child;
	uint64_t before;
	int i, missed = 0;

	ASSERT_EQ(0, ring_attach_trigger(&self->ring, self->prctl, 1, 0));
	ASSERT_EQ(0, child_start(&child, grow_and_shrink_fn, NULL));
	child_go(&child);
	for (i = 0; i < 300000; i++) {
		before = counter(triggers);
		prctl(PR_GET_DUMPABLE);
		missed += counter(triggers) != before + 1;
	}
	EXPECT_EQ(0, missed);
	EXPECT_EQ(0, waitpid(child.pid, NULL, WNOHANG));
	child_kill(&child);
}

/* Find each of many events, in another order than they were attached. */
TEST_F_TIMEOUT(attached, each_is_found, SECONDS)
{
	enum { NR = 500 };
	static int events[NR];
	uint64_t before;
	int i, k;

	for (i = 0; i < NR; i++) {
		events[i] = prctl_event();
		ASSERT_LE(0, events[i]);
		ASSERT_EQ(0, ring_attach_trigger(&self->other, events[i], i, 0));
		EXPECT_EQ(-EBUSY, ring_attach_trigger(&self->ring, events[i], i, 0));
	}
	before = counter(&self->other.ctl->triggers);
	prctl(PR_GET_DUMPABLE);
	EXPECT_EQ(before + NR, counter(&self->other.ctl->triggers));
	for (i = 0; i < NR; i++) {
		k = i * 7 % NR;
		ASSERT_EQ(0, ring_detach(&self->other, events[k]));
		EXPECT_EQ(-ENOENT, ring_detach(&self->other, events[k]));
		close(events[k]);
		if (i % 50)
			continue;
		before = counter(&self->other.ctl->triggers);
		prctl(PR_GET_DUMPABLE);
		EXPECT_EQ(before + NR - 1 - i, counter(&self->other.ctl->triggers));
	}
}

TEST_HARNESS_MAIN
