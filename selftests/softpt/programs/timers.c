// SPDX-License-Identifier: GPL-2.0-only
/* timers real|posix|prof TIMES: counts, while a timer fires faster than it is stepped. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "mark.h"

MARK(0, work)
MARK(1, handler)
MARK(2, end)

static void handler(int sig)
{
	mark_handler();
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
	sigset_t set;

	CHECK(argc == 3);
	signal(SIGALRM, handler);
	signal(SIGPROF, handler);
	start(argv[1]);
	for (int i = 0; i < atoi(argv[2]); i++)
		mark_work();
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(marks[1].n);
	mark_end();
	marks_print();
	return 0;
}
