// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the segments of a raw ring that have something new for a reader.
 *
 * A writer puts a segment into the order table before the segment is READY. So the table leads to
 * all segments that are READY. The bits of open segments lead to those that have spans and
 * are not READY yet. A segment that was found stays in the set until the reader has seen it READY,
 * HELD or FREE.
 */
#include "ring/look.h"

#define load(p)			__atomic_load_n(p, __ATOMIC_RELAXED)
#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)

int look_init(struct look *l, __u32 nr_segments)
{
	l->next = 1;
	return segment_set_init(&l->wanted, nr_segments);
}

void look_free(struct look *l)
{
	segment_set_free(&l->wanted);
}

/* The entry of number @l->next was overwritten: go on after the newest entry, with all segments. */
static void restart(struct look *l, const __u64 *order, __u64 size)
{
	__u64 i, seq;

	for (i = 0; i < size; i++) {
		seq = PERFAUX_ORDER_SEQ(load(&order[i]));
		if (seq >= l->next)
			l->next = seq + 1;
	}
	/*
	 * A segment that has an older number and is not READY yet is CLAIMED, BUSY or IDLE. The
	 * reader sees that state, so it keeps the segment in the set.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	segment_set_add_all(&l->wanted);
}

void look_begin(struct look *l, const struct perfaux_control *ctl)
{
	const __u64 *order = (const void *)((const __u8 *)ctl + ctl->order_offset);
	const __u64 *open = (const void *)((const __u8 *)ctl + ctl->open_offset);
	__u64 entry;
	__u32 i;

	if (ctl->size < sizeof(*ctl) || !ctl->order_offset) {
		segment_set_add_all(&l->wanted);
		return;
	}
	for (i = 0; i < segment_set_words(&l->wanted); i++)
		l->wanted.words[i] |= load(&open[i]);
	/* The state of a segment whose bit was seen is not older than the bit. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (;;) {
		entry = load_acquire(&order[l->next & (ctl->order_size - 1)]);
		/* No segment has this number yet, or it is not in the table yet. */
		if (PERFAUX_ORDER_SEQ(entry) < l->next)
			return;
		if (PERFAUX_ORDER_SEQ(entry) > l->next) {
			restart(l, order, ctl->order_size);
			return;
		}
		if (PERFAUX_ORDER_SEGMENT(entry) < ctl->nr_segments)
			segment_set_add(&l->wanted, PERFAUX_ORDER_SEGMENT(entry));
		l->next++;
	}
}
