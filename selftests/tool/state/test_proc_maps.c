// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tool/synth/proc_maps.c: which maps real processes have */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "synth/proc_maps.h"

#define PAGE	4096UL

FIXTURE(proc_maps) {
	struct proc_maps maps;
	struct state_ask ask;
};

FIXTURE_SETUP(proc_maps)
{
	memset(&self->maps, 0, sizeof(self->maps));
	self->ask = proc_maps_ask(&self->maps);
}

FIXTURE_TEARDOWN(proc_maps)
{
	proc_maps_free(&self->maps);
}

TEST_F(proc_maps, ours)
{
	char *at = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 addr = (unsigned long)at;

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_EQ(0, munmap(at + PAGE, 2 * PAGE));
	ASSERT_TRUE(self->ask.begin(self->ask.ctx, getpid()));
	EXPECT_TRUE(self->ask.mapped(self->ask.ctx, addr, addr));
	EXPECT_TRUE(self->ask.mapped(self->ask.ctx, addr + PAGE - 1, addr + PAGE));
	EXPECT_FALSE(self->ask.mapped(self->ask.ctx, addr + PAGE, addr + 3 * PAGE - 1));
	EXPECT_TRUE(self->ask.mapped(self->ask.ctx, addr + PAGE, addr + 3 * PAGE));
	EXPECT_FALSE(self->ask.mapped(self->ask.ctx, 0, 0));
}

TEST_F(proc_maps, gone)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_TRUE(self->ask.lives(self->ask.ctx, pid, pid));
	EXPECT_FALSE(self->ask.begin(self->ask.ctx, pid));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_FALSE(self->ask.lives(self->ask.ctx, pid, pid));
	EXPECT_FALSE(self->ask.begin(self->ask.ctx, pid));
}

/*
 * proc_maps.c does not read the maps of a process that waits in state D, because this could block.
 * vfork() waits in this state (TASK_KILLABLE) for the child, and the test decides when the child
 * ends.
 */
TEST_F(proc_maps, waits)
{
	int begun[2], over[2];
	char c;
	pid_t pid;

	ASSERT_EQ(0, pipe(begun));
	ASSERT_EQ(0, pipe(over));
	pid = fork();
	if (!pid) {
		/* In /proc/PID/stat this name looks like the end of the name and another state. */
		prctl(PR_SET_NAME, "a) R (b");
		if (!vfork()) {
			if (write(begun[1], "", 1) == 1 && read(over[0], &c, 1) == 1)
				_exit(0);
			_exit(1);
		}
		if (write(begun[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_EQ(1, read(begun[0], &c, 1));
	/* The process perhaps does not wait yet. */
	while (self->ask.begin(self->ask.ctx, pid))
		sched_yield();
	ASSERT_EQ(1, write(over[1], "", 1));
	ASSERT_EQ(1, read(begun[0], &c, 1));
	EXPECT_TRUE(self->ask.begin(self->ask.ctx, pid));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

TEST_HARNESS_MAIN
