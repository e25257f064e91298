/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gaps of the raw ring among the records that a flight recorder keeps, as one of a type of
 * its own, which is never written.
 */
#ifndef AUXREC_FLIGHT_GAP_H
#define AUXREC_FLIGHT_GAP_H

#include <linux/perf_event.h>
#include <perfaux.h>
#include <stdbool.h>

#define FLIGHT_GAP_TYPE	0xffff0000U	/* no kernel's, no perf's */

struct flight_gap {
	struct perf_event_header header;
	struct perfaux_gap gap;
};

static inline bool flight_is_gap(const struct perf_event_header *rec)
{
	return rec->type == FLIGHT_GAP_TYPE;
}

static inline const struct perfaux_gap *flight_gap(const struct perf_event_header *rec)
{
	return &((const struct flight_gap *)rec)->gap;
}

#endif /* AUXREC_FLIGHT_GAP_H */
