// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: a sample of an event stops the overwriting of a ring, where it happens.
 *
 * ring->may_overwrite is how many segments may still be overwritten, or PA_THAWED.
 * Whoever is to overwrite one takes it from there first, so that it is not more than the
 * trigger's post, but for writers who had asked before the trigger came: each still
 * overwrites the one segment it was about to. That is at most one segment more per CPU
 * (one per context, if a writer that had asked was interrupted by another). A writer to
 * whom others were faster may have taken one in vain: one less is overwritten then.
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

/* May the caller overwrite a segment? Any context. */
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

/* May nobody? */
bool pa_freeze_is_full(const struct pa_ring *ring)
{
	return !atomic_read(&ring->may_overwrite);
}

/* Why there was no segment. */
enum perfaux_cause pa_full_cause(const struct pa_ring *ring)
{
	return pa_freeze_is_full(ring) ? PERFAUX_CAUSE_FROZEN :
					 PERFAUX_CAUSE_FULL;
}

/*
 * A sample of @event, or of one that was inherited from it. Any context up to NMI, a
 * reader of RCU: pa_detach_list() waits for it before it lets go of the ring.
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

/* Returns 0 or -ENOENT. Process context. ring->lock held. */
int pa_thaw(struct pa_ring *ring)
{
	struct perfaux_control *ctl = ring->ctl;

	/* A trigger that has begun is not done before its flag is there. */
	if (!(READ_ONCE(ctl->flags) & PERFAUX_CTL_FROZEN))
		return -ENOENT;
	atomic_andnot(PERFAUX_CTL_FROZEN, (atomic_t *)&ctl->flags);
	/* From here on the next one may set it again. */
	smp_mb__after_atomic();
	atomic_set(&ring->may_overwrite, PA_THAWED);
	return 0;
}
