/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What makes a flight recorder write a snapshot: --trigger, parsed, and its limits.
 */
#ifndef AUXREC_TRIGGER_H
#define AUXREC_TRIGGER_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"
#include "stream/trigger_kind.h"

struct trigger {
	enum trigger_kind kind;
	char name[TRIGGER_NAME_MAX];	/* name=, else made of kind and value */
	char *value;		/* path, event, pattern of a name; NULL: none */
	char *filter;		/* of an event, without the slashes, or NULL */
	int signal;		/* TRIGGER_SIGNAL */
	__u64 signals;		/* TRIGGER_CRASH: bit N: signal N + 1 */
	__u64 pre;		/* ns before it that are wanted, 0: all that there is */
	__u64 post;		/* ns after it until the snapshot is taken */
	__u32 post_segments;	/* of the raw ring, likewise, if post_in_segments */
	bool post_in_segments;	/* only if trigger_is_event(); post is 0 then */
	__u64 count;		/* snapshots at most, 0: any number */
	__u64 paced;		/* when the next one is in pace, see flight/wish.c */
	__u64 rate_nr;		/* so many snapshots in rate_time ns, 0: any number */
	__u64 rate_time;
	/* trigger_take() */
	__u64 taken;		/* snapshots so far */
	__u64 suppressed;
	__u64 credit;		/* ns, of a token bucket of rate_time */
	__u64 credited;		/* when */
};

/*
 * trigger_parse() - KIND[=VALUE][,count=N][,rate=N[/TIME]][,pre=TIME][,post=TIME|N][,name=NAME]
 *
 * The options are taken from the end of @spec, as values may have commas. Return 0, -EINVAL
 * with a message that says what to give instead, or -ENOMEM.
 */
int trigger_parse(struct trigger *t, const char *spec, struct diag *d);
void trigger_free(struct trigger *t);

/* May there be a snapshot, at @now ns of CLOCK_MONOTONIC? If so it is counted, else that. */
bool trigger_take(struct trigger *t, __u64 now);

/* Would trigger_take() say so? */
bool trigger_may(struct trigger *t, __u64 now);

/* Is it a sample of a perf event, which freezes the raw ring? */
bool trigger_is_event(const struct trigger *t);

#endif /* AUXREC_TRIGGER_H */
