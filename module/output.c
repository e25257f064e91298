// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_aux_output_begin/_end/_skip, perf_get_aux and perf_output_copy_aux for
 * attached events. redirect.c sends PMU drivers here; they have the kernel's
 * prototypes and keep the kernel's contract (kernel/events/ring_buffer.c).
 *
 * Context: the writer's, see ring.h. All of these run with interrupts off or
 * in NMI, as pmu::start, pmu::stop and PMI handlers do; that is what module
 * removal relies on (synchronize_rcu() in redirect.c).
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "attach.h"
#include "output.h"
#include "ring.h"

/* A marker this far before the segment's end, so that the PMU can move on. */
#define PA_MARKER_MAX	(64U << 10)

static struct pa_segment *pa_handle_segment(struct perf_output_handle *handle)
{
	return (void *)((unsigned long)handle->rb & ~PA_TAG);
}

/* As perf_event_pid() and perf_event_tid(): in the opener's pid namespace. */
static void pa_span_thread(struct perf_event *event, u32 *pid, u32 *tid)
{
	if (!(event->attach_state & PERF_ATTACH_TASK)) {
		*pid = -1;
		*tid = -1;
		return;
	}
	if (event->parent)
		event = event->parent;
	*pid = __task_pid_nr_ns(current, PIDTYPE_TGID, event->ns);
	*tid = __task_pid_nr_ns(current, PIDTYPE_PID, event->ns);
}

/*
 * Where the PMU should interrupt: a quarter before the end, at most 64K. Past
 * that point there is only the end itself, which Intel PT turns into the last
 * page before STOP (pt_buffer_reset_markers()).
 */
static u32 pa_marker(const struct pa_segment *seg, u32 head)
{
	u32 size = seg->ring->ctl->segment_size;
	u32 marker = size - min(size / 4, PA_MARKER_MAX);

	return head < marker ? marker : size;
}

void *pa_output_begin(struct perf_output_handle *handle,
		      struct perf_event *event)
{
	struct pa_attached *attached;
	struct pa_segment *seg = NULL;
	struct pa_ring *ring;
	u32 pid, tid;
	u64 now;

	handle->event = NULL;
	rcu_read_lock();
	attached = pa_attached_find(event);
	ring = attached ? attached->ring : NULL;
	if (!ring || !percpu_ref_tryget_live(&ring->ref))
		goto unlock;

	now = event->clock();
	pa_span_thread(event, &pid, &tid);
	seg = pa_segment_get(ring, now);
	if (!seg) {
		atomic_or(PERFAUX_CTL_STARVED, (atomic_t *)&ring->ctl->flags);
		/* Pairs with the one in pa_segment_put(). */
		smp_mb__after_atomic();
		pa_gap_open(ring, PERFAUX_CAUSE_FULL, now, attached->cookie,
			    pid, tid);
		pa_ring_wake(ring);
		percpu_ref_put(&ring->ref);
		goto unlock;
	}
	pa_gap_close(ring, smp_processor_id(), now);
	pa_pin_begin(ring, event);

	seg->head = seg->shared->used;
	seg->pid = pid;
	seg->tid = tid;
	seg->t_begin = now;
	seg->cookie = attached->cookie;

	handle->rb = (void *)((unsigned long)seg | PA_TAG);
	handle->event = event;
	handle->head = seg->head;
	/* As CIRC_SPACE(): one byte less than there is, PT relies on it. */
	handle->size = ring->ctl->segment_size - seg->head - 1;
	handle->wakeup = pa_marker(seg, seg->head);
	handle->aux_flags = 0;
unlock:
	rcu_read_unlock();
	return seg ? seg->priv : NULL;
}

static void pa_span_publish(struct pa_segment *seg, u32 size, u32 flags,
			    u64 now)
{
	struct perfaux_segment *shared = seg->shared;
	struct perfaux_span *span = &seg->spans[shared->nr_spans];

	span->t_begin = seg->t_begin;
	span->t_end = max(now, seg->t_begin);
	span->cookie = seg->cookie;
	span->offset = seg->head;
	span->length = size;
	span->pid = seg->pid;
	span->tid = seg->tid;
	span->cpu = smp_processor_id();
	span->flags = flags;
	span->reserved = 0;
	span->seq = pa_next_seq(seg->ring);

	shared->bytes += size;
	pa_count(&seg->ring->ctl->spans, 1);
	pa_count(&seg->ring->ctl->bytes, size);
	/* Pairs with the reader's load-acquire: span and data come first. */
	smp_store_release(&shared->nr_spans, shared->nr_spans + 1);
}

void pa_output_end(struct perf_output_handle *handle, unsigned long size)
{
	/* The PMU's data format is not news, see perf_aux_output_end(). */
	const u64 idle_flags = PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK |
			       PERF_AUX_FLAG_OVERWRITE;
	struct pa_segment *seg = pa_handle_segment(handle);
	struct perf_event *event = handle->event;
	struct pa_ring *ring = seg->ring;
	u32 room = ring->ctl->segment_size - seg->head;
	u64 flags = handle->aux_flags;
	u64 now = event->clock();

	if (size > room) {
		pa_lost(ring, PERFAUX_CAUSE_OVERRUN, size - room);
		flags |= PERF_AUX_FLAG_TRUNCATED;
		size = room;
	}
	if (size || flags & ~idle_flags)
		pa_span_publish(seg, size, flags, now);
	seg->shared->used = seg->head + size;

	if (flags & PERF_AUX_FLAG_TRUNCATED)
		pa_gap_open(ring, PERFAUX_CAUSE_TRUNCATED, now, seg->cookie,
			    seg->pid, seg->tid);
	pa_pin_end(ring, event);
	handle->event = NULL;
	handle->rb = NULL;
	pa_segment_put(seg);
	percpu_ref_put(&ring->ref);
}

int pa_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	struct pa_segment *seg = pa_handle_segment(handle);

	if (size > handle->size)
		return -ENOSPC;

	seg->head += size;
	pa_count(&seg->ring->ctl->skipped, size);
	handle->head = seg->head;
	handle->size -= size;
	handle->wakeup = pa_marker(seg, seg->head);
	return 0;
}

void *pa_output_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? pa_handle_segment(handle)->priv : NULL;
}

/*
 * Only AUX sampling (PERF_SAMPLE_AUX) copies from a handle. It needs an AUX
 * area mapped on the event as well, and finds no data there.
 */
long pa_output_copy_aux(struct perf_output_handle *aux_handle,
			struct perf_output_handle *handle,
			unsigned long from, unsigned long to)
{
	return 0;
}
