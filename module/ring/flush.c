// SPDX-License-Identifier: GPL-2.0-only
/*
 * Having writers end what they write, or start again: PERFAUX_IOC_FLUSH, HOLD, RESUME.
 */
#include "ring/attach.h"
#include "ring/process.h"
#include "ring/writer.h"

/*
 * Each event that writes spans, where it runs. @what: PA_KICK_*, 0: only waits for writers
 * who are with the module's code now. ring->lock held.
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
	atomic_andnot(PERFAUX_CTL_STARVED, (atomic_t *)&ring->ctl->flags);
	/*
	 * Before the kick: an event that cannot start begins a new gap, of
	 * which the reader is told later.
	 */
	pa_gaps_close_all(ring, false);
	pa_ring_kick(ring, PA_KICK_START |
			   (flags & PERFAUX_FLUSH_SPANS ? PA_KICK_STOP : 0));
	/* What the kick took out of a sink. */
	pa_gaps_close_all(ring, true);
	pa_segments_publish_idle(ring);
	pa_frames_flush(ring, flags & PERFAUX_FLUSH_ABANDON);
}
