/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw data of samples, on their way out.
 */
#ifndef PERFAUX_RAW_H
#define PERFAUX_RAW_H

#include <linux/perf_event.h>

/*
 * Writes a sample of an attached event with @output, its raw data to the ring. Has
 * been called for this sample, if @data says so already. Context: the sample's.
 */
void pa_raw_output(struct perf_event *event, struct perf_sample_data *data,
		   struct pt_regs *regs, perf_overflow_handler_t output);
bool pa_raw_is_swapped(const struct perf_sample_data *data);

/* raw_hook.c: process context */
int pa_raw_hook_get(void);
void pa_raw_hook_put(void);
void pa_raw_hook_exit(void);

#endif /* PERFAUX_RAW_H */
