/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of a raw ring.
 *
 * What user space maps read-only (struct perfaux_control, _segment, _span,
 * _gap) is also what the kernel works with: there is one copy of the state.
 * The only thing the kernel reads that user space can write are the release
 * marks, and these mean something only if they equal a sequence number.
 *
 * "Writer" below is code that runs under perf_aux_output_begin/_end/_skip: in
 * any context up to NMI, and with the runqueue locked. It takes no lock, does
 * not sleep, allocate, free or print.
 */
#ifndef PERFAUX_RING_H
#define PERFAUX_RING_H

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
#define PA_CREATE_FLAGS		PERFAUX_RING_OVERWRITE
#define PA_ATTACH_FLAGS		(PERFAUX_ATTACH_RAW | PERFAUX_ATTACH_TRIGGER)
#define PA_FLUSH_FLAGS		(PERFAUX_FLUSH_SPANS | PERFAUX_FLUSH_ABANDON)
#define PA_HOLD_FLAGS		(PA_FLUSH_FLAGS | PERFAUX_HOLD_THAW)

struct pa_ring;
struct pid_namespace;
struct user_struct;

/*
 * Private part of a segment; the fields below "span" belong to its writer. The
 * sink of a CPU is one of these too, see sink.c: it has no shared part.
 */
struct pa_segment {
	struct pa_ring *ring;
	struct perfaux_segment *shared;
	struct perfaux_span *spans;	/* spans_per_segment of them */
	u64 *mark;
	void **pages;			/* addresses, as setup_aux() wants them */
	void *priv;			/* what setup_aux() returned */
	unsigned int contig_order;	/* of the smallest run of pages */
	void *base;			/* all pages in one piece, see frame.c */
	atomic64_t frames;		/* see frame.c */
	bool is_taken;			/* see pa_frames_flush() */
	u32 size;			/* bytes */
	u32 marker;			/* from here on it is full, see pmu.c */
	u64 held_by;			/* see pa_hold_note() */
	u64 held_seq;			/* likewise */

	/* span */
	u32 head;			/* bytes used, start of the span */
	u32 pid;
	u32 tid;
	u64 t_begin;
	u64 cookie;
};

struct pa_cpu {
	unsigned int hint;		/* the segment this CPU wrote to last */
	unsigned int frame_hint;	/* likewise, of frames */
	u64 gap;			/* the open gap, see gap.c, or 0 */
	struct perf_event *pin_event;	/* see pin.c */
	struct irq_work pin_work;
	struct pa_segment sink;		/* see sink.c */
	int sink_busy;
	enum perfaux_cause sink_cause;	/* why it is used */
	struct perf_event *sink_event;	/* that writes to it */
};

/* What there is to say of a gap. */
struct pa_gap {
	enum perfaux_cause cause;
	u32 pid;
	u32 tid;
	u64 cookie;
	u64 t_begin;
	u64 t_end;			/* 0: it goes on */
	u64 bytes;
};

struct pa_ring {
	/*
	 * one for the file, one for each span that is being written, and those of
	 * producers, see producer.c
	 */
	struct percpu_ref ref;

	struct perfaux_control *ctl;	/* vmalloc'ed, with all tables */
	struct perfaux_segment *segments;
	struct perfaux_gap *gaps;
	u64 *marks;			/* vmalloc'ed */
	u64 *gap_marks;
	u64 *gap_states;		/* see gap.c */
	atomic64_t gap_uses;		/* of slots: the numbers in pa_cpu.gap */
	atomic_t gaps_put;		/* into slots, so far */
	int gaps_gone;			/* when so many were put none was left in a slot */
	bool has_frames;		/* pa_frames_init() was called */
	unsigned long starved_at;	/* jiffies, see pa_frames_starve() */
	struct pa_segment *seg;
	struct pa_cpu __percpu *cpu;
	bool overwrite;
	atomic_t may_overwrite;		/* see freeze.c */

	atomic64_t claim_seq;
	u64 wanted_seq;			/* see hold.c */
	atomic_t hold_room;		/* likewise */
	u64 hold_ready;			/* likewise */
	atomic64_t hole;		/* likewise */
	atomic64_t ready_seq;
	atomic64_t overwritten_seq;	/* the highest ready_seq that was overwritten */

	wait_queue_head_t wait;
	struct irq_work wake_irq;
	struct irq_work free_irq;
	struct work_struct free_work;
	struct work_struct resume_work;

	struct mutex lock;		/* the fields below */
	struct list_head attached;
	unsigned int nr_attached;
	unsigned int nr_hooked;		/* of these, with RAW or TRIGGER */
	bool was_attached;
	struct pmu *pmu;		/* only to compare: it may be gone */
	struct module *pmu_module;	/* a reference to it */
	void (*free_aux)(void *aux);
	u64 (*clock)(void);		/* set once frames or spans may come */
	bool clock_is_slow;		/* and not for NMIs */
	u64 holds;			/* number of the last HOLD */

	u64 handle;			/* or 0, see bpf.c */

	struct pid_namespace *ns;	/* of who made it */
	size_t marks_size;		/* bytes, whole pages */
	size_t tables_size;
	size_t data_size;
	unsigned long charged;		/* pages */
	struct user_struct *user;
};

