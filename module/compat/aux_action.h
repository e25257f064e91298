/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 6.13 ("perf/core: Add aux_pause, aux_resume, aux_start_paused"), and stable kernels:
 * events of a group that pause and resume the AUX output of their leader.
 */
#ifndef PERFAUX_COMPAT_AUX_ACTION_H
#define PERFAUX_COMPAT_AUX_ACTION_H

#include <linux/mutex.h>
#include <linux/perf_event.h>

#ifdef PA_HAVE_AUX_ACTION
/* Return whether others pause or resume @event's AUX output. @pmu is its PMU. Process context. */
static inline bool pa_is_paused_by_others(struct perf_event *event, const struct pmu *pmu)
{
	bool paused = event->attr.aux_start_paused;
	struct perf_event *sibling;

	/* perf_get_aux_event() accepts only a leader whose PMU has this capability. */
	if (!(pmu->capabilities & PERF_PMU_CAP_AUX_PAUSE) ||
	    event->group_leader != event)
		return paused;
	/* Since 6.2 there is one context per task or CPU, so event->ctx does not change. */
	mutex_lock(&event->ctx->mutex);
	for_each_sibling_event(sibling, event)
		paused |= sibling->attr.aux_pause || sibling->attr.aux_resume;
	mutex_unlock(&event->ctx->mutex);
	return paused;
}
#else
static inline bool pa_is_paused_by_others(struct perf_event *event, const struct pmu *pmu)
{
	return false;
}
#endif

#endif /* PERFAUX_COMPAT_AUX_ACTION_H */
