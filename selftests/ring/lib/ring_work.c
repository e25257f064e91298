// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that tests trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring_lib.h"

int child_start(struct child *child, void (*fn)(void *arg), void *arg)
{
	int go[2];
	char c;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	child->go = go[1];
	/* For child_kill(): the children of a dead process become ours. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child->pid = fork();
	if (child->pid < 0) {
		close(go[0]);
		close(go[1]);
		return -errno;
	}
	if (!child->pid) {
		/* Orphans must not keep the pipes of a failed test open. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			fn(arg);
		_exit(0);
	}
	setpgid(child->pid, child->pid);
	close(go[0]);
	return 0;
}

void child_go(struct child *child)
{
	if (write(child->go, "", 1) != 1)
		perror("go");
	close(child->go);
	child->go = -1;
}

int child_wait(struct child *child)
{
	int status = -1;

	if (child->go >= 0)
		close(child->go);
	child->go = -1;
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = -1;
	return status;
}

void child_kill(struct child *child)
{
	if (child->go >= 0)
		close(child->go);
	kill(-child->pid, SIGKILL);
	/* A process becomes our child before its parent can be waited for. */
	while (waitpid(-child->pid, NULL, 0) > 0 || errno == EINTR)
		;
	child->pid = -1;
}

void spin(unsigned int loops)
{
	unsigned int i;

	for (i = 0; i < loops; i++)
		asm volatile("" : : "r"(i) : "memory");
}

/* Neighbours pass a token around, and each turn is a context switch. */
struct turn {
	const struct work *work;
	int in, out;
};

static void *work_thread(void *arg)
{
	struct turn *turn = arg;
	unsigned int i;
	char c = 0;

	for (i = 0; i < turn->work->rounds; i++) {
		if (read(turn->in, &c, 1) != 1)
			break;
		spin(turn->work->spin);
		if (write(turn->out, &c, 1) != 1)
			break;
	}
	return NULL;
}

static void work_threads(const struct work *work)
{
	unsigned int n = work->threads ? work->threads : 1, i;
	struct turn turns[n];
	pthread_t threads[n];
	int pipes[n][2];

	for (i = 0; i < n; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			return;
	for (i = 0; i < n; i++) {
		turns[i] = (struct turn){
			.work = work,
			.in = pipes[i][0],
			.out = pipes[(i + 1) % n][1],
		};
		if (i && pthread_create(&threads[i], NULL, work_thread,
					&turns[i]))
			return;
	}
	if (write(pipes[0][1], "", 1) == 1)
		work_thread(&turns[0]);
	for (i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < n; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

void work_run(const struct work *work)
{
	unsigned int i;

	for (i = 0; i < work->forks; i++) {
		if (fork())
			continue;
		work_threads(work);
		_exit(0);
	}
	work_threads(work);
	while (wait(NULL) > 0)
		;
}

void work_fn(void *arg)
{
	work_run(arg);
}

void endless_fn(void *arg)
{
	struct work work = { .forks = 2, .threads = 2, .rounds = 10,
			     .spin = 2000 };

	(void)arg;
	for (;;)
		work_run(&work);
}

bool work_until(const __u64 *value, uint64_t least)
{
	struct work work = {
		.forks = 2, .threads = 2, .rounds = 10, .spin = 5000,
	};
	const uint64_t end = now_ns() + 60000000000ULL;
	struct child child;

	while (counter(value) < least) {
		if (now_ns() > end || child_start(&child, work_fn, &work))
			return false;
		child_go(&child);
		child_wait(&child);
	}
	return true;
}

uint64_t rnd_seed(void)
{
	const char *seed = getenv("PERFAUX_SEED");

	return seed ? strtoull(seed, NULL, 0) : 1;
}

/* splitmix64 */
uint32_t rnd_next(struct rnd *rnd)
{
	uint64_t z = rnd->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) >> 32;
}
