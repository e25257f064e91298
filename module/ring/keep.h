/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kept rings: see "Kept rings" in uapi/perfaux.h.
 */
#ifndef PERFAUX_RING_KEEP_H
#define PERFAUX_RING_KEEP_H

#include "ring/ring.h"

/* A writer clears a segment of a kept ring in one go, so segments are small. Bytes. */
#define PA_MAX_KEPT_SEGMENT	(64U << 10)

/* Where a kept ring's parts are in the region */
struct pa_keep {
	struct perfaux_kept_header *header;
	struct perfaux_open *opens;
	u64 *gap_sums;
	void *user;
	void *data;
};

/* region.c: process context */
void pa_region_init(void);
/* Return the size of the region in bytes, or 0. */
size_t pa_region_size(void);
enum perfaux_kept_state pa_region_state(void);
/* Take the region for a new ring, cleared. Returns its address, or an ERR_PTR(). */
void *pa_region_take(size_t size);
/* The file of the ring in the region is gone: the region will be given back. */
void pa_region_will_leave(void);
/* Undo pa_region_take(): nobody writes to the region any more. */
void pa_region_give_back(void);
/* Take the region for a reader of an earlier boot's data. Returns its address, or an ERR_PTR(). */
void *pa_region_open(void);
void pa_region_close(void);
/* Returns 0, -ENODEV or -EBUSY. */
int pa_region_wipe(void);

/* keep.c: process context. 0 or -errno */
/* Take the region, and find the place of what user space maps. */
int pa_keep_alloc(struct pa_ring *ring, const struct perfaux_create *arg);
/* ring->ctl is complete: give the segments their pages, and write the header. */
int pa_keep_start(struct pa_ring *ring);
/* Does nothing for a ring that is not kept. The ring does not have to be complete. */
void pa_keep_free(struct pa_ring *ring);

/* keep.c: writers. The ring must be kept. */
void pa_keep_clear(const struct pa_segment *seg);
void pa_keep_begin(const struct pa_segment *seg);
u64 pa_keep_span_sum(const struct pa_segment *seg, const struct perfaux_span *span);
void pa_keep_gap(struct pa_ring *ring, unsigned int i, u64 seq);

/* stop.c */
int pa_stop_init(void);
void pa_stop_exit(void);
/* @ring is the kept ring, or NULL. Waits until no notifier uses the ring of the last call. */
void pa_stop_watch(struct pa_ring *ring);

#endif /* PERFAUX_RING_KEEP_H */
