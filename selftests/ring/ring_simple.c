// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two more readers of a raw ring. They share nothing with the reader in ring_lib.c,
 * so they do not share its mistakes.
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

/* Find @seq. */
static bool simple_find(const struct ring *ring, uint64_t seq,
			struct record *record)
{
	uint32_t i, k, n;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		uint64_t state = ring_state(ring, i);

		if (PERFAUX_STATE(state) < PERFAUX_SEG_BUSY ||
		    ring->marks[i] == PERFAUX_SEQ(state))
			continue;
		n = __atomic_load_n(&ring->segments[i].nr_spans,
				    __ATOMIC_ACQUIRE);
		/* Numbers only rise within a segment. */
		for (k = n; k && span_at(ring, i, k - 1)->seq >= seq; k--) {
			const struct perfaux_span *span =
				span_at(ring, i, k - 1);

			if (span->seq != seq)
				continue;
			*record = (struct record){
				.span = span,
				.seq = seq,
				.data = span_data(ring, i, span),
			};
			return true;
		}
	}
	for (i = 0; i < ring->ctl->nr_gaps; i++) {
		if (counter(&ring->gaps[i].seq) != seq)
			continue;
		*record = (struct record){ .gap = &ring->gaps[i], .seq = seq };
		return true;
	}
	return false;
}

/* Release the READY segments whose last span was consumed. */
static void simple_release(struct ring *ring)
{
	uint32_t i, n;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		uint64_t state = ring_state(ring, i);

		if (PERFAUX_STATE(state) != PERFAUX_SEG_READY ||
		    ring->marks[i] == PERFAUX_SEQ(state))
			continue;
		n = ring->segments[i].nr_spans;
		if (!n || span_at(ring, i, n - 1)->seq < ring->next) {
			__atomic_store_n(&ring->marks[i], PERFAUX_SEQ(state),
					 __ATOMIC_RELEASE);
			ring->released++;
		}
	}
}

uint64_t ring_read_simple(struct ring *ring, record_fn fn, void *ctx)
{
	uint64_t first = ring->next;
	struct record record;

	while (simple_find(ring, ring->next, &record)) {
		fn(ctx, &record);
		if (record.gap)
			__atomic_store_n(&ring->gap_marks[record.gap - ring->gaps],
					 record.seq, __ATOMIC_RELEASE);
		ring->next++;
	}
	simple_release(ring);
	return ring->next - first;
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
