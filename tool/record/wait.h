/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wait between two looks at the rings, until something happens or some time has passed.
 */
#ifndef AUXREC_WAIT_H
#define AUXREC_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <linux/types.h>

/* Time between two looks while records come */
#define WAIT_TICK_MS	100

struct session;

struct waiting {
	struct pollfd *fds;
	size_t first_ring;		/* index of the first main ring in @fds */
	int signals;			/* the descriptor of signals */
	__u64 seen;			/* number of records at the last look */
	unsigned int quiet;		/* looks that found no more records since then */
	bool late;			/* main rings fill up before the kernel wakes auxrec */
	bool watched;			/* somebody follows the recording */
};

/* Call this before the recorder's loop. Return 0 or -ENOMEM. */
int wait_begin(struct waiting *w, const struct session *s);
void wait_end(struct waiting *w);

/*
 * wait_timeout() - return the longest time to wait for the next look at the rings, in ms
 *
 * The kernel wakes the recorder when a quarter of a main ring is full. While records come, the
 * recorder looks earlier than that, every WAIT_TICK_MS. When no records have come for a second, it
 * sleeps until something happens (-1). If somebody watches, it looks once a second.
 */
int wait_timeout(struct waiting *w, const struct session *s);

/* Records may come soon: wait_timeout() must not return a long time. */
void wait_no_longer(struct waiting *w);

/* Return @timeout (ms, -1: no limit), or @ns in ms if that is sooner. */
int wait_sooner(int timeout, __u64 ns);
/* The same for the time until now_ns() is @when. */
int wait_until(int timeout, __u64 when);

/* Wait until something happens, at most @timeout ms. Return 0 or -errno. */
int wait_events(struct waiting *w, struct session *s, int timeout);

#endif /* AUXREC_WAIT_H */
