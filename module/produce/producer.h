/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that do not belong to a sample.
 */
#ifndef PERFAUX_PRODUCER_H
#define PERFAUX_PRODUCER_H

#include <linux/perf_event.h>

#include "../../uapi/perfaux.h"

struct pa_ring;

/*
 * Makes the ring fit for the functions below. Process context. Returns 0 or
 * -ENOMEM.
 */
int pa_produce_init(struct pa_ring *ring);

/*
 * Any context up to NMI. A frame of which all but the data is set, with a
 * reference to the ring that pa_produce_end() gives back; or NULL, and why:
 * PERFAUX_CAUSE_NONE says that the ring is closed.
 */
struct perfaux_frame *pa_produce(struct pa_ring *ring, u32 length, u64 cookie,
				 enum perfaux_cause *cause);
void pa_produce_end(struct pa_ring *ring, struct perfaux_frame *frame,
		    enum perfaux_frame_state how);

#endif /* PERFAUX_PRODUCER_H */
