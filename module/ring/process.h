/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that only process context calls: they may sleep.
 */
#ifndef PERFAUX_RING_PROCESS_H
#define PERFAUX_RING_PROCESS_H

#include "ring/ring.h"

struct vm_area_struct;

/* memory.c: 0 or -errno */
int pa_ring_alloc_memory(struct pa_ring *ring, const struct perfaux_create *arg);
void pa_ring_free_memory(struct pa_ring *ring);

/* segment.c: @size in bytes */
void pa_segment_set_size(struct pa_segment *seg, u32 size);
bool pa_segments_enough(struct pa_ring *ring);
bool pa_segments_any(struct pa_ring *ring);

/* kick.c */
#define PA_KICK_STOP	BIT(0)	/* end the span that is being written */
#define PA_KICK_START	BIT(1)	/* start an event that is stopped or writes to a sink */
void pa_kick_event(struct pa_ring *ring, struct perf_event *event,
		   unsigned int what);

/* flush.c: ring->lock held */
void pa_ring_kick(struct pa_ring *ring, unsigned int what);
void pa_ring_flush(struct pa_ring *ring, u32 flags);

/* hold.c */
unsigned int pa_ring_hold(struct pa_ring *ring, u32 flags, unsigned int max, u64 *seq);
void pa_hold_undo(struct pa_ring *ring, u64 hold);
int pa_segments_unhold(struct pa_ring *ring, u32 i, u64 seq);
void pa_segments_unhold_all(struct pa_ring *ring);

/* freeze.c */
void pa_freeze_init(struct pa_ring *ring);
int pa_thaw(struct pa_ring *ring);

/* frame.c: 0 or -ENOMEM; ring->lock held, except for pa_frames_exit() */
int pa_frames_init(struct pa_ring *ring);
void pa_frames_exit(struct pa_ring *ring);
void pa_frames_flush(struct pa_ring *ring, bool abandon);

/* gap.c */
void pa_gaps_close_all(struct pa_ring *ring, bool ended);
bool pa_gaps_ready(struct pa_ring *ring);

/* sink_memory.c */
/* Return how many sinks a ring has when its first event is attached, if no more are attached. */
unsigned int pa_sinks_at_first(void);
/* Let the ring have a sink for @event, too, which is about to be attached. ring->lock held. */
int pa_sinks_for_event(struct pa_ring *ring, struct perf_event *event);
/* Return whether pa_sinks_refill() would make more. Any context. */
bool pa_sinks_are_few(struct pa_ring *ring);
/* ring->lock held. */
void pa_sinks_refill(struct pa_ring *ring);
/* No writer is left. */
void pa_sinks_free(struct pa_ring *ring);

/* clock.c: ring->lock held */
/* Return whether @event's times compare with those of the ring. */
bool pa_clock_fits(const struct pa_ring *ring, const struct perf_event *event);
/* Return whether the clock can be read in NMI. */
bool pa_clock_is_safe(const struct perf_event *event);
/* Give the ring the clock of @event; or perf's own clock, if the ring has none yet. */
void pa_clock_take(struct pa_ring *ring, const struct perf_event *event);
void pa_clock_default(struct pa_ring *ring);

/* account.c */
int pa_charge(struct pa_ring *ring, unsigned long pages);
/* ring->lock held. */
void pa_charge_sinks(struct pa_ring *ring, unsigned int nr);
void pa_uncharge(struct pa_ring *ring);
/*
 * Return the user against whom resources of current are counted. A user may have many
 * uids in user namespaces: all of them count for the creator of the outermost one.
 */
kuid_t pa_payer(void);
int pa_charge_event(kuid_t *payer);
void pa_uncharge_event(kuid_t payer);

/* mapping.c: 0 or -errno */
/* Map @size bytes of the kernel's memory, in whole pages, at @addr. */
int pa_mapping_insert(struct vm_area_struct *vma, unsigned long addr, void *mem, size_t size);
int pa_mapping_count(struct vm_area_struct *vma);

#endif /* PERFAUX_RING_PROCESS_H */
