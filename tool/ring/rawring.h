/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A raw ring of perfaux.ko: open it, and read its spans and gaps in the order of their numbers.
 */
#ifndef AUXREC_RAWRING_H
#define AUXREC_RAWRING_H

#include <perfaux.h>
#include <stdbool.h>
#include <stddef.h>

#include "ring/look.h"

struct diag;

struct raw_segment {
	__u64 seq;		/* of this use; 0: none seen yet */
	__u32 taken;		/* spans put into rawring.window */
	__u32 done;		/* spans handed out */
	__u32 ready;		/* number of spans once it is READY; before: ~0 */
};

/* The place of the span or gap with number @seq. Segment ~0: it is in the gap table. */
struct raw_entry {
	__u64 seq;		/* 0: empty */
	__u32 segment;
	__u32 index;
};

struct rawring {
	int fd;
	__u64 *marks;		/* NULL in a child, see rawring_map_again() */
	size_t marks_size;
	const struct perfaux_control *ctl;
	size_t ring_size;		/* 0: @ctl has only counters, see rawring_let_go() */
	const struct perfaux_segment *segments;
	const struct perfaux_span *spans;
	const struct perfaux_gap *gaps;
	const __u8 *data;
	struct raw_segment *seg;
	struct look look;
	struct raw_entry *window;	/* spans and gaps that were seen, by seq & mask */
	__u64 mask;			/* entries in window - 1 */
	__u64 next;			/* number to hand out next */
	__u64 last;			/* largest number seen */
	__u64 missing;			/* numbers that never came */
	/* begin of the oldest span being written or not handed out; 0: not known; ~0: none */
	__u64 oldest;
	__u64 held_seq;			/* perfaux_hold.seq of the last rawring_hold() */
	bool only_read;			/* see rawring_only_read() */
	void *user;			/* the user part of a kept ring, or NULL */
	size_t user_size;
};

/* One span or gap, in order. */
struct raw_item {
	const struct perfaux_span *span;	/* or NULL */
	const struct perfaux_gap *gap;		/* or NULL */
	const void *data;			/* of the span */
	__u32 index;				/* of the segment or gap */
	/* This is the last span of its segment. Releasing it releases the segment. */
	bool last;
};

/* ring/rawring.c */

/*
 * Open the device, check the ABI and create a ring. A ring with PERFAUX_RING_KEPT has a user part
 * of @user_size bytes. Return 0, or -errno with a message that tells the user what to do.
 */
int rawring_open(struct rawring *r, __u32 flags, __u32 seg_size, __u32 nr_segs,
		 size_t user_size, struct diag *d);
/* Open the device, and check the ABI. Return its descriptor, or -errno with a message. */
int rawring_device(struct diag *d);
/*
 * Return the size of the region for kept rings, in bytes, or -errno with a message if there
 * is none.
 */
__s64 rawring_region(struct diag *d);
void rawring_close(struct rawring *r);
/*
 * Give up the ring's memory. The kernel frees it if no event is attached. The counters in @ctl
 * stay. Afterwards the ring can only be closed.
 */
void rawring_let_go(struct rawring *r);

/* Each of these returns 0, or -errno as documented in perfaux.h. */
int rawring_handle(struct rawring *r, __u64 *handle);
int rawring_attach(struct rawring *r, int event_fd, __u32 flags, __u64 cookie);
int rawring_detach(struct rawring *r, int event_fd);
int rawring_detach_all(struct rawring *r);
int rawring_flush(struct rawring *r, __u32 flags);

/*
 * Look at the ring, first for spans that are being written (r->oldest), then for spans
 * and gaps that have ended. Then call rawring_next() until it returns false. All data
 * that was handed out before must have been written out, because rawring_scan() releases
 * segments.
 */
void rawring_scan(struct rawring *r);

/*
 * Get the next item in order. Return false if there is none, or if its number has not
 * appeared yet. With @skip a missing number is counted and skipped. Use that when no
 * event is attached any more.
 */
bool rawring_next(struct rawring *r, struct raw_item *item, bool skip);

/*
 * Release the gap's entry, or the segment if item->last. Call this when the item's data
 * has been written out.
 */
void rawring_release(struct rawring *r, const struct raw_item *item);

/*
 * ring/overwrite.c: overwrite rings. They are read with these functions, not with rawring_scan()
 * and rawring_next(). Functions that return int return 0 or -errno; rawring_hold() returns the
 * number of segments that it took.
 */
int rawring_attach_trigger(struct rawring *r, int event_fd, __u32 post, __u64 cookie);
int rawring_hold(struct rawring *r, __u32 flags, __u32 max);
int rawring_unhold(struct rawring *r, __u32 segment);
int rawring_unhold_all(struct rawring *r);
int rawring_thaw(struct rawring *r);
bool rawring_is_frozen(const struct rawring *r);

/* Return how many losses the ring has counted for this cause. */
__u64 rawring_lost(const struct rawring *r, enum perfaux_cause cause);

/*
 * Get the next gap that has ended, in any order. The caller releases it. Begin with *@i 0.
 * Return false if there is no more.
 */
bool rawring_next_gap(struct rawring *r, __u32 *i, struct raw_item *item);

/*
 * ring/rawring.c: map the ring in a child. fork() does not inherit the mappings. The child
 * cannot release segments or gaps. Return 0, or -errno with a message.
 */
int rawring_map_again(struct rawring *r, struct diag *d);
/*
 * ring/rawring.c: map the ring again in a child of the process that has called
 * rawring_map_again(), at the same address. rawring_unhold() does nothing there. Return 0 or
 * -errno.
 */
int rawring_only_read(struct rawring *r);

/* The part of the HELD segments that has no hole, see auxrec_snapshot.raw_begin */
struct raw_run {
	__u64 begin, end;	/* ns */
	__u64 first, last;	/* perfaux_segment.ready_seq */
};

/* The functions from here up to rawring_history() are in ring/overwrite.c. */

/*
 * Find the longest run of HELD segments without a hole; of several equally long ones, the newest.
 * The caller leaves out spans that end before @begin, spans with numbers above @held_seq, and
 * frames before @begin. Return 0 or -ENOMEM.
 */
int rawring_held_run(const struct rawring *r, __u64 begin, struct raw_run *run);

/*
 * Get the span of the HELD segments that follows @item. @item is zero before the first call.
 * Return false if there is no more.
 */
bool rawring_next_held(const struct rawring *r, struct raw_item *item);

/*
 * Return the frame at offset *@at in the first @end bytes of a segment, and move *@at to the
 * next frame. NULL: there is no more. If *@at < @end then, the bytes there are not a frame.
 */
const struct perfaux_frame *rawring_next_frame(const struct rawring *r, __u32 segment,
					       __u32 end, __u32 *at);

/* Return the approximate time when the oldest data in the ring began; ~0: it has no data. */
__u64 rawring_history(const struct rawring *r);

/* ring/rawring.c: return the number of free segments, for the status line. */
unsigned int rawring_free_segments(const struct rawring *r);

#endif /* AUXREC_RAWRING_H */
