// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_aux_output_begin/_end/_skip, perf_get_aux and perf_output_copy_aux for
 * attached events. redirect.c sends PMU drivers here. These functions have the
 * kernel's prototypes and keep the kernel's contract (kernel/events/ring_buffer.c).
 *
 * Context: the writer's, see ring/ring.h. All of these run with interrupts off or
 * in NMI, as pmu::start, pmu::stop and PMI handlers do. Module removal relies
 * on this (synchronize_rcu() in redirect.c).
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "event/event.h"
#include "event/output.h"
#include "ring/keep.h"
#include "ring/writer.h"

static struct pa_segment *pa_handle_segment(struct perf_output_handle *handle)
{
	return (void *)((unsigned long)handle->rb & ~PA_TAG);
}

static void pa_span_thread(struct perf_event *event, u32 *pid, u32 *tid)
{
	if (event->attach_state & PERF_ATTACH_TASK) {
		*pid = pa_event_pid(event, PIDTYPE_TGID);
		*tid = pa_event_pid(event, PIDTYPE_PID);
	} else {
		*pid = -1;
		*tid = -1;
	}
}

/*
 * Return where the PMU should interrupt: at the marker or, if the span begins past the
 * marker, at the end of the segment. Only a PMU that skips can begin past the marker.
 *
 * Intel PT interrupts at the latest one run of pages before the end, whatever this
 * returns (pt_buffer_reset_markers()). So the value does not matter if the last run
 * begins at the marker, see pa_mark_runs(). If memory is in shorter runs, one run before
 * the end is later than the marker, and data that is written until such a late interrupt
 * is served might find no room. The value does not matter for single-entry ToPA either,
 * where each run ends with an interrupt.
 */
static u32 pa_wakeup(const struct pa_segment *seg)
{
	return seg->head < seg->marker ? seg->marker : seg->size;
}

static struct pa_segment *pa_starved(struct pa_ring *ring,
				     struct perf_event *event, u64 cookie,
				     u64 now)
{
	const enum perfaux_cause cause = pa_full_cause(ring);
	struct pa_segment *sink;

	pa_lost(ring, cause, 0);
	sink = pa_sink_get(ring, event, cause);
	if (!sink) {
		struct pa_gap gap = {
			.cause = cause,
			.cookie = cookie,
			.t_begin = now,
		};

		pa_span_thread(event, &gap.pid, &gap.tid);
		pa_gap_add(ring, &gap);
	}
	/* Let kicks find the event in the sink, or the gap: see pa_ring_resume_work(). */
	pa_starve(ring);
	return sink;
}

/*
 * The hook has looked up the event and left its struct pa_attached in handle->rb. With interrupts
 * off since then, the struct is still there: whoever frees it waits for a grace period.
 */
void *pa_output_begin(struct perf_output_handle *handle,
		      struct perf_event *event)
{
	struct pa_attached *attached = (void *)handle->rb;
	struct pa_ring *ring = attached->ring;
	struct pa_segment *seg = NULL;
	u64 now;

	handle->rb = NULL;
	handle->event = NULL;
	rcu_read_lock();
	if (!percpu_ref_tryget_live_rcu(&ring->ref))
		goto unlock;

	now = event->clock();
	if (unlikely(pa_gaps_wait(ring)) &&
	    event->attach_state & PERF_ATTACH_TASK)
		pa_gaps_of_thread(ring, attached->cookie,
				  pa_event_pid(event, PIDTYPE_PID), now);
	seg = pa_segment_get(ring, now);
	if (seg)
		pa_gap_close(ring, attached->cookie, now);
	else
		seg = pa_starved(ring, event, attached->cookie, now);
	if (!seg) {
		percpu_ref_put(&ring->ref);
		goto unlock;
	}
	pa_pin_begin(ring, event);

	seg->head = pa_is_sink(seg) ? 0 : seg->shared->used;
	pa_span_thread(event, &seg->pid, &seg->tid);
	seg->t_begin = now;
	seg->cookie = attached->cookie;
	if (unlikely(ring->keep) && !pa_is_sink(seg))
		pa_keep_begin(seg);

