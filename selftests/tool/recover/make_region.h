/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the memory that a kept ring leaves after a crash, as the module writes it.
 */
#ifndef MAKE_REGION_H
#define MAKE_REGION_H

#include <perfaux.h>
#include <stddef.h>

#define MADE_SEGMENTS	8
#define MADE_SIZE	4096U		/* of a segment */
#define MADE_SPANS	16
#define MADE_GAPS	4
#define MADE_USER	(256U << 10)

struct kept_region {
	__u8 *region;		/* the caller must free() the region */
	size_t size;
	struct perfaux_kept_header *head;
	struct perfaux_control *ctl;
	struct perfaux_segment *segments;
	struct perfaux_span *spans;
	struct perfaux_gap *gaps;
	struct perfaux_open *opens;
	__u64 *gap_sums, *marks;
	struct perfaux_stop *stop;
	__u8 *user, *data;
	__u64 seq;		/* of the last span or gap */
	__u64 ready;		/* of the last READY segment */
	__u64 use;		/* of the last segment that was claimed */
};

/* Return 0 or -ENOMEM. */
int kept_init(struct kept_region *m);
void kept_free(struct kept_region *m);
/* Write the sum of the header anew. */
void kept_sum(struct kept_region *m);

/* Claim a segment: @kind is enum perfaux_kind. Its state is BUSY. */
void kept_claim(struct kept_region *m, __u32 segment, __u32 kind);
/* A span of @length bytes of the value @byte has ended. */
void kept_span(struct kept_region *m, __u32 segment, __u32 length, __u8 byte);
/* A span has begun, and its PMU has written @length bytes. */
void kept_open(struct kept_region *m, __u32 segment, __u32 length, __u8 byte);
/* A frame in the state @state (enum perfaux_frame_state) */
void kept_frame(struct kept_region *m, __u32 segment, __u32 length, __u32 state);
void kept_ready(struct kept_region *m, __u32 segment);
void kept_gap(struct kept_region *m, __u32 index, __u64 bytes);
/* A gap that has not ended */
void kept_open_gap(struct kept_region *m, __u32 index, __u64 bytes);
void kept_stop(struct kept_region *m, __u32 cause, __u64 time, const char *message);

#endif /* MAKE_REGION_H */
