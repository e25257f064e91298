// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make writers end their spans, or start again: PERFAUX_IOC_FLUSH, HOLD, and the restart
 * of events that found no segment.
 */
#include "ring/attach.h"
#include "ring/process.h"
#include "ring/writer.h"

/*
 * Kick each event that writes spans, on the CPU where it runs. @what is PA_KICK_*. With 0 this
 * only waits for writers that are in the module's code now. ring->lock held.
 */
void pa_ring_kick(struct pa_ring *ring, unsigned int what)
{
	struct pa_attached *attached;

	list_for_each_entry(attached, &ring->attached, list)
		if (!attached->flags)
			pa_kick_event(ring, attached->event, what);
}

/* ring->lock held. @flags: PERFAUX_FLUSH_* */
void pa_ring_flush(struct pa_ring *ring, u32 flags)
{
	/* Events that start again look at a few segments only, so give back all released ones. */
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED)
		pa_segments_give_back(ring);
	atomic_andnot(PERFAUX_CTL_STARVED, (atomic_t *)&ring->ctl->flags);
	/*
	 * Before the kick, because an event that cannot start begins a new
	 * gap, which is published later.
	 */
	pa_gaps_close_all(ring, false);
	pa_ring_kick(ring, PA_KICK_START |
			   (flags & PERFAUX_FLUSH_SPANS ? PA_KICK_STOP : 0));
	/* Publish the gaps of spans that the kick has ended in a sink. */
	pa_gaps_close_all(ring, true);
	pa_segments_publish_idle(ring);
	pa_frames_flush(ring, flags & PERFAUX_FLUSH_ABANDON);
}
