/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers, which make a flight recorder write a snapshot: --trigger, parsed, and its limits.
 */
#ifndef AUXREC_TRIGGER_H
#define AUXREC_TRIGGER_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"
#include "stream/trigger_kind.h"
#include "trigger/hang.h"
#include "trigger/latency.h"
#include "trigger/pressure.h"

struct trigger {
	enum trigger_kind kind;
	char name[TRIGGER_NAME_MAX];	/* name=, or made of kind and value */
	char *value;		/* path, event, pattern of a name; NULL: none */
	char *filter;		/* of an event, without the slashes, or NULL */
	int signal;		/* TRIGGER_SIGNAL */
	__u64 signals;		/* TRIGGER_CRASH: bit N: signal N + 1 */
	struct pressure pressure;	/* TRIGGER_PRESSURE */
	struct hang hang;		/* TRIGGER_HANG */
	struct latency latency;		/* TRIGGER_LATENCY; @value is FUNC@FILE */
	__u64 pre;		/* ns that a snapshot covers before the trigger, 0: all */
	__u64 post;		/* ns from the trigger until the snapshot is taken */
	__u32 post_segments;	/* the same in segments of the raw ring, if post_in_segments */
	bool post_in_segments;	/* only if trigger_is_event(); post is 0 then */
	__u64 count;		/* most snapshots, 0: any number */
	__u64 paced;		/* for in_pace(): the next snapshot is due at this time */
	__u64 rate_nr;		/* most snapshots in rate_time ns, 0: any number */
	__u64 rate_time;
	/* state of trigger_take() */
	__u64 taken;		/* snapshots so far */
	__u64 suppressed;	/* snapshots that the limits did not allow */
	__u64 credit;		/* ns in the token bucket, which holds at most rate_time */
	__u64 credited;		/* when @credit was updated */
};

/*
 * trigger_parse() - parse a --trigger
 * @spec: KIND[=VALUE][,count=N][,rate=N[/TIME]][,pre=TIME][,post=TIME|N][,name=NAME]
 *
 * The options are taken from the end of @spec, because a value can contain commas.
 *
 * Return: 0, -EINVAL with a message that says what to give instead, or -ENOMEM.
 */
int trigger_parse(struct trigger *t, const char *spec, struct diag *d);
void trigger_free(struct trigger *t);

/*
 * Do the limits allow a snapshot at @now ns of CLOCK_MONOTONIC? Count the snapshot as taken or
 * suppressed.
 */
bool trigger_take(struct trigger *t, __u64 now);

/* Would trigger_take() allow a snapshot? */
bool trigger_may(struct trigger *t, __u64 now);

/* Is the trigger a sample of a perf event? Without post=TIME, it freezes the raw ring. */
bool trigger_is_event(const struct trigger *t);

#endif /* AUXREC_TRIGGER_H */
