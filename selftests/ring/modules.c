// SPDX-License-Identifier: GPL-2.0-only
/* Tests of insmod and rmmod of perfaux at any moment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "lib/kernel_ring.h"

FIXTURE(modules) {
	struct check check;
	struct rnd rnd;
};

FIXTURE_SETUP(modules)
{
	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	module_insert("perfaux", "");
}

FIXTURE_TEARDOWN(modules)
{
	module_insert("perfaux", "");
}

static int traced(struct ring *ring, struct child *child)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 1 << 24 | 4, 200,
	};
	struct perfaux_create create;
	int ev, ret;

	ring_params(&create, 16384, 8);
	ret = ring_open(ring, &create);
	if (ret)
		return ret;
	ev = auxgen_open(&config, child->pid, -1, EV_INHERIT | EV_ENABLED);
	if (ev >= 0)
		ret = ring_attach(ring, ev, COOKIE(1));
	return ret ? ret : ev;
}

/* Removing is refused while any part of the module is in use. */
TEST_F_TIMEOUT(modules, in_use, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;
	void *marks;
	int dev, fd;

	dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, dev);
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	close(dev);

	ring_params(&create, 4096, 2);
	ASSERT_EQ(0, ring_open(&ring, &create));
	close(ring.dev);
	ring.dev = -1;
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	/* A mapping is enough to keep the module. */
	marks = ring.marks;
	ring.marks = NULL;
	ring_close(&ring);
	EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
	munmap(marks, ring.create.marks_size);
	EXPECT_EQ(0, module_remove_wait("perfaux"));

	fd = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(ENOENT, errno);
	ASSERT_EQ(0, module_insert("perfaux", ""));
	EXPECT_EQ(-EEXIST, module_insert("perfaux", ""));
}

static int device_stat(struct stat *st)
{
	return stat(PERFAUX_DEVICE, st) ? -errno : 0;
}

/* The administrator chooses the mode and the group of the device. */
TEST_F_TIMEOUT(modules, device_mode, SECONDS)
{
	static const char parameter[] = "/sys/module/perfaux/parameters/device_mode";
	char text[16] = "";
	struct stat st;

	ASSERT_EQ(0, device_stat(&st));
	EXPECT_EQ(S_IFCHR | 0666, st.st_mode);
	EXPECT_EQ(0, st.st_gid);
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, module_insert("perfaux", "device_mode=0640 device_gid=1234"));
	ASSERT_EQ(0, device_stat(&st));
	EXPECT_EQ(S_IFCHR | 0640, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(1234, st.st_gid);
	ASSERT_EQ(0, file_read(parameter, text, sizeof(text)));
	EXPECT_STREQ("0640\n", text);
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	EXPECT_EQ(-ENOENT, device_stat(&st));
	EXPECT_EQ(-EINVAL, module_insert("perfaux", "device_mode=0777"));
	EXPECT_EQ(-EINVAL, module_insert("perfaux", "device_gid=4294967295"));
	EXPECT_EQ(-ENOENT, device_stat(&st));
	ASSERT_EQ(0, module_insert("perfaux", ""));
}

/* The ring keeps its PMU's driver in use, whatever happened to the event. */
TEST_F_TIMEOUT(modules, pmu_in_use, SECONDS)
{
	struct child child;
	struct ring ring;
	int ev;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	ev = traced(&ring, &child);
	ASSERT_LE(0, ev);
	child_kill(&child);
	EXPECT_EQ(-EAGAIN, module_remove("auxgen"));
	ASSERT_EQ(0, ring_detach(&ring, ev));
	close(ev);
	EXPECT_EQ(-EAGAIN, module_remove("auxgen"));
	ring_close(&ring);
	EXPECT_EQ(0, module_remove_wait("auxgen"));
	ASSERT_EQ(0, module_insert("auxgen", ""));
}

/* After kill -9 everything is given back, and nothing is left in the kernel. */
TEST_F_TIMEOUT(modules, remove_after_kill, SECONDS)
{
	struct child child;
	int i, status;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&child);
	for (i = 0; i < 8; i++) {
		uint32_t loops = rnd_below(&self->rnd, 5000000);
		struct ring ring;
		int ready[2];
		pid_t pid;
		char c;

		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		if (!pid) {
			if (traced(&ring, &child) < 0)
				_exit(1);
			if (write(ready[1], "", 1) != 1)
				_exit(2);
			for (;;)
				ring_read(&ring, check_record, &self->check);
		}
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &c, 1));
		close(ready[0]);
		EXPECT_EQ(-EAGAIN, module_remove("perfaux"));
		spin(loops);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, module_remove_wait("perfaux"));
		ASSERT_EQ(0, module_insert("perfaux", ""));
	}
	child_kill(&child);
}

/* Open, run and close events that write to the kernel's own AUX area. */
static void perf_fn(void *arg)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | 2 << 24 | 4, 100,
	};
	int cpus[CHECK_CPUS], nr = online_cpus(cpus, CHECK_CPUS), i;

	(void)arg;
	for (i = 0;; i++) {
		struct kernel_ring kernel;
		int ev = auxgen_open(&config, -1, cpus[i % nr], 0);

		if (ev < 0 || kernel_ring_map(&kernel, ev, 65536))
			_exit(1);
		event_enable(ev);
		spin(10000);
		event_disable(ev);
		kernel_ring_unmap(&kernel);
		close(ev);
	}
}

/* Insert and remove the module while events are opened and run, with and without a ring. */
TEST_F_TIMEOUT(modules, in_and_out, SECONDS)
{
	struct child perf, child;
	struct ring ring;
	int i, ev;

	ASSERT_EQ(0, child_start(&perf, perf_fn, NULL));
	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&perf);
	child_go(&child);
	for (i = 0; i < (int)rounds(10); i++) {
		ASSERT_EQ(0, module_remove_wait("perfaux"));
		ASSERT_EQ(0, module_insert("perfaux", ""));
		if (i % 2)
			continue;
		ev = traced(&ring, &child);
		ASSERT_LE(0, ev);
		spin(rnd_below(&self->rnd, 2000000));
		if (i % 4)
			close(ev);
		ring_close(&ring);
		if (!(i % 4))
			close(ev);
	}
	/* Neither process has failed meanwhile. */
	EXPECT_EQ(0, waitpid(perf.pid, NULL, WNOHANG));
	EXPECT_EQ(0, waitpid(child.pid, NULL, WNOHANG));
	kill(perf.pid, SIGKILL);
	child_kill(&child);
	child_wait(&perf);
}

TEST_HARNESS_MAIN
