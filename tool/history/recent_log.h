/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records one behind the other, in the order in which they came, in chunks of memory. The oldest
 * chunk goes as a whole: that writes to no memory that a child still shares.
 */
#ifndef AUXREC_RECENT_LOG_H
#define AUXREC_RECENT_LOG_H

#include <linux/types.h>
#include <stddef.h>

struct log_chunk {
	struct log_chunk *next;
	__u8 *data;
	size_t size, used;
	size_t shared;		/* bytes of whole pages that it had at recent_log_share() */
	__u64 live;		/* records that are still wanted */
};

struct recent_log {
	struct log_chunk *oldest, *newest;
	size_t chunk;		/* size of one, bytes */
	size_t bytes;		/* of pages that are used */
	size_t fresh;		/* of these: since recent_log_share() */
};

void recent_log_init(struct recent_log *log, size_t chunk);
void recent_log_free(struct recent_log *log);

/*
 * Room for a record of @size bytes, a multiple of 8, at the end of @log->newest, in which it is
 * live. NULL: no memory.
 */
void *recent_log_add(struct recent_log *log, size_t size);

/* One record of @chunk is not wanted any more. */
void recent_log_drop(struct recent_log *log, struct log_chunk *chunk);

/* From now on a child has what there is as well. */
void recent_log_share(struct recent_log *log);

#endif /* AUXREC_RECENT_LOG_H */
