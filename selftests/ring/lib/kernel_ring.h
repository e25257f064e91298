/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own rings of an event: main ring and AUX area */
#ifndef KERNEL_RING_H
#define KERNEL_RING_H

#include "auxgen_check.h"

struct perf_event_mmap_page;

struct kernel_ring {
	struct perf_event_mmap_page *page;
	uint8_t *aux;
	size_t main_size;
	size_t aux_size;
	uint64_t bytes;		/* read from the AUX area */
	uint64_t records;	/* PERF_RECORD_AUX */
	uint64_t record_bytes;	/* bytes that these records report */
	uint64_t truncated;	/* records with TRUNCATED */
};

int kernel_ring_map(struct kernel_ring *k, int event, size_t aux_size);
/* The same with an overwrite area: perf's snapshot mode */
int kernel_ring_map_snapshot(struct kernel_ring *k, int event, size_t aux_size);
/* Check the area's data; the event must be stopped. */
void kernel_ring_read_snapshot(struct kernel_ring *k, struct check *check);
/* Check all data in the area and free its room. */
void kernel_ring_read(struct kernel_ring *k, struct check *check);
/* Bytes that the kernel has written so far. */
uint64_t kernel_ring_head(const struct kernel_ring *k);
void kernel_ring_unmap(struct kernel_ring *k);

#endif /* KERNEL_RING_H */
