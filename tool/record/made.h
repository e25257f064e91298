/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that auxrec makes at the beginning of a recording. Some describe the recording, and each
 * later file begins with the same bytes. The others are part of the state, see history/state.h.
 */
#ifndef AUXREC_MADE_H
#define AUXREC_MADE_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct made {
	__u8 *bytes;
	size_t size, room;
	size_t clock_data;	/* where CLOCK_DATA is in @bytes; 0: nowhere */
};

/* Append bytes, or zeros if @data is NULL. Return 0 or -ENOMEM. */
int made_add(struct made *m, const void *data, size_t len);
/* Append a record, as for stream_record_data(). Return 0 or -ENOMEM. */
int made_add_record(struct made *m, const void *head, size_t head_len, const void *data,
		    size_t len, size_t pad);
/* Forget all records, but keep the memory. */
void made_clear(struct made *m);
void made_free(struct made *m);

/*
 * The time of day and the clock of -k drift apart, so each file tells their times of the moment
 * when the file begins. Call this before the records are written again.
 */
void made_set_clock(struct made *m);

/* Return whether a record that auxrec made belongs to the state. */
bool made_is_state(const struct perf_event_header *h);

#endif /* AUXREC_MADE_H */