/* Where it runs, or -1 */
static inline int pa_cpu_of(const struct perf_event *event)
{
	/*
	 * event_sched_out() stores -1 plainly, on the event's CPU: elsewhere this is the old
	 * value or the new one, and who asks must do with either.
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

/* Is there, maybe, a gap in a CPU's slot? See gap.c. Each span asks twice. */
static inline bool pa_gaps_wait(const struct pa_ring *ring)
{
	return atomic_read(&ring->gaps_put) != READ_ONCE(ring->gaps_gone);
}

/* The ring-wide number of a span or gap; taken right before it is published. */
static inline u64 pa_next_seq(struct pa_ring *ring)
{
	return atomic64_inc_return((atomic64_t *)&ring->ctl->seq);
}

/* ring.c */
struct pa_ring *pa_ring_create(const struct perfaux_create *arg);
void pa_ring_put(struct pa_ring *ring);
void pa_ring_wake(struct pa_ring *ring);
void pa_ring_resume(struct pa_ring *ring);
int pa_ring_init(void);
void pa_ring_exit(void);

/* ring_mem.c */
int pa_ring_alloc_memory(struct pa_ring *ring, const struct perfaux_create *arg);
void pa_ring_free_memory(struct pa_ring *ring);

/* ring_file.c */
void pa_ring_kick(struct pa_ring *ring, unsigned int what);
void pa_ring_flush(struct pa_ring *ring, u32 flags);
extern const struct file_operations pa_ring_fops;

/* segment.c: writers */
struct pa_segment *pa_segment_get(struct pa_ring *ring, u64 t_begin);
void pa_segment_put(struct pa_segment *seg);
struct pa_segment *pa_segment_get_frames(struct pa_ring *ring);
void pa_segment_publish(struct pa_segment *seg);
void pa_segment_drop(struct pa_segment *seg);
void pa_segment_freed(struct pa_ring *ring);
/* segment.c: any context that may take a moment */
bool pa_segments_publish_idle(struct pa_ring *ring);
void pa_segments_make_way(struct pa_ring *ring);
unsigned int pa_segments_ready(struct pa_ring *ring);
bool pa_segments_available(struct pa_ring *ring);
/* Is it anybody's who wants to write? */
bool pa_segment_released(const struct pa_segment *seg, u64 state);

/* hold.c */
bool pa_hold_wants(const struct pa_ring *ring, u64 seq);
bool pa_hold_takes(struct pa_ring *ring, u64 seq);
int pa_ring_hold(struct pa_ring *ring, u32 flags, unsigned int max, u64 *seq);
void pa_hold_note(struct pa_ring *ring, u64 hold);
void pa_hold_undo(struct pa_ring *ring, u64 hold);
int pa_segments_unhold(struct pa_ring *ring, u32 i, u64 seq);
void pa_segments_unhold_all(struct pa_ring *ring);

/* freeze.c; pa_trigger() is in attach.h */
void pa_freeze_init(struct pa_ring *ring);
bool pa_freeze_may(struct pa_ring *ring);
bool pa_freeze_is_full(const struct pa_ring *ring);
enum perfaux_cause pa_full_cause(const struct pa_ring *ring);
int pa_thaw(struct pa_ring *ring);

/* frame.c: writers */
struct perfaux_frame *pa_frame_reserve(struct pa_ring *ring, u32 length,
				       enum perfaux_cause *cause);
void pa_frame_end(struct pa_ring *ring, struct perfaux_frame *frame,
		  enum perfaux_frame_state how);
u32 pa_frame_offset(struct pa_ring *ring, const struct perfaux_frame *frame);
bool pa_frames_close(struct pa_segment *seg);
bool pa_frames_are_open(const struct pa_segment *seg);
/* frame.c: process context */
void pa_frames_reset(struct pa_segment *seg);
int pa_frames_init(struct pa_ring *ring);
void pa_frames_exit(struct pa_ring *ring);
void pa_frames_flush(struct pa_ring *ring, bool abandon);

/* gap.c: writers */
void pa_gap_add(struct pa_ring *ring, const struct pa_gap *gap);
void pa_gap_close(struct pa_ring *ring, u64 cookie, u64 now);
/* What has ended, and what a thread that begins here has lost, on other CPUs */
void pa_gaps_ended_elsewhere(struct pa_ring *ring);
void pa_gaps_of_thread(struct pa_ring *ring, u64 cookie, u32 tid, u64 now);
/* gap.c: process context */
void pa_gaps_close_all(struct pa_ring *ring, bool ended);
bool pa_gaps_ready(struct pa_ring *ring);

/* pmu.c: both values are in bytes */
void pa_segment_set_size(struct pa_segment *seg, u32 size);

/* sink.c: writers */
struct pa_segment *pa_sink_get(struct pa_ring *ring, struct perf_event *event,
			       enum perfaux_cause cause);
void pa_sink_gap(struct pa_segment *sink, u64 size, u64 now);
void pa_sink_put(struct pa_segment *sink);
bool pa_sink_is_used_by(struct pa_ring *ring, struct perf_event *event);
static inline bool pa_is_sink(const struct pa_segment *seg)
{
	return !seg->shared;
}

/* sink.c: process context */
int pa_sinks_alloc(struct pa_ring *ring, struct perf_event *event,
		   struct pmu *pmu);
void pa_sinks_free(struct pa_ring *ring);

/* pin.c */
void pa_pin_init(struct pa_ring *ring);
void pa_pin_sync(struct pa_ring *ring);
void pa_pin_begin(struct pa_ring *ring, struct perf_event *event);
void pa_pin_end(struct pa_ring *ring, struct perf_event *event);

/* account.c */
int pa_charge(struct pa_ring *ring, unsigned long pages);
void pa_uncharge(struct pa_ring *ring);
int pa_charge_event(kuid_t *payer);
void pa_uncharge_event(kuid_t payer);

/* mapping.c. 0 or -ENOMEM */
int pa_mapping_count(struct vm_area_struct *vma);

#endif /* PERFAUX_RING_H */
