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
 * Prepare the ring for the functions below. Process context. Returns 0, -ENOMEM,
 * or -EINVAL if the ring's clock cannot be read in an NMI.
 */
int pa_produce_init(struct pa_ring *ring);

/*
 * Return a frame with everything set but the data, and take a reference to the
 * ring, which pa_produce_end() drops. If there is no frame, return NULL and set
 * @cause: PERFAUX_CAUSE_NONE means that the ring is closed. Any context up to NMI.
 */
struct perfaux_frame *pa_produce(struct pa_ring *ring, u32 length, u64 cookie,
				 enum perfaux_cause *cause);
void pa_produce_end(struct pa_ring *ring, struct perfaux_frame *frame,
		    enum perfaux_frame_state how);

#endif /* PERFAUX_PRODUCER_H */
