/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of a raw ring.
 *
 * The structures that user space maps read-only (struct perfaux_control,
 * _segment, _span, _gap) are also those that the kernel works with: there is one
 * copy of the state. The kernel reads nothing that user space can write except
 * for the release marks. A mark counts only if it equals a sequence number.
 *
 * A "writer" below is code that runs under perf_aux_output_begin/_end/_skip, or
 * that writes frames: in any context up to NMI, also with the runqueue locked. A
 * writer takes no lock, and does not sleep, allocate, free or print.
 */
#ifndef PERFAUX_RING_H
#define PERFAUX_RING_H

#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/perf_event.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../../uapi/perfaux.h"

#define PA_MIN_SEGMENTS		2
#define PA_MAX_SEGMENTS		4096
#define PA_MIN_SEGMENT_SIZE	PAGE_SIZE
#define PA_MAX_SEGMENT_SIZE	BIT(30)
#define PA_MAX_SPANS		65536
#define PA_NR_GAPS		512
#define PA_CREATE_FLAGS		(PERFAUX_RING_OVERWRITE | PERFAUX_RING_KEPT)
#define PA_ATTACH_FLAGS		(PERFAUX_ATTACH_RAW | PERFAUX_ATTACH_TRIGGER)
#define PA_FLUSH_FLAGS		(PERFAUX_FLUSH_SPANS | PERFAUX_FLUSH_ABANDON)
#define PA_HOLD_FLAGS		(PA_FLUSH_FLAGS | PERFAUX_HOLD_THAW)

struct pa_keep;
struct pa_ring;
struct pid_namespace;
struct user_struct;

/*
 * The private part of a segment. The fields below "span" belong to the segment's
 * writer. A sink contains one, too, without a shared part, see sink.c.
 */
struct pa_segment {
	/* Other CPUs read these, which do not change */
	struct pa_ring *ring;
	struct perfaux_segment *shared;
	struct perfaux_span *spans;	/* spans_per_segment of them */
	u64 *mark;
	void **pages;			/* addresses, as setup_aux() wants them */
	void *priv;			/* what setup_aux() returned */
	void *base;			/* all pages in one piece, see frame.c */
	u32 size;			/* bytes */
	u32 marker;			/* full if used up to here, see pa_segment_set_size() */

	/* This line changes with the segment's use. */
	atomic64_t frames;		/* see frame.c */
	u64 held_by;			/* the HOLD that took it, see pa_held_add() */
	u16 next_free;			/* see free.c */
	bool is_taken;			/* see pa_frames_flush() */
	u8 contig_order;		/* order of the smallest run of pages; does not change */

	/* span */
	u32 head;			/* where the span begins: bytes used before it */
	u32 pid;
	u32 tid;
	u64 t_begin;
	u64 cookie;

	u64 unused[2];			/* The next segment begins in another cache line. */
};

struct pa_cpu {
	unsigned int hint;		/* the segment this CPU wrote to last */
	unsigned int frame_hint;	/* likewise, for frames */
	unsigned int look;		/* see pa_segment_look() */
	u64 gap;			/* this CPU's slot for a gap, see gap.c */
	struct pa_sink *sink;		/* NULL until this CPU needs one, see sink.c */
	struct perf_event *pin_event;	/* see event/pin.c */
	struct irq_work pin_work;
};

struct pa_sink {
	struct pa_segment seg;		/* without a shared part: see pa_is_sink() */
	int busy;
	enum perfaux_cause cause;	/* why the sink is used */
	struct perf_event *event;	/* the event that writes to the sink */
};

/* A stack of FREE segments, see free.c */
struct pa_free {
	atomic64_t word ____cacheline_aligned;
};

/* The contents of a gap */
struct pa_gap {
	enum perfaux_cause cause;
	u32 pid;
	u32 tid;
	u64 cookie;
	u64 t_begin;
	u64 t_end;			/* 0: the end is not known yet */
	u64 bytes;
};

/*
 * Members that CPUs write often are in cache lines of their own, so that they do not take the lines
 * from other CPUs that read the rest for each span. module/ring/lines.c checks this.
 */
struct pa_ring {
	/*
	 * One reference for the file, one for each span or frame that is being
	 * written, and those of producers, see produce/producer.c
	 */
	struct percpu_ref ref;

