/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the fast decoder, which fast.c and events.c share.
 */
#ifndef VIEW_FAST_H
#define VIEW_FAST_H

#include "view/decode/code.h"
#include "view/decode/walk.h"

/* Calls whose returns can be compressed. The size is that of the processor's stack. */
#define RETURNS	64

struct fast {
	struct walk *w;
	struct pt_query_decoder *query;
	const struct pt_config *config;
	__u64	ip;
	bool	has_mode;	/* the trace told that this is 64-bit code */
	bool	enabled;	/* tracing is on, and the next instruction is at @ip */
	int	status;		/* of the last query */
	struct code_block **link;	/* the block at @ip, if it is known; NULL: look it up */
	struct pt_event event;
	bool	pending;	/* @event was not told yet */
	bool	arrived;	/* the flow is at the place of @event */
	bool	unseen;		/* packets were read since the time was looked at */
	bool	give_up;	/* the run contains something that this decoder does not handle */
	__u64	returns[RETURNS];
	__u32	nr_calls;	/* that were stored, modulo 2^32 */
	__u32	nr_returns;	/* that can be compressed, at most RETURNS */
	unsigned int free_steps;	/* since trace was last needed */
};

/*
 * events.c: the event that is pending. All of these set @give_up if they do not know it.
 */

/* Is the flow at the place of the event, without further instructions? */
bool event_is_due(struct fast *f);
/* Return the address of the event, or @none if it does not have one. */
__u64 event_place(const struct fast *f, __u64 none);
/* Tell the event, and do what it does to tracing. */
void event_tell(struct fast *f);

#endif /* VIEW_FAST_H */
