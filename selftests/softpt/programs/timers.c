// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with a timer that is faster than its steps: timers
 * real|posix|prof|long|nested|left TIMES [wait]
 *
 * It counts while a timer fires again before one or two steps are done, or before
 * its handler was stepped. The next signal can interrupt the handler, or a jump can
 * leave the handler. With wait, the program then waits for its signals after
 * mark_stop(), without a system call.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "mark.h"

MARK(0, work)
MARK(1, handler)
MARK(2, end)
MARK(3, stop)

static sigjmp_buf before;

static void handler(int sig)
{
	mark_handler();
}

/* A handler of a few thousand instructions */
static void long_handler(int sig)
{
	mark_handler();
	for (int i = 0; i < 1000; i++)
		asm volatile("" : : : "memory");
}

static void leaving_handler(int sig)
{
	long_handler(sig);
	siglongjmp(before, 1);
}

static void handle(const char *which)
{
	struct sigaction sa = { .sa_handler = handler };

	if (!strcmp(which, "long") || !strcmp(which, "nested"))
		sa.sa_handler = long_handler;
	if (!strcmp(which, "nested"))
		sa.sa_flags = SA_NODEFER;
	if (!strcmp(which, "left"))
		sa.sa_handler = leaving_handler;
	CHECK(!sigaction(SIGALRM, &sa, NULL));
	CHECK(!sigaction(SIGPROF, &sa, NULL));
}

static void start(const char *which)
{
	struct itimerval ms = { { 0, 1000 }, { 0, 1000 } };
	struct itimerspec us = { { 0, 100000 }, { 0, 100000 } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	if (!strcmp(which, "real")) {
		CHECK(!setitimer(ITIMER_REAL, &ms, NULL));
	} else if (!strcmp(which, "prof")) {
		CHECK(!setitimer(ITIMER_PROF, &ms, NULL));
	} else {
		CHECK(!timer_create(CLOCK_MONOTONIC, &ev, &timer));
		CHECK(!timer_settime(timer, 0, &us, NULL));
	}
}

int main(int argc, char **argv)
{
	volatile int i = 0;
	sigset_t set;

	CHECK(argc >= 3);
	handle(argv[1]);
	if (!sigsetjmp(before, 1))
		start(argv[1]);
	for (; i < atoi(argv[2]); i++)
		mark_work();
	mark_stop();
	if (argc > 3) {
		const unsigned long n = __atomic_load_n(&marks[1].n, __ATOMIC_RELAXED);

		while (__atomic_load_n(&marks[1].n, __ATOMIC_RELAXED) < n + 3)
			;
	}
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(marks[1].n);
	mark_end();
	marks_print();
	return 0;
}
