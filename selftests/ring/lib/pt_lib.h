/* SPDX-License-Identifier: GPL-2.0-only */
/* ptmodel.ko: the kernel's Intel PT driver on a model of the hardware. */
#ifndef PT_LIB_H
#define PT_LIB_H

#include "auxgen_check.h"

/*
 * The driver zeroes at most this number of bytes before the end of a region
 * (TOPA_PMI_MARGIN).
 */
#define PT_MARGIN	512

/*
 * Return the bytes after a segment's marker, as perfaux.h describes them; 0 for a segment of
 * one page, where Intel PT cannot interrupt at the marker.
 */
uint64_t pt_tail(uint64_t segment_size);

/* Open an event of "intel_pt" whose chunks have the number @stream. */
int pt_open(unsigned int stream, pid_t pid, int cpu, unsigned int flags);

/* Return whether the event is in error state: then it reads as end of file. */
bool pt_in_error(int event);

/* Return a counter of selftests/modules/ptmodel/ptm_main.c; -1 if it does not exist. */
int64_t pt_counter(const char *name);
int pt_set(const char *param, unsigned int value);

/* Insert ptmodel.ko, and make the checker use its counters. */
int pt_insert(const char *params);
int pt_remove(void);

#endif /* PT_LIB_H */
