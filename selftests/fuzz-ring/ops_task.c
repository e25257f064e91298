// SPDX-License-Identifier: GPL-2.0-only
/* Calls of tasks: fork, execute, rename, change the CPU; and CPU 1 that goes and comes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "fuzz.h"

#define CHILDREN	4
#define CHILD_CALLS	24

static atomic_int children;

/* Reap children that have ended. With @all, wait for all children. */
void children_reap(bool all)
{
	while (waitpid(-1, NULL, all ? 0 : WNOHANG) > 0)
		atomic_fetch_sub(&children, 1);
}

static bool child_may_start(void)
{
	children_reap(false);
	/* A child ends soon, because a signal ends each of its calls that wait. */
	while (atomic_load(&children) >= CHILDREN) {
		if (waitpid(-1, NULL, 0) < 0)
			return false;
		atomic_fetch_sub(&children, 1);
	}
	return true;
}

/* Use the parent's objects for a while, and let exit() release them. */
static void child_run(struct caller *c)
{
	struct call call = c->call;
	uint32_t n = below(c, CHILD_CALLS);
	uint64_t first = draw(c);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c->depth++;
	wait_init(c);
	while (n--) {
		call.seed = mix(first + n);
		call.op = op_of(call.seed, true, false);
		c->call = call;
		run_call(c);
	}
	_exit(0);
}

static int op_fork(struct caller *c)
{
	pid_t pid;

	if (!child_may_start())
		return -ECHILD;
	atomic_fetch_add(&children, 1);
	pid = fork();
	if (!pid)
		child_run(c);
	if (pid < 0) {
		atomic_fetch_sub(&children, 1);
		return -errno;
	}
	atomic_fetch_add(&shared->children, 1);
	shared->last_child = pid;
	if (one_in(c, 8))
		kill(pid, SIGKILL);
	return 0;
}

static int op_exec(struct caller *c)
{
	char *const args[] = { "/bin/true", NULL };
	pid_t pid;

	(void)c;
	if (!child_may_start())
		return -ECHILD;
	atomic_fetch_add(&children, 1);
	pid = fork();
	if (!pid) {
		execv(args[0], args);
		_exit(1);
	}
	if (pid < 0) {
		atomic_fetch_sub(&children, 1);
		return -errno;
	}
	atomic_fetch_add(&shared->children, 1);
	return 0;
}

/* Cause a sample of task:task_rename. */
static int op_rename(struct caller *c)
{
	char name[16];

	snprintf(name, sizeof(name), "f%u", below(c, 1000000));
	return prctl(PR_SET_NAME, name) ? -errno : 0;
}

static int op_affinity(struct caller *c)
{
	uint64_t mask = one_in(c, 2) ? ~0ULL : 1ULL << below(c, 4);

	return sched_setaffinity(0, sizeof(mask), (void *)&mask) ? -errno : 0;
}

static int op_yield(struct caller *c)
{
	(void)c;
	return sched_yield() ? -errno : 0;
}

/*
 * Switch CPU 1 off or on. Only thread 0 does this. One of its next calls, or the end of the
 * run, switches the CPU on again.
 */
static int op_cpu(struct caller *c)
{
	const char *to = one_in(c, 2) ? "0" : "1";
	char was[8] = "";
	int ret;

	file_read(CPU1, was, sizeof(was));
	ret = file_write(CPU1, to);
	if (!ret && *was == '1' && *to == '0')
		atomic_fetch_add(&shared->offline, 1);
	return ret;
}

const struct op ops_task[] = {
	{ .name = "fork", .fn = op_fork, .weight = 6, .works = 80, .parent_only = true },
	{ .name = "exec", .fn = op_exec, .weight = 3, .parent_only = true },
	{ .name = "rename", .fn = op_rename, .weight = 120 },
	{ .name = "affinity", .fn = op_affinity, .weight = 8 },
	{ .name = "yield", .fn = op_yield, .weight = 40 },
	{ .name = "cpu", .fn = op_cpu, .weight = 30, .parent_only = true, .hotplug = true },
	{ .name = NULL },
};
