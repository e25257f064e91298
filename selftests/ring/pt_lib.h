/* SPDX-License-Identifier: GPL-2.0-only */
/* ptmodel.ko: the kernel's Intel PT driver on a model of the hardware. */
#ifndef PT_LIB_H
#define PT_LIB_H

#include "auxgen_check.h"

/* What the driver zeroes at most before the end of a region (TOPA_PMI_MARGIN) */
#define PT_MARGIN	512

/* What perfaux.h says of a segment: bytes behind its marker */
uint64_t pt_tail(uint64_t segment_size);

/* An event of "intel_pt" whose chunks have number @stream. */
int pt_open(unsigned int stream, pid_t pid, int cpu, unsigned int flags);

/* Is it in error state? Then it reads as end of file. */
bool pt_in_error(int event);

/* See selftests/modules/ptmodel/ptm_main.c; -1: there is none */
int64_t pt_counter(const char *name);
int pt_set(const char *param, unsigned int value);

/* Inserts ptmodel.ko, and the checker takes its counters. */
int pt_insert(const char *params);
int pt_remove(void);

#endif /* PT_LIB_H */
