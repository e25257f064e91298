// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with system calls that wait and are interrupted: they are restarted
 * (SA_RESTART), given up (EINTR), or continued (restart_syscall) after a stop. A
 * child interrupts as soon as the parent waits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

MARK(0, handler)
MARK(1, restarted)
MARK(2, interrupted)
MARK(3, slept)
MARK(4, suspended)

static pid_t parent;

static void handler(int sig)
{
	mark_handler();
}

static void read_parent(const char *what, char line[256])
{
	char path[64];
	int fd, n;

	snprintf(path, sizeof(path), "/proc/%d/%s", parent, what);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	n = read(fd, line, 255);
	close(fd);
	line[n > 0 ? n : 0] = 0;
}

/* Wait until the parent waits in system call @nr. */
static void wait_in(long nr)
{
	char line[256];

	do {
		read_parent("syscall", line);
	} while (atol(line) != nr || line[0] == 'r');
}

static void wait_state(char state)
{
	char line[256], *at;

	do {
		read_parent("stat", line);
		at = strrchr(line, ')');
	} while (!at || at[2] != state);
}

static void stop_and_continue(void)
{
	kill(parent, SIGSTOP);
	wait_state('T');
	kill(parent, SIGCONT);
}

static void poke(int to)
{
	for (int i = 0; i < 3; i++) {
		wait_in(SYS_read);
		kill(parent, SIGUSR1);	/* SA_RESTART */
		wait_in(SYS_read);
		stop_and_continue();
		wait_in(SYS_read);
		CHECK(write(to, "x", 1) == 1);

		wait_in(SYS_rt_sigsuspend);
		kill(parent, SIGUSR2);

		wait_in(SYS_clock_nanosleep);
		stop_and_continue();
		wait_in(SYS_restart_syscall);
		stop_and_continue();
		wait_in(SYS_restart_syscall);
		kill(parent, SIGUSR2);
	}
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	const struct timespec long_time = { .tv_sec = 10000 };
	sigset_t none;
	pid_t child;
	int pipes[2];
	char byte;

	marks_share();
	sigemptyset(&none);
	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_flags = 0;
	sigaction(SIGUSR2, &sa, NULL);
	CHECK(!pipe(pipes));
	parent = getpid();
	child = fork();
	if (!child) {
		poke(pipes[1]);
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		CHECK(read(pipes[0], &byte, 1) == 1);
		mark_restarted();
		CHECK(sigsuspend(&none) < 0 && errno == EINTR);
		mark_suspended();
		CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL) == EINTR);
		mark_interrupted();
	}
	CHECK(waitpid(child, NULL, 0) == child);
	mark_slept();
	marks_print();
	return 0;
}
