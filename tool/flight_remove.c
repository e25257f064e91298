// SPDX-License-Identifier: GPL-2.0-only
/*
 * Old snapshots are removed by a thread: on a disk that stands still, unlink(2) takes as long
 * as to write does, and the recorder has rings to read. No child, as the one that writes: each
 * page that the recorder changes while it has one is there twice.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "flight.h"

static void *remover(void *plan)
{
	keep_remove(plan);
	return NULL;
}

static void told(void *ctx, const char *path, const char *why, int err)
{
	flight_say_removed(path, why, err);
	(void)ctx;
}

static void take_in(struct flight *f)
{
	f->stats.removed += keep_removed(&f->keep, &f->plan, told, NULL);
	f->removing = false;
}

/* Signals are for the recorder's own thread. */
static int start(struct flight *f)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&f->remover, NULL, remover, &f->plan);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static void complain(struct flight *f, int err, bool again, const struct diag *d)
{
	/* It is looked at every minute, also if the directory is gone for good. */
	if (err && (err != f->keep_err || again))
		say("%s", d->msg);
	f->keep_err = err;
}

/* Here, not in the child: who knows what this run wrote is the recorder. */
void flight_remove_old(struct session *s, const char *committed)
{
	struct flight *f = s->flight;
	struct diag d = { "" };
	int err;

	if (f->removing) {
		f->remove_again = true;
		complain(f, keep_note(&f->keep, committed, &d), committed, &d);
		return;
	}
	err = keep_plan(&f->keep, committed, &f->plan, &d);
	complain(f, err, committed, &d);
	if (err)
		return;
	f->removing = f->plan.nr;
	if (!f->removing) {
		take_in(f);
	} else if (start(f)) {
		keep_remove(&f->plan);
		take_in(f);
	}
}

void flight_remove_end(struct session *s, __u64 wait)
{
	struct flight *f = s->flight;
	struct timespec until;

	if (!f->removing)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait;
	if (pthread_clockjoin_np(f->remover, NULL, CLOCK_MONOTONIC, &until))
		return;
	take_in(f);
	if (f->remove_again) {
		f->remove_again = false;
		flight_remove_old(s, NULL);
	}
}