	handle->rb = (void *)((unsigned long)seg | PA_TAG);
	handle->event = event;
	handle->head = seg->head;
	/* As CIRC_SPACE(): one byte less than the room. Intel PT relies on this. */
	handle->size = seg->size - seg->head - 1;
	handle->wakeup = pa_wakeup(seg);
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
	/* Gaps that ended before have smaller numbers: publish them first. */
	pa_gaps_ended_elsewhere(seg->ring);
	/* pa_hold_hole() may still read the number of the span that was here before. */
	WRITE_ONCE(span->seq, pa_next_seq(seg->ring));
	span->reserved = unlikely(seg->ring->keep) ? pa_keep_span_sum(seg, span) : 0;

	shared->bytes += size;
	pa_count(&seg->ring->ctl->spans, 1);
	pa_count(&seg->ring->ctl->bytes, size);
	/* Pairs with the reader's load-acquire: the span and its data are visible first. */
	smp_store_release(&shared->nr_spans, shared->nr_spans + 1);
}

/* The PMU reports that it lost data. It does not know how much, or until when. */
static void pa_truncated(struct pa_segment *seg, u64 now)
{
	const struct pa_gap gap = {
		.cause = PERFAUX_CAUSE_TRUNCATED,
		.pid = seg->pid,
		.tid = seg->tid,
		.cookie = seg->cookie,
		.t_begin = now,
	};

	pa_lost(seg->ring, PERFAUX_CAUSE_TRUNCATED, 0);
	pa_gap_add(seg->ring, &gap);
}

static void pa_segment_end(struct pa_segment *seg, u32 size, u64 flags, u64 now)
{
	/* These flags alone are not worth a span, see perf_aux_output_end(). */
	const u64 idle_flags = PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK |
			       PERF_AUX_FLAG_OVERWRITE;

	if (size || flags & ~idle_flags)
		pa_span_publish(seg, size, flags, now);
	seg->shared->used = seg->head + size;
}

void pa_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct pa_segment *seg = pa_handle_segment(handle);
	struct perf_event *event = handle->event;
	struct pa_ring *ring = seg->ring;
	u32 room = seg->size - seg->head;
	u64 flags = handle->aux_flags;
	bool truncated = flags & PERF_AUX_FLAG_TRUNCATED;
	u64 now = event->clock();

	if (size > room) {
		pa_lost(ring, PERFAUX_CAUSE_OVERRUN, size - room);
		/* The span looks truncated, but there is no gap after it. */
		flags |= PERF_AUX_FLAG_TRUNCATED;
		size = room;
	}
	pa_pin_end(ring, event);
	handle->event = NULL;
	handle->rb = NULL;
	if (pa_is_sink(seg))
		pa_sink_gap(seg, size, now);
	else
		pa_segment_end(seg, size, flags, now);
	if (truncated)
		pa_truncated(seg, now);
	if (pa_is_sink(seg))
		pa_sink_put(seg);
	else
		pa_segment_put(seg);
	percpu_ref_put(&ring->ref);
}

int pa_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	struct pa_segment *seg = pa_handle_segment(handle);

	if (size > handle->size)
		return -ENOSPC;

	seg->head += size;
	if (!pa_is_sink(seg)) {
		pa_count(&seg->ring->ctl->skipped, size);
		if (unlikely(seg->ring->keep))
			pa_keep_begin(seg);
	}
	handle->head = seg->head;
	handle->size -= size;
	handle->wakeup = pa_wakeup(seg);
	return 0;
}

void *pa_output_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? pa_handle_segment(handle)->priv : NULL;
}

/*
 * Only AUX sampling (PERF_SAMPLE_AUX) copies from a handle. It also needs an AUX
 * area that is mapped on the event, and finds no data there. It has reserved
 * room in the main ring and warns if less is copied, see
 * perf_aux_sample_output(). So this function returns the full length, and the
 * room keeps its old contents.
 */
long pa_output_copy_aux(struct perf_output_handle *aux_handle,
			struct perf_output_handle *handle,
			unsigned long from, unsigned long to)
{
	return to - from;
}
