// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way out for a call that waits, as read() of notices does: a timer of each thread, whose
 * signal comes again and again, so that one that comes before the call waits is not the last.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

/* Long enough for a notice of another thread, or for that to close what is read. */
#define WAIT_NS		3000000

static void on_alarm(int sig)
{
	(void)sig;
}

/* By each thread, and by each child anew: it has no timers. */
void wait_init(struct caller *c)
{
	/* What waits ends with EINTR: without SA_RESTART. */
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
