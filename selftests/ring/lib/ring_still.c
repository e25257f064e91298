// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a ring that nobody writes to, even if numbers are missing. This reader shares
 * nothing with those in ring_lib.c and ring_manual.c, so it does not share their mistakes.
 */
#include <stdlib.h>

#include "ring_lib.h"

static const struct perfaux_span *span_at(const struct ring *ring, uint32_t i,
					  uint32_t k)
{
	return &ring->spans[(size_t)i * ring->ctl->spans_per_segment + k];
}

static const void *span_data(const struct ring *ring, uint32_t i,
			     const struct perfaux_span *span)
{
	return ring->data + (size_t)i * ring->ctl->segment_size + span->offset;
}

static int record_order(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

uint64_t ring_read_still(struct ring *ring, record_fn fn, void *ctx)
{
	size_t room = (size_t)ring->ctl->nr_segments *
		      ring->ctl->spans_per_segment + ring->ctl->nr_gaps;
	struct record *all = calloc(room, sizeof(*all));
	uint32_t i, k;
	size_t n = 0, at;

	if (!all)
		abort();
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		uint64_t state = ring_state(ring, i);

		if (PERFAUX_STATE(state) < PERFAUX_SEG_BUSY ||
		    ring->marks[i] == PERFAUX_SEQ(state))
			continue;
		for (k = 0; k < ring->segments[i].nr_spans; k++)
			all[n++] = (struct record){
				.span = span_at(ring, i, k),
				.seq = span_at(ring, i, k)->seq,
				.data = span_data(ring, i, span_at(ring, i, k)),
			};
	}
	for (i = 0; i < ring->ctl->nr_gaps; i++)
		if (ring->gaps[i].seq && ring->gaps[i].seq != ring->gap_marks[i])
			all[n++] = (struct record){
				.gap = &ring->gaps[i],
				.seq = ring->gaps[i].seq,
			};
	qsort(all, n, sizeof(*all), record_order);
	for (at = 0; at < n; at++)
		fn(ctx, &all[at]);
	free(all);
	return n;
}
