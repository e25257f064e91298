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
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../uapi/perfaux.h"

#define PA_MIN_SEGMENTS		2
#define PA_MAX_SEGMENTS		4096
#define PA_MIN_SEGMENT_SIZE	PAGE_SIZE
#define PA_MAX_SEGMENT_SIZE	BIT(30)
#define PA_MAX_SPANS		65536
#define PA_NR_GAPS		512
#define PA_CREATE_FLAGS		PERFAUX_RING_OVERWRITE

struct pa_ring;
struct user_struct;

/* Private part of a segment; the fields below "span" belong to its writer. */
struct pa_segment {
	struct pa_ring *ring;
	struct perfaux_segment *shared;
	struct perfaux_span *spans;	/* spans_per_segment of them */
	u64 *mark;
	void **pages;			/* addresses, as setup_aux() wants them */
	void *priv;			/* what setup_aux() returned */
	unsigned int contig_order;	/* of the smallest run of pages */

	/* span */
	u32 head;			/* bytes used, start of the span */
	u32 pid;
	u32 tid;
	u64 t_begin;
	u64 cookie;
};

struct pa_cpu {
	unsigned int hint;		/* the segment this CPU wrote to last */
	int gap;			/* index + 1 of the open gap, or 0 */
	struct perf_event *pin_event;	/* see pin.c */
	struct irq_work pin_work;
};

struct pa_ring {
	/* one for the file, one for each span that is being written */
	struct percpu_ref ref;

	struct perfaux_control *ctl;	/* vmalloc'ed, with all tables */
	struct perfaux_segment *segments;
	struct perfaux_gap *gaps;
	u64 *marks;			/* vmalloc'ed */
	u64 *gap_marks;
	u64 *gap_states;		/* see gap.c */
	struct pa_segment *seg;
	struct pa_cpu __percpu *cpu;
	u32 min_room;			/* bytes; with less a segment is full */
	bool overwrite;

	atomic64_t claim_seq;
	atomic64_t ready_seq;

	wait_queue_head_t wait;
	struct irq_work wake_irq;
	struct irq_work free_irq;
	struct work_struct free_work;
	struct work_struct resume_work;

	struct mutex lock;		/* the fields below */
	struct list_head attached;
	bool was_attached;
	struct pmu *pmu;		/* holds a reference to its module */
	u64 (*clock)(void);

	size_t marks_size;		/* bytes, whole pages */
	size_t tables_size;
	size_t data_size;
	unsigned long charged;		/* pages */
	struct user_struct *user;
};

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
extern const struct file_operations pa_ring_fops;

/* segment.c: writers */
struct pa_segment *pa_segment_get(struct pa_ring *ring, u64 t_begin);
void pa_segment_put(struct pa_segment *seg);
/* segment.c: any context that may take a moment */
void pa_segments_publish_idle(struct pa_ring *ring);
unsigned int pa_segments_ready(struct pa_ring *ring);
bool pa_segments_available(struct pa_ring *ring);

/* gap.c: writers */
void pa_gap_open(struct pa_ring *ring, enum perfaux_cause cause, u64 now,
		 u64 cookie, u32 pid, u32 tid);
void pa_gap_close(struct pa_ring *ring, int cpu, u64 now);
/* gap.c: process context */
void pa_gaps_close_all(struct pa_ring *ring);
bool pa_gaps_ready(struct pa_ring *ring);

/* pin.c */
void pa_pin_init(struct pa_ring *ring);
void pa_pin_sync(struct pa_ring *ring);
void pa_pin_begin(struct pa_ring *ring, struct perf_event *event);
void pa_pin_end(struct pa_ring *ring, struct perf_event *event);

/* account.c */
int pa_charge(struct pa_ring *ring, unsigned long pages);
void pa_uncharge(struct pa_ring *ring);

#endif /* PERFAUX_RING_H */
