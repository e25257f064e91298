/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time for which a snapshot has everything. The recorder finds this time while it writes the
 * snapshot, and auxrec info finds it when it reads the snapshot.
 */
#ifndef AUXREC_STREAM_COMPLETE_H
#define AUXREC_STREAM_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "stream/snapshot_mark.h"

/* A time for which something is missing */
struct complete_break {
	__u64	begin, end;
};

/* The caller zeroes this at the start of a stream. */
struct complete_breaks {
	struct complete_break *list;	/* for all losses; an entry can stand for several */
	size_t	nr;
};

/* The time for which a snapshot has everything, see complete_time() */
struct complete_time {
	bool	any;
	__u64	begin, end;	/* begin 0: from the start */
	/* begin of the first and end of the last loss that made it shorter; lost_end 0: none */
	__u64	lost_begin, lost_end;
};

/* Add a loss. Return 0 or -ENOMEM. */
int complete_break(struct complete_breaks *b, __u64 begin, __u64 end);
/* Call this when the whole stream has been read or written. */
void complete_breaks_end(struct complete_breaks *b);
void complete_breaks_free(struct complete_breaks *b);
/*
 * Return the time around the snapshot's trigger in which nothing is missing, or the last
 * such time before the trigger.
 */
struct complete_time complete_time(const struct complete_breaks *b,
				   const struct auxrec_snapshot *h);

#endif /* AUXREC_STREAM_COMPLETE_H */
