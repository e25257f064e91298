/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log: records in the order in which they came, in chunks of memory. The oldest chunk is freed as
 * a whole, which does not write to memory that a child still shares.
 */
#ifndef AUXREC_RECENT_LOG_H
#define AUXREC_RECENT_LOG_H

#include <linux/types.h>
#include <stddef.h>

struct log_chunk {
	struct log_chunk *next;
	__u8 *data;
	size_t size, used;
	size_t shared;		/* bytes in pages that were full at recent_log_share() */
	__u64 live;		/* number of records that are still wanted */
};

struct recent_log {
	struct log_chunk *oldest, *newest;
	size_t chunk;		/* size of a chunk, bytes */
	size_t bytes;		/* in pages that are used */
	size_t fresh;		/* of @bytes: in pages written since recent_log_share() */
};

void recent_log_init(struct recent_log *log, size_t chunk);
void recent_log_free(struct recent_log *log);

/*
 * Return room for a record of @size bytes, a multiple of 8, at the end of @log->newest. The record
 * is wanted until recent_log_drop(). NULL: no memory.
 */
void *recent_log_add(struct recent_log *log, size_t size);

/* Note that one record of @chunk is not wanted any more. */
void recent_log_drop(struct recent_log *log, struct log_chunk *chunk);

/* From now on a child shares the memory that is in use. */
void recent_log_share(struct recent_log *log);

#endif /* AUXREC_RECENT_LOG_H */
