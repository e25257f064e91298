/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events have AUX data, and how the stream transports this data.
 */
#ifndef AUXREC_EVENT_AUX_H
#define AUXREC_EVENT_AUX_H

#include <stdbool.h>

struct auxrec_event;

/* How the stream transports the data of an AUX event, see record/auxdata.c. */
enum aux_format {
	AUX_NONE,		/* not an AUX event */
	AUX_CHUNKS,		/* as samples, because stock perf has no decoder */
	AUX_INTEL_PT,
};

/* Does this event's PMU have AUX data? */
bool event_has_aux(const struct auxrec_event *ev);
enum aux_format event_aux_format(const struct auxrec_event *ev);
/* Return why the module refuses the PMU's AUX data, or NULL if it is not known to refuse. */
const char *event_aux_refused(const struct auxrec_event *ev);

#endif /* AUXREC_EVENT_AUX_H */
