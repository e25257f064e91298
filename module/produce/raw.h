/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw data of samples that are being written.
 */
#ifndef PERFAUX_RAW_H
#define PERFAUX_RAW_H

#include <linux/perf_event.h>

/*
 * Write a sample of an attached event with @output, and its raw data to the ring.
 * Context: that of the sample.
 */
void pa_raw_output(struct perf_event *event, struct perf_sample_data *data,
		   struct pt_regs *regs, perf_overflow_handler_t output);
/* Return whether pa_raw_output() has already been called for this sample. */
bool pa_raw_is_swapped(const struct perf_sample_data *data);

/* raw_hook.c: process context */
int pa_raw_hook_get(void);
void pa_raw_hook_put(void);
void pa_raw_hook_exit(void);

#endif /* PERFAUX_RAW_H */