	struct perfaux_control *ctl;	/* vmalloc'ed, with all tables */
	struct perfaux_segment *segments;
	struct pa_segment *seg;
	struct pa_cpu __percpu *cpu;
	u64 (*clock)(void);		/* set before the first span or frame */
	u64 wanted_seq;			/* see hold.c */
	u64 hold_ready;			/* likewise */
	u64 *order;			/* see order.c; in the mapping of the tables */
	u64 order_mask;			/* likewise */
	unsigned long *late;		/* likewise, a bit for each segment */
	unsigned long *open;		/* see pa_open_add(); in the same mapping */
	unsigned long *held;		/* see pa_held_add() */
	struct pa_free *free;		/* one for each node, see free.c */
	u16 *nodes;			/* of the segments; NULL: one node. See node.h */
	unsigned int nr_nodes;
	u64 wake_at;			/* see pa_segments_enough() */
	struct perfaux_gap *gaps;
	u64 *marks;			/* vmalloc'ed */
	u64 *gap_marks;
	u64 *gap_states;		/* see gap.c */
	unsigned long *gap_cpus;	/* see pa_slot_filled() */
	struct pa_sink **sinks;		/* see sink.c */
	unsigned long *free_sinks;	/* likewise, a bit for each sink */
	unsigned int nr_sinks;		/* likewise; complete sinks */
	atomic_t may_overwrite;		/* see freeze.c */
	struct pa_keep *keep;		/* or NULL, see keep.c */
	bool overwrite;
	bool has_frames;		/* pa_frames_init() was called */
	bool clock_is_slow;		/* clock must not be read in an NMI */

	/* Written when a segment is claimed or published */
	atomic64_t claim_seq ____cacheline_aligned;
	atomic64_t ready_seq;
	atomic64_t order_head;		/* see order.c */
	atomic64_t published;		/* see pa_segments_enough() */
	atomic64_t overwritten_seq;	/* the highest ready_seq that was overwritten */
	atomic_t nr_open;		/* see pa_open_add() */
	atomic_t nr_late;		/* the number of bits in late */

	/* Written when data is lost. A span reads gaps_put and gaps_gone. */
	atomic_t gaps_put ____cacheline_aligned; /* gaps that were put into slots so far */
	int gaps_gone;			/* gaps_put when all slots were last seen empty */
	atomic_t gaps_used;		/* entries from this one on were never used */
	atomic64_t gap_uses;		/* uses of slots: the numbers in pa_cpu.gap */
	unsigned long starved_at;	/* jiffies, see pa_starve() */

	/* Written when HOLD or UNHOLD is in progress */
	atomic64_t hole ____cacheline_aligned; /* see hold.c */
	atomic64_t unholds;		/* likewise */
	atomic_t hold_room;		/* likewise */
	u64 holds;			/* number of the last HOLD; writers read it in a HOLD */

	wait_queue_head_t wait;
	struct irq_work wake_irq;
	struct irq_work free_irq;
	struct work_struct free_work;
	struct work_struct resume_work;

	struct mutex lock;		/* protects the fields below */
	struct list_head attached;
	unsigned int nr_attached;
	unsigned int nr_hooked;		/* of nr_attached, with RAW or TRIGGER */
	bool was_attached;
	struct pmu *pmu;		/* only to compare: the PMU may be gone */
	struct module *pmu_module;	/* a reference to the module */
	void *(*setup_aux)(struct perf_event *event, void **pages, int nr, bool overwrite);
	void (*free_aux)(void *aux);
	u64 hold_seen;			/* see hold.c */
	u64 hold_unholds;		/* likewise */

	u64 handle;			/* or 0, see produce/bpf.c */

	struct pid_namespace *ns;	/* of the ring's creator */
	size_t marks_size;		/* bytes, whole pages */
	size_t tables_size;
	size_t data_size;
	size_t user_size;		/* of a kept ring */
	unsigned long charged;		/* pages */
	unsigned int charged_sinks;	/* the part of charged for sinks: a page each */
	struct user_struct *user;
};

/* Return the CPU on which @event runs, or -1. */
static inline int pa_cpu_of(const struct perf_event *event)
{
	/*
	 * event_sched_out() stores -1 plainly, on the event's CPU. Another CPU reads the old
	 * value or the new one, so callers must work with either.
	 */
	return data_race(READ_ONCE(event->oncpu));
}

static inline void pa_count(u64 *counter, u64 n)
{
	atomic64_add(n, (atomic64_t *)counter);
}

static inline void pa_lost(struct pa_ring *ring, enum perfaux_cause cause,
			   u64 bytes)
{
	pa_count(&ring->ctl->lost_count[cause], 1);
	if (bytes)
		pa_count(&ring->ctl->lost_bytes[cause], bytes);
}

/* Return whether a CPU's slot may have a gap, see gap.c. Called twice for each span. */
static inline bool pa_gaps_wait(const struct pa_ring *ring)
{
	return atomic_read(&ring->gaps_put) != READ_ONCE(ring->gaps_gone);
}

/*
 * Return the next ring-wide number. A span takes it right before it is published, a gap when
 * its end is known, see gap.c.
 */
static inline u64 pa_next_seq(struct pa_ring *ring)
{
	return atomic64_inc_return((atomic64_t *)&ring->ctl->seq);
}

/* Wakes the reader. Any context. */
static inline void pa_ring_wake(struct pa_ring *ring)
{
	irq_work_queue(&ring->wake_irq);
}

static inline bool pa_is_sink(const struct pa_segment *seg)
{
	return !seg->shared;
}

#endif /* PERFAUX_RING_H */
