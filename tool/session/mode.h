/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that differ between a live recording and a flight recorder. A live recording
 * writes records as they come (record/live.c); a flight recorder keeps the newest
 * (flight/mode.c).
 */
#ifndef AUXREC_MODE_H
#define AUXREC_MODE_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/util.h"

struct json;
struct perfaux_gap;
struct options;
struct pollfd;
struct session;
struct sev;

/*
 * A function that returns int returns 0 or -errno; a function with @d gives a message, too.
 * Members after "optional" can be NULL; then the recording does nothing in their place.
 */
struct session_mode {
	bool overwrite;		/* the raw ring overwrites its oldest segments */
	bool keeps;		/* records are kept, samples and sideband apart */

	/* Open the output. Called after session_open(). */
	int (*open)(struct session *s, struct diag *d);
	/* Handle a record of a main ring, or a record of losses that auxrec makes for a ring. */
	int (*record)(struct session *s, const struct perf_event_header *rec);
	/* Read the raw ring before the main rings are copied. @last: nothing is attached. */
	int (*raw)(struct session *s, bool last);
	/* Called when the main rings were copied. @seen: number of records written before that. */
	int (*looked)(struct session *s, __u64 seen, bool last);
	/*
	 * The recording is over, and its events are disabled. @err: the reason why it cannot go
	 * on. Return @err, or the error of this function.
	 */
	int (*finish)(struct session *s, int err);

	/* --- optional --- */

	/* Complete the options, and go into the background. Called before anything else. */
	int (*defaults)(struct options *opt, struct diag *d);
	int (*background)(const struct options *opt, struct diag *d);
	/* Called before the events are made. */
	int (*prepare)(struct session *s, struct diag *d);
	/*
	 * add_events() appends events to s->events, before those of -e. complete_event() completes
	 * the @i-th of these events.
	 */
	int (*add_events)(struct session *s, struct diag *d);
	int (*complete_event)(struct session *s, size_t i, struct sev *sev, struct diag *d);
	/* Called before and after the records that describe the machine are made. */
	void (*setup)(struct session *s, bool begin);
	/* Called before the recorder's loop. With --delay, events are not enabled yet. */
	int (*begun)(struct session *s, struct diag *d);
	/* Called when @nr samples of an event that is a trigger were lost. */
	void (*lost)(struct session *s, const struct sev *sev, __u64 nr);
	/* Called when a gap of the raw ring is written to the stream. */
	void (*gap)(struct session *s, const struct perfaux_gap *gap);
	/* Return why the recording must end, or NULL. */
	const char *(*over)(const struct session *s);
	/*
	 * Return the time until the next look at the rings, in ms, at most @timeout; -1: no limit.
	 */
	int (*timeout)(const struct session *s, int timeout);
	/*
	 * More descriptors to poll. nr_polled() returns their number, which must not change. poll()
	 * fills in @fds, and returns events for which the raw ring must be polled as well. polled()
	 * gets the result of a poll() that has reported events, because the next poll() may not
	 * report them again.
	 */
	size_t (*nr_polled)(const struct session *s);
	short (*poll)(const struct session *s, struct pollfd *fds);
	void (*polled)(struct session *s, const struct pollfd *fds);
	/*
	 * run() is called after each look. If is_due() returns true, the recorder looks once more
	 * before it calls write_due().
	 */
	void (*run)(struct session *s);
	bool (*is_due)(const struct session *s);
	void (*write_due)(struct session *s);
	/* Called at the end of a recording that has succeeded. */
	int (*ended)(struct session *s, struct diag *d);
	void (*close)(struct session *s);

	/* Show the status line and the summary's first line, in place of a live recording's. */
	void (*line)(const struct session *s, char *buf, size_t size);
	void (*summary)(const struct session *s);
	/* For the JSON summary: return the number of written bytes, and add more members. */
	__u64 (*bytes)(const struct session *s);
	void (*json)(struct json *j, const struct session *s);
};

#endif /* AUXREC_MODE_H */
