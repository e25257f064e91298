// SPDX-License-Identifier: GPL-2.0-only
/*
 * Producers in the kernel: frames that do not belong to a sample, written by other
 * modules (perfaux.h) and BPF programs (bpf.c).
 *
 * A producer holds a reference of ring->ref, and so does each reservation. The
 * producer's reference keeps the memory only: once the ring's file is gone and
 * pa_ring_put() has killed ring->ref, nothing more can be reserved.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include "../perfaux.h"
#include "event/event.h"
#include "produce/producer.h"
#include "ring/process.h"
#include "ring/writer.h"

int pa_produce_init(struct pa_ring *ring)
{
	int ret;

	mutex_lock(&ring->lock);
	ret = ring->clock_is_slow ? -EINVAL : pa_frames_init(ring);
	if (!ret)
		pa_clock_default(ring);
	mutex_unlock(&ring->lock);
	return ret;
}

static void pa_produce_lost(struct pa_ring *ring, enum perfaux_cause cause,
			    u32 length, u64 cookie, u64 now)
{
	const struct pa_gap gap = {
		.cause = cause,
		.pid = pa_current_pid(ring->ns, PIDTYPE_TGID),
		.tid = pa_current_pid(ring->ns, PIDTYPE_PID),
		.cookie = cookie,
		.t_begin = now,
		.t_end = now,
		.bytes = length,
	};

	pa_lost(ring, cause, length);
	pa_gap_add(ring, &gap);
}

/* Preemption is off, because gaps belong to a CPU. */
static struct perfaux_frame *pa_produce_here(struct pa_ring *ring, u32 length,
					     u64 cookie,
					     enum perfaux_cause *cause)
{
	struct perfaux_frame *frame = pa_frame_reserve(ring, length, cause);
	typeof(ring->clock) clock = READ_ONCE(ring->clock);
	u64 now = clock();

	if (!frame) {
		pa_produce_lost(ring, *cause, length, cookie, now);
		return NULL;
	}
	pa_gap_close(ring, cookie, now);
	frame->flags = 0;
	frame->cookie = cookie;
	frame->time = now;
	frame->cpu = smp_processor_id();
	frame->pid = pa_current_pid(ring->ns, PIDTYPE_TGID);
	frame->tid = pa_current_pid(ring->ns, PIDTYPE_PID);
	return frame;
}

struct perfaux_frame *pa_produce(struct pa_ring *ring, u32 length, u64 cookie,
				 enum perfaux_cause *cause)
{
	struct perfaux_frame *frame;

	*cause = PERFAUX_CAUSE_NONE;
	if (!percpu_ref_tryget_live(&ring->ref))
		return NULL;
	preempt_disable_notrace();
	frame = pa_produce_here(ring, length, cookie, cause);
	preempt_enable_notrace();
	if (!frame)
		percpu_ref_put(&ring->ref);
	return frame;
}

void pa_produce_end(struct pa_ring *ring, struct perfaux_frame *frame,
		    enum perfaux_frame_state how)
{
	pa_frame_end(ring, frame, how);
	percpu_ref_put(&ring->ref);
}

/* --- for other modules ----------------------------------------------------- */

static struct pa_ring *pa_ring_of(struct perfaux_ring *ring)
{
	return (struct pa_ring *)ring;
}

static struct perfaux_frame *pa_frame_of(void *data)
{
	return container_of(data, struct perfaux_frame, data);
}

void perfaux_ring_put(struct perfaux_ring *ring)
{
	percpu_ref_put(&pa_ring_of(ring)->ref);
}
EXPORT_SYMBOL_GPL(perfaux_ring_put);

bool perfaux_ring_closed(struct perfaux_ring *ring)
{
	return percpu_ref_is_dying(&pa_ring_of(ring)->ref);
}
EXPORT_SYMBOL_GPL(perfaux_ring_closed);

void *perfaux_reserve(struct perfaux_ring *ring, u32 length, u64 cookie)
{
	enum perfaux_cause cause;
	struct perfaux_frame *frame = pa_produce(pa_ring_of(ring), length,
						 cookie, &cause);

	return frame ? frame->data : NULL;
}
EXPORT_SYMBOL_GPL(perfaux_reserve);

void perfaux_commit(struct perfaux_ring *ring, void *data)
{
	pa_produce_end(pa_ring_of(ring), pa_frame_of(data),
		       PERFAUX_FRAME_COMMITTED);
}
EXPORT_SYMBOL_GPL(perfaux_commit);

void perfaux_discard(struct perfaux_ring *ring, void *data)
{
	pa_produce_end(pa_ring_of(ring), pa_frame_of(data),
		       PERFAUX_FRAME_DISCARDED);
}
EXPORT_SYMBOL_GPL(perfaux_discard);
