/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events have AUX data, and how these data travel in the stream.
 */
#ifndef AUXREC_EVENT_AUX_H
#define AUXREC_EVENT_AUX_H

#include <stdbool.h>

struct auxrec_event;

/* How the data of an AUX event travel, see synth/aux.c. */
enum aux_format {
	AUX_NONE,		/* not an AUX event */
	AUX_CHUNKS,		/* as samples: stock perf has no decoder */
	AUX_INTEL_PT,
};

/* Does this event's PMU have AUX data? */
bool event_has_aux(const struct auxrec_event *ev);
enum aux_format event_aux_format(const struct auxrec_event *ev);
/* Why the module does not take its AUX data, if that is known, or NULL. */
const char *event_aux_refused(const struct auxrec_event *ev);

#endif /* AUXREC_EVENT_AUX_H */
