/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The raw ring of perfaux.ko: spans and gaps in the order of their numbers.
 */
#ifndef AUXREC_RAWRING_H
#define AUXREC_RAWRING_H

#include <perfaux.h>
#include <stdbool.h>
#include <stddef.h>

struct diag;

struct raw_segment {
	__u64 seq;		/* of this use; 0: none seen yet */
	__u32 taken;		/* spans put into the window */
	__u32 done;		/* spans handed out */
	__u32 ready;		/* spans in all, once it is READY; else ~0 */
};

/* Where the span or gap with a number is; no segment (~0): in the gap table. */
struct raw_entry {
	__u64 seq;		/* 0: empty */
	__u32 segment;
	__u32 index;
};

struct rawring {
	int fd;
	__u64 *marks;		/* NULL: not to be changed, see rawring_map_again() */
	size_t marks_size;
	const struct perfaux_control *ctl;
	size_t ring_size;		/* 0: there are only counters, see rawring_let_go() */
	const struct perfaux_segment *segments;
	const struct perfaux_span *spans;
	const struct perfaux_gap *gaps;
	const __u8 *data;
	struct raw_segment *seg;
	struct raw_entry *window;	/* by seq, as far as seen */
	__u64 mask;			/* entries in window - 1 */
	__u64 next;			/* number to hand out next */
	__u64 last;			/* largest number seen */
	__u64 missing;			/* numbers that never came */
	/* oldest span being written or not handed out, ~0: none */
	__u64 oldest;
	__u64 held_seq;			/* of the last rawring_hold() */
	bool only_read;			/* see rawring_only_read() */
};

/* One span or gap, in order. */
struct raw_item {
	const struct perfaux_span *span;	/* or NULL */
	const struct perfaux_gap *gap;		/* or NULL */
	const void *data;			/* of the span */
	__u32 index;				/* of the segment or gap */
	/* with this one all of the segment is handed out: it can be released */
	bool last;
};

/*
 * Opens the device, checks the ABI and creates a ring. Returns 0 or -errno
 * with a message that says what to do.
 */
int rawring_open(struct rawring *r, __u32 flags, __u32 seg_size, __u32 nr_segs,
		 struct diag *d);
void rawring_close(struct rawring *r);
/* Its memory goes, if no event has it any more; counters in @ctl stay. Only to be closed. */
void rawring_let_go(struct rawring *r);

/* Each returns 0 or -errno as documented in perfaux.h. */
int rawring_handle(struct rawring *r, __u64 *handle);
int rawring_attach(struct rawring *r, int event_fd, __u32 flags, __u64 cookie);
int rawring_detach(struct rawring *r, int event_fd);
int rawring_detach_all(struct rawring *r);
int rawring_flush(struct rawring *r, __u32 flags);

/*
 * Looks at the ring: what begins to be written first (r->oldest), then what
 * has ended. To be followed by rawring_next() until that returns false. All
 * that was handed out before must be written out by now: this also releases.
 */
void rawring_scan(struct rawring *r);

/*
 * The next item in order; false: none, or its number has not appeared yet.
 * With @skip a missing number is counted and passed over (when nothing is
 * attached any more).
 */
bool rawring_next(struct rawring *r, struct raw_item *item, bool skip);

/*
 * Gives back what the item was in, to be called once the data has been written
 * out: the gap's entry, or the segment if item->last.
 */
void rawring_release(struct rawring *r, const struct raw_item *item);

/*
 * An overwrite ring: rawring_scan() and _next() are for its gaps only. Each of these returns
 * 0 or -errno, rawring_hold() how many.
 */
int rawring_attach_trigger(struct rawring *r, int event_fd, __u32 post, __u64 cookie);
int rawring_hold(struct rawring *r, __u32 flags, __u32 max);
int rawring_unhold(struct rawring *r, __u32 segment);
int rawring_unhold_all(struct rawring *r);
int rawring_thaw(struct rawring *r);
bool rawring_is_frozen(const struct rawring *r);

/* How often so far, for this reason */
__u64 rawring_lost(const struct rawring *r, enum perfaux_cause cause);

/* Gaps that have ended, in any order; to be released. false: no more. Begin with *@i 0. */
bool rawring_next_gap(struct rawring *r, __u32 *i, struct raw_item *item);

/* After fork(): the mappings are not there any more. 0 or -errno with a message. */
int rawring_map_again(struct rawring *r, struct diag *d);
/* The same, at the same place, and rawring_unhold() does nothing. 0 or -errno. */
int rawring_only_read(struct rawring *r);

/* What of the HELD segments is without a hole, see auxrec_snapshot.raw_begin. */
struct raw_run {
	__u64 begin, end;	/* ns */
	__u64 first, last;	/* perfaux_segment.ready_seq */
};

/*
 * Left out are spans that end before @begin, those that are none of rawring_hold(), and frames
 * before @begin. 0 or -ENOMEM
 */
int rawring_held_run(const struct rawring *r, __u64 begin, struct raw_run *run);

/* The next span of HELD segments, @item being the last one, or zero. false: no more. */
bool rawring_next_held(const struct rawring *r, struct raw_item *item);

/*
 * The frame at *@at of the first @end bytes of a segment, and on to the next one. NULL: there
 * is none; *@at < @end then: what is there is none.
 */
const struct perfaux_frame *rawring_next_frame(const struct rawring *r, __u32 segment,
					       __u32 end, __u32 *at);

/* When the oldest of what is in the ring began, about; ~0: nothing is. */
__u64 rawring_history(const struct rawring *r);

/* For the status line. */
unsigned int rawring_free_segments(const struct rawring *r);

#endif /* AUXREC_RAWRING_H */
