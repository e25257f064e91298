// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removal of old snapshots by a thread. On a disk that stands still, looking for snapshots and
 * removing them take as long as writing, and the recorder must read its rings. A child process,
 * as for writing, would cost memory: while it lives, each page that the recorder changes exists
 * twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "flight/flight.h"

/*
 * A thread looks for snapshots, the recorder decides which ones must go, a thread removes them.
 * The recorder decides only while no snapshot is being written: a new snapshot that the recorder
 * does not know yet could be taken for an old one.
 */
struct removal {
	pthread_t thread;
	bool runs;
	bool looked;
	bool committed;		/* there is a new snapshot */
	struct keep keep;	/* a copy: children that write meanwhile use f->keep */
	struct keep_plan plan;
	int lock, err;
	struct diag d;
};

static void *look(void *ctx)
{
	struct removal *r = ctx;

	r->lock = keep_lock(&r->keep);
	r->err = keep_look(&r->keep, &r->d);
	return NULL;
}

static void *unlink_all(void *ctx)
{
	struct removal *r = ctx;

	keep_remove(&r->plan);
	return NULL;
}

static void told(void *ctx, const char *path, const char *why, int err)
{
	flight_say_removed(path, why, err);
	(void)ctx;
}

static void complain(struct flight *f, int err, bool again, const struct diag *d)
{
	/*
	 * With --keep-age the recorder looks at least once a minute, even if the directory is gone
	 * forever: do not repeat the message.
	 */
	if (err && (err != f->keep_err || again))
		say("%s", d->msg);
	f->keep_err = err;
}

/* Only the recorder's own thread takes signals. */
static int start_thread(struct removal *r, void *(*work)(void *))
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&r->thread, NULL, work, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	r->runs = !err;
	return -err;
}

static void end(struct flight *f)
{
	free(f->removal);
	f->removal = NULL;
}

static void failed(struct flight *f)
{
	struct removal *r = f->removal;

	complain(f, r->err, r->committed, &r->d);
	keep_free(&r->keep);
	keep_unlock(r->lock);
	end(f);
}

static void take_in(struct flight *f)
{
	f->stats.removed += keep_removed(&f->keep, &f->removal->plan, told, NULL);
	end(f);
}

static void have_looked(struct flight *f)
{
	struct removal *r = f->removal;

	if (r->err) {
		failed(f);
		return;
	}
	keep_take(&f->keep, &r->keep);
	r->err = keep_plan(&f->keep, r->lock, &r->plan, &r->d);
	complain(f, r->err, r->committed, &r->d);
	r->looked = true;
	if (r->err)
		end(f);
	else if (!r->plan.nr || start_thread(r, unlink_all))
		take_in(f);
}

static int start(struct flight *f, struct diag *d)
{
	struct removal *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return diag(d, -ENOMEM, "out of memory");
	r->committed = f->keep.nr_noted;
	err = keep_copy(&r->keep, &f->keep);
	if (!err) {
		err = start_thread(r, look);
		if (err)
			keep_free(&r->keep);
	}
	if (err) {
		free(r);
		return diag(d, err, "cannot look for old snapshots: %s", strerror(-err));
	}
	f->removal = r;
	return 0;
}

/* The recorder calls this, not a child: only the recorder knows which snapshots this run wrote. */
void flight_remove_old(struct session *s, const char *committed)
{
	struct flight *f = s->flight;
	struct diag d = { "" };
	int err = 0;

	if (!keep_has_limits(&f->keep))
		return;
	if (committed)
		err = keep_note(&f->keep, committed, &d);
	if (f->removal)
		f->remove_again = true;
	else if (!err)
		err = start(f, &d);
	if (err)
		complain(f, err, committed, &d);
}

/* Return whether the thread has ended, after at most @wait seconds. */
static bool has_ended(struct removal *r, __u64 wait)
{
	struct timespec until;

	if (!r->runs)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait;
	r->runs = pthread_clockjoin_np(r->thread, NULL, CLOCK_MONOTONIC, &until);
	return !r->runs;
}

void flight_remove_end(struct session *s, __u64 wait)
{
	struct flight *f = s->flight;

	if (!f->removal || !has_ended(f->removal, wait))
		return;
	if (f->removal->looked)
		take_in(f);
	else if (!f->child)
		have_looked(f);
	if (!f->removal && f->remove_again) {
		f->remove_again = false;
		flight_remove_old(s, NULL);
	}
}
