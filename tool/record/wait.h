/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between two looks at the rings: until something happens, or for a while.
 */
#ifndef AUXREC_WAIT_H
#define AUXREC_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <linux/types.h>

/* Between two looks while something happens */
#define WAIT_TICK_MS	100

struct session;

struct waiting {
	struct pollfd *fds;
	int signals;			/* their descriptor */
	__u64 seen;			/* records, as of the last look */
	unsigned int quiet;		/* looks since that found no more of them */
	bool late;			/* main rings are full before the kernel tells */
	bool watched;			/* somebody reads the stream as it is written */
};

/* Before the loop. 0 or -ENOMEM */
int wait_begin(struct waiting *w, const struct session *s);
void wait_end(struct waiting *w);

/*
 * wait_timeout() - milliseconds until the next look at the rings, whatever happens
 *
 * The kernel wakes the recorder when a quarter of a main ring is full. While records come the
 * recorder does not wait for that. When none have come for a second it does: then the recorder
 * sleeps (-1) until something happens. If somebody watches, the recorder looks once a second.
 */
int wait_timeout(struct waiting *w, const struct session *s);

/* Records may come soon. */
void wait_no_longer(struct waiting *w);

/* @timeout, or @ns from now if that is sooner */
int wait_sooner(int timeout, __u64 ns);
/* The same with a time of now_ns() */
int wait_until(int timeout, __u64 when);

/* Returns 0 or -errno. */
int wait_events(struct waiting *w, struct session *s, int timeout);

#endif /* AUXREC_WAIT_H */
