// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader loop that uapi/perfaux.h shows ("How to read a ring"). The build takes the loop
 * from the header, so tests with this reader show that the manual is right.
 */
#include "ring_lib.h"

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)

#define use_span(s, start) do {						\
	const struct perfaux_span *used = (s);				\
									\
	fn(ctx, &(struct record){					\
		.span = used,						\
		.data = (start) + used->offset,				\
		.seq = used->seq,					\
	});								\
} while (0)

#define use_gap(g)	fn(ctx, &(struct record){ .gap = (g), .seq = (g)->seq })

uint64_t ring_read_manual(struct ring *ring, record_fn fn, void *ctx)
{
	const struct perfaux_control *ctl = ring->ctl;
	const struct perfaux_segment *seg = ring->segments;
	const struct perfaux_span *spans = ring->spans, *span;
	const struct perfaux_gap *gap = ring->gaps;
	const uint8_t *data = ring->data;
	uint64_t *mark = ring->marks, *gap_mark = ring->gap_marks;
	uint32_t *taken = ring->manual_taken;
	uint64_t i, s, begin, next = ring->next, first = next;
	uint32_t n;

#include "manual_loop.h"
	ring->next = next;
	return next - first;
}
