/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time lines for pages: feed.c tells them to a page and writes down what it told, cases.c has them.
 */
#ifndef PAGE_FEED_H
#define PAGE_FEED_H

#include <stdbool.h>
#include <stdio.h>

#include "view/page/page.h"
#include "view/timeline/timeline.h"

struct feed {
	struct timeline	*t;
	FILE		*log;		/* NULL: write sums only */
	FILE		*sums;
	__u32		lanes;
	__u32		names;
	__u64		number;		/* of the command line */
	__u64		seed;
};

struct feed_case {
	const char	*name;
	void		(*run)(struct feed *f);
	const char	*title;		/* of the page; NULL: the name */
	bool		sums_only;
	bool		no_end;		/* end() is not called */
};

extern const struct feed_case feed_cases[];	/* in cases.c */

/* These functions tell the page what it shows, and write it down, too. After an error they exit. */
__u32 feed_lane(struct feed *f, enum tl_lane_kind kind, __u32 pid, __u32 tid, __u32 cpu,
		const char *name);
__u32 feed_name(struct feed *f, const char *function, const char *object, __u64 address);
void feed_enter(struct feed *f, __u32 lane, __u64 time, __u32 name, unsigned int flags);
void feed_leave(struct feed *f, __u32 lane, __u64 time, unsigned int flags);
void feed_stack(struct feed *f, __u32 lane, __u64 time, const __u32 *names, unsigned int nr,
		__u64 weight);
void feed_mark(struct feed *f, __u32 lane, enum tl_mark_kind kind, __u64 begin, __u64 end,
	       __u64 value, const char *text);
void feed_point(struct feed *f, __u32 lane, __u64 time, double value, const char *what);
__u64 feed_random(struct feed *f, __u64 below);

/* In many.c: f->number calls in 8 threads, with sums */
void feed_many(struct feed *f);

#endif
