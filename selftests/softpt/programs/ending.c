// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose children end, or execute another program, while their threads are
 * in the middle of something: ending kill|group|exec|memory CGROUP
 *
 * The children count in memory that they share with the parent, and the parent prints
 * the counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#define THREADS	3
#define PASSES	300

MARK(0, busy)
MARK(1, touched)
MARK(2, end)

static char **self;

static unsigned long passes(int nr)
{
	return __atomic_load_n(&marks[nr].n, __ATOMIC_RELAXED);
}

static void *thread(void *arg)
{
	for (;;)
		mark_busy();
	return NULL;
}

static void busy(void (*then)(void))
{
	pthread_t id;

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&id, NULL, thread, NULL));
	while (passes(0) < PASSES)
		;
	then();
	thread(NULL);
}

static void leave(void)
{
	_exit(0);
}

static void execute(void)
{
	execl(self[0], self[0], "nothing", NULL);
}

static void nothing(void)
{
}

static void fill_memory(const char *cgroup)
{
	char path[256], *memory;
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && write(fd, "0", 1) == 1);
	memory = mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(memory != MAP_FAILED);
	for (unsigned long at = 0; at < 1UL << 30; at += 4096) {
		memory[at] = 1;
		mark_touched();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status;
	pid_t pid;

	self = argv;
	if (!strcmp(what, "nothing"))
		return 0;
	marks_share();
	for (int i = 0; i < (strcmp(what, "memory") ? 5 : 1); i++) {
		marks[0].n = 0;
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			if (!strcmp(what, "memory"))
				fill_memory(argv[2]);
			busy(!strcmp(what, "group") ? leave :
			     !strcmp(what, "exec") ? execute : nothing);
		}
		if (!strcmp(what, "kill")) {
			while (passes(0) < 2 * PASSES)
				;
			kill(pid, SIGKILL);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status) == (!strcmp(what, "kill") || !strcmp(what, "memory")));
		printf("mark_busy %lu\n", passes(0));
		marks[0].n = 0;
	}
	mark_end();
	marks_print();
	return 0;
}
