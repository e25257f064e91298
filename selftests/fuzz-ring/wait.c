// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer of each thread, whose signal ends a call that waits, such as read() of notices. The
 * signal comes repeatedly, because the first one can come before the call waits.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

/* Long enough that another thread can cause a notice, or close the descriptor. */
#define WAIT_NS		3000000

static void on_alarm(int sig)
{
	(void)sig;
}

/* Each thread and each child calls this. A child does not inherit timers. */
void wait_init(struct caller *c)
{
	/* No SA_RESTART: a call that waits must end with EINTR. */
	struct sigaction action = { .sa_handler = on_alarm };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM,
	};

	event._sigev_un._tid = gettid();
	if (sigaction(SIGALRM, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &c->timer))
		abort();
}

void wait_begin(struct caller *c)
{
	const struct itimerspec soon = { { 0, WAIT_NS }, { 0, WAIT_NS } };

	timer_settime(c->timer, 0, &soon, NULL);
}

void wait_end(struct caller *c)
{
	const struct itimerspec never = { 0 };

	timer_settime(c->timer, 0, &never, NULL);
}
