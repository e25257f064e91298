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
};

/* Append bytes, or zeros if @data is NULL. Return 0 or -ENOMEM. */
int made_add(struct made *m, const void *data, size_t len);
void made_free(struct made *m);

/* Return whether a record that auxrec made belongs to the state. */
bool made_is_state(const struct perf_event_header *h);

#endif /* AUXREC_MADE_H */
