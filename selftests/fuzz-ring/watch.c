// SPDX-License-Identifier: GPL-2.0-only
/* The parent's checks: that calls make progress, and that nothing is left at the end. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "fuzz.h"

#define SAY_NS		10000000000ULL
#define STALL_NS	180000000000ULL
#define LEFT_NS		30000000000ULL

static void say_where(const char *what)
{
	unsigned int i;

	printf("# %s: seed %llu, %llu calls", what, (unsigned long long)opt.seed,
	       (unsigned long long)shared->calls);
	for (i = 0; i < opt.threads; i++)
		printf(", thread %u: %llu %s", i, (unsigned long long)shared->at[i].n,
		       ops[shared->at[i].op].name);
	printf("\n");
	fflush(stdout);
}

static void show_stack(int pid, const char *tid)
{
	char path[320], text[4096], *line, *rest = text;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/stack", pid, tid);
	if (file_read(path, text, sizeof(text)))
		return;
	printf("# task %s of %d\n", tid, pid);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			printf("#   %s\n", line);
}

static void show_tasks(pid_t session)
{
	DIR *proc = opendir("/proc"), *tasks;
	struct dirent *e, *t;
	char path[64];

	while (proc && (e = readdir(proc))) {
		int pid = atoi(e->d_name);

		if (!isdigit(e->d_name[0]) || getsid(pid) != session)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task", pid);
		tasks = opendir(path);
		while (tasks && (t = readdir(tasks)))
			if (isdigit(t->d_name[0]))
				show_stack(pid, t->d_name);
		if (tasks)
			closedir(tasks);
	}
	if (proc)
		closedir(proc);
}

/* Does each call of process @pid return? */
bool watch(pid_t pid)
{
	struct pollfd pfd = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	uint64_t begin = now_ns(), said = begin, moved[THREADS_MAX], last[THREADS_MAX];
	bool ok = true;
	unsigned int i;
	int status = 0;

	for (i = 0; i < opt.threads; i++) {
		moved[i] = begin;
		last[i] = ~0ULL;
	}
	while (ok && pfd.fd >= 0 && poll(&pfd, 1, 1000) == 0) {
		uint64_t now = now_ns();

		if (now - said > SAY_NS) {
			say_where("now at");
			said = now;
		}
		for (i = 0; i < opt.threads; i++) {
			if (last[i] != shared->at[i].n || shared->at[i].done)
				moved[i] = now;
			last[i] = shared->at[i].n;
			if (now - moved[i] > STALL_NS)
				ok = false;
		}
	}
	if (!ok) {
		say_where("a call does not return");
		show_tasks(pid);
		kill(pid, SIGKILL);
	}
	waitpid(pid, &status, 0);
	/* Kill the whole process group: children and their children. */
	kill(-pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	if (ok && status) {
		printf("# wait status %#x\n", status);
		say_where("ended");
		ok = false;
	}
	printf("# %.1f s, %.0f calls a second\n", (now_ns() - begin) / 1e9,
	       shared->calls * 1e9 / (now_ns() - begin));
	return ok;
}

int use_count(void)
{
	char text[16384], users[512], *at;
	int count;

	if (file_read("/proc/modules", text, sizeof(text)))
		return -1;
	at = strstr(text, "perfaux ");
	if (!at || sscanf(at, "perfaux %*u %d %511s", &count, users) != 2)
		return -1;
	/* Subtract the modules that use perfaux: print_unload_info() counts and names them. */
	for (at = users; (at = strchr(at, ',')); at++)
		count--;
	return count;
}

bool is_unused(void)
{
	uint64_t end = now_ns() + LEFT_NS;
	int count;

	/* Workers release the last objects, after an RCU grace period. */
	while ((count = use_count()) && now_ns() < end)
		sched_yield();
	if (count)
		printf("# perfaux is in use, %d times\n", count);
	return !count;
}

bool ring_fits(uint64_t end)
{
	struct perfaux_create create;
	struct ring ring;
	struct rlimit limit;
	int ret;

	ring_params(&create, PAGE, 16);
	if (ring_open(&ring, &create))
		return false;
	limit.rlim_cur = ring_fdinfo(ring.fd, "locked_pages") * PAGE;
	limit.rlim_max = limit.rlim_cur;
	ring_close(&ring);
	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return false;
	/* A worker returns the memory of the ring that was closed. */
	do {
		ret = ring_open(&ring, &create);
		if (ret)
			sched_yield();
	} while (ret == -EPERM && now_ns() < end);
	return !ret;
}

bool nothing_is_locked(void)
{
	uint64_t end = now_ns() + LEFT_NS;
	int status = 1;

	pid_t pid = fork();

	if (!pid) {
		if (opt.user)
			become_user(USER_CALLS);
		else
			become_limited_root();
		_exit(!ring_fits(end));
	}
	waitpid(pid, &status, 0);
	return !status;
}

static void print_errors(const struct op_stats *stats)
{
	unsigned int i;

	for (i = 1; i < ERRNO_MAX; i++)
		if (stats->results[i])
			printf(" %s %u", strerrorname_np(i) ?: "other", stats->results[i]);
	printf("\n");
}

void print_stats(void)
{
	unsigned int i;

	for (i = 0; i < nr_ops; i++) {
		const struct op_stats *stats = &shared->stats[i];

		if (!stats->calls)
			continue;
		printf("# %-16s %8llu calls, %7u worked, %6.0f us:", ops[i].name,
		       (unsigned long long)stats->calls, stats->results[0],
		       stats->timed ? stats->ns / 1e3 / stats->timed : 0);
		print_errors(stats);
	}
	printf("# %llu children, %llu rounds of the hammer\n",
	       (unsigned long long)shared->children, (unsigned long long)shared->hammered);
}

/* With fewer calls, it can be chance that none succeeded. */
#define MANY_CALLS	100

static bool can_work(const struct op *op)
{
	return !(op->needs_auxgen && auxgen_type() < 0) && !(op->needs_pt && !has_pt()) &&
	       !(op->needs_btf && access("/sys/kernel/btf/perfaux", F_OK));
}

/* Did calls of @op succeed often enough, if op->works percent of them succeed on average? */
static bool worked(const struct op *op, const struct op_stats *stats)
{
	uint64_t least = op->works * stats->calls;

	if (stats->calls >= MANY_CALLS)
		return stats->results[0] * 100ULL >= least;
	/* If 5 are expected to succeed, none succeeds with a probability of less than e^-5. */
	return stats->results[0] || least < 500;
}

static bool waited(const struct op *op, const struct op_stats *stats)
{
	return !op->has_waited || stats->calls < MANY_CALLS || stats->results[EINTR];
}

bool enough_worked(void)
{
	bool enough = true;
	unsigned int i;

	for (i = 0; i < nr_ops; i++) {
		const struct op_stats *stats = &shared->stats[i];

		if (!waited(&ops[i], stats)) {
			printf("# %s: none of %llu has waited\n", ops[i].name,
			       (unsigned long long)stats->calls);
			enough = false;
		}
		if (!can_work(&ops[i]) || worked(&ops[i], stats))
			continue;
		printf("# %s: %u of %llu worked, not %u%%\n", ops[i].name, stats->results[0],
		       (unsigned long long)stats->calls, ops[i].works);
		enough = false;
	}
	return enough;
}

bool enough_was_tried(void)
{
	static const int cheap[] = { EBADF, EINVAL, E2BIG, ENOTTY };
	uint64_t calls = 0, refused = 0;
	unsigned int i, k;

	for (i = 0; i < nr_ops; i++) {
		calls += shared->stats[i].calls;
		for (k = 0; k < ARRAY_SIZE(cheap); k++)
			refused += shared->stats[i].results[cheap[k]];
	}
	printf("# %llu of %llu calls were refused immediately\n", (unsigned long long)refused,
	       (unsigned long long)calls);
	return refused * 2 < calls;
}
