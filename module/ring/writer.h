/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that writers call: any context up to NMI, also with the runqueue locked. None of
 * these takes a lock, sleeps, allocates, frees or prints.
 */
#ifndef PERFAUX_RING_WRITER_H
#define PERFAUX_RING_WRITER_H

#include "ring/ring.h"

struct pa_attached;

/* reuse.c */
struct pa_segment *pa_segment_get(struct pa_ring *ring, u64 t_begin);
struct pa_segment *pa_segment_get_frames(struct pa_ring *ring);
void pa_starve(struct pa_ring *ring);
/* Not in NMI */
void pa_segments_make_way(struct pa_ring *ring);
/* Not in NMI: look at all segments, and make those FREE that the reader has released. */
void pa_segments_give_back(struct pa_ring *ring);
/* Likewise. Return whether a writer can find a segment. */
bool pa_segments_available(struct pa_ring *ring);

/* segment.c */
void pa_segment_put(struct pa_segment *seg);
void pa_segment_publish(struct pa_segment *seg);
void pa_segment_drop(struct pa_segment *seg);
void pa_segment_freed(struct pa_ring *ring);
void pa_segment_published(struct pa_ring *ring);
/* Return whether any writer may claim the segment. */
bool pa_segment_released(const struct pa_segment *seg, u64 state);
bool pa_hold_wants(const struct pa_ring *ring, u64 seq);
bool pa_hold_takes(struct pa_ring *ring, u64 seq);
bool pa_segments_publish_idle(struct pa_ring *ring);
/* Not in NMI: this looks at all segments. */
unsigned int pa_segments_ready(struct pa_ring *ring);

/* freeze.c */
bool pa_freeze_may(struct pa_ring *ring);
bool pa_freeze_is_full(const struct pa_ring *ring);
enum perfaux_cause pa_full_cause(const struct pa_ring *ring);
void pa_trigger(const struct pa_attached *attached, struct perf_event *event);

/* frame.c */
struct perfaux_frame *pa_frame_reserve(struct pa_ring *ring, u32 length,
				       enum perfaux_cause *cause);
void pa_frame_end(struct pa_ring *ring, struct perfaux_frame *frame,
		  enum perfaux_frame_state how);
u32 pa_frame_offset(struct pa_ring *ring, const struct perfaux_frame *frame);

/* gap.c */
void pa_gap_add(struct pa_ring *ring, const struct pa_gap *gap);
void pa_gap_close(struct pa_ring *ring, u64 cookie, u64 now);
/* On other CPUs: gaps that have ended, and gaps of a thread that begins here */
void pa_gaps_ended_elsewhere(struct pa_ring *ring);
void pa_gaps_of_thread(struct pa_ring *ring, u64 cookie, u32 tid, u64 now);

/* sink.c */
struct pa_segment *pa_sink_get(struct pa_ring *ring, struct perf_event *event,
			       enum perfaux_cause cause);
void pa_sink_gap(struct pa_segment *sink, u64 size, u64 now);
void pa_sink_put(struct pa_segment *sink);
bool pa_sink_is_used_by(struct pa_ring *ring, struct perf_event *event);

#endif /* PERFAUX_RING_WRITER_H */
