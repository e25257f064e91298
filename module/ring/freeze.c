// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: a sample of an event stops the overwriting of a ring, in the sample's context.
 *
 * ring->may_overwrite is the number of segments that may still be overwritten, or
 * PA_THAWED. A writer takes one from that number before it overwrites a segment, so no more
 * are overwritten than the trigger's "post". Writers that had asked before the trigger came
 * are an exception: each of them still overwrites the one segment that it was about to
 * overwrite. Each CPU has at most one such writer, and one more for each context in which a
 * writer was interrupted there. A writer that loses its segment to faster writers may have
 * taken one from the number without overwriting a segment; then one segment fewer is
 * overwritten.
 */
#include <linux/perf_event.h>

#include "ring/attach.h"
#include "ring/process.h"
#include "ring/writer.h"

#define PA_THAWED	(-1)

void pa_freeze_init(struct pa_ring *ring)
{
	atomic_set(&ring->may_overwrite, PA_THAWED);
}

/* Return whether the caller may overwrite a segment, and count that. Any context. */
bool pa_freeze_may(struct pa_ring *ring)
{
	int left = atomic_read(&ring->may_overwrite);

	do {
		if (left == PA_THAWED)
			return true;
		if (!left)
			return false;
	} while (!atomic_try_cmpxchg(&ring->may_overwrite, &left, left - 1));
	return true;
}

/* Return whether no more segments may be overwritten. */
bool pa_freeze_is_full(const struct pa_ring *ring)
{
	return !atomic_read(&ring->may_overwrite);
}

/* Return why there was no segment. */
enum perfaux_cause pa_full_cause(const struct pa_ring *ring)
{
	return pa_freeze_is_full(ring) ? PERFAUX_CAUSE_FROZEN :
					 PERFAUX_CAUSE_FULL;
}

/*
 * Freeze the ring because of a sample of @event, which is the attached event or one that was
 * inherited from it. Any context up to NMI, as an RCU reader: pa_detach_list() waits for a
 * grace period before it lets go of the ring.
 */
notrace void pa_trigger(const struct pa_attached *attached,
			struct perf_event *event)
{
	struct pa_ring *ring = attached->ring;
	struct perfaux_control *ctl = ring->ctl;
	u64 now = event->clock();

	pa_count(&ctl->triggers, 1);
	if (atomic_cmpxchg(&ring->may_overwrite, PA_THAWED, attached->post) !=
	    PA_THAWED)
		return;
	WRITE_ONCE(ctl->frozen_time, now);
	WRITE_ONCE(ctl->frozen_cookie, attached->cookie);
	/* Pairs with the reader's load-acquire of flags. */
	smp_mb__before_atomic();
	atomic_or(PERFAUX_CTL_FROZEN, (atomic_t *)&ctl->flags);
	pa_ring_wake(ring);
}

/* End the freeze. Returns 0 or -ENOENT. Process context. ring->lock held. */
int pa_thaw(struct pa_ring *ring)
{
	struct perfaux_control *ctl = ring->ctl;

	/* A trigger that has begun is done only when it has set its flag. */
	if (!(READ_ONCE(ctl->flags) & PERFAUX_CTL_FROZEN))
		return -ENOENT;
	atomic_andnot(PERFAUX_CTL_FROZEN, (atomic_t *)&ctl->flags);
	/* The flag is cleared first: once thawed, the next trigger may set it again. */
	smp_mb__after_atomic();
	atomic_set(&ring->may_overwrite, PA_THAWED);
	return 0;
}
