/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read a kept ring after a crash of the machine, see "Kept rings" in perfaux.h. The reader trusts
 * nothing in the region: it leaves out entries without a valid sum, and counts lost spans.
 */
#ifndef AUXREC_RECOVER_KEPT_H
#define AUXREC_RECOVER_KEPT_H

#include <perfaux.h>
#include <stdbool.h>
#include <stddef.h>

#include "ring/rawring.h"

struct diag;

struct kept {
	const __u8 *region;
	size_t size;
	struct perfaux_kept_header head;	/* checked: all offsets are within the region */
	bool stopped;				/* @stop is valid */
	struct perfaux_stop stop;
};

/*
 * recover/kept.c: check the header of @size bytes at @region. The region must be aligned to 8 and
 * must not change. Return 0, or -EBADMSG with a message.
 */
int kept_check(struct kept *k, const void *region, size_t size, struct diag *d);

/* A ring as a reader of HELD segments finds it, made of what is valid in the region */
struct kept_ring {
	struct rawring raw;		/* has no descriptor */
	struct perfaux_control ctl;
	struct perfaux_segment *segments;
	struct perfaux_span *spans;
	struct perfaux_gap *gaps;	/* the valid ones */
	size_t nr_gaps;
	__u64 last_gap;			/* highest number of a gap, including released gaps */
	__u64 nr_spans;
	__u64 bytes;			/* in these spans */
	__u64 open;			/* of @nr_spans: the crash came before their end */
	__u64 frames;
	__u64 damaged;			/* spans, gaps without a valid sum, frames after a hole */
	__u32 taken;			/* segments that were CLAIMED at the stop, without data */
	__u64 newest;			/* end of the newest span or frame that has ended, ns */
};

/* recover/ring.c: return 0 or -ENOMEM. Free it in any case. */
int kept_ring_make(struct kept_ring *r, const struct kept *k);
void kept_ring_free(struct kept_ring *r);

#endif /* AUXREC_RECOVER_KEPT_H */
