/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that run in place of perf's AUX output functions for attached events.
 */
#ifndef PERFAUX_OUTPUT_H
#define PERFAUX_OUTPUT_H

#include <linux/perf_event.h>
#include <linux/pid.h>

/*
 * Between begin and end handle->rb is not a struct perf_buffer but our segment
 * with this bit set. PMU drivers do not look at handle->rb, and a real pointer
 * never has this bit. So end, skip and get_aux know from the handle alone
 * whether it is ours, even if the event was detached meanwhile.
 */
#define PA_TAG		1UL

static inline bool pa_handle_is_ours(const struct perf_output_handle *handle)
{
	return (unsigned long)handle->rb & PA_TAG;
}

void *pa_output_begin(struct perf_output_handle *handle,
		      struct perf_event *event);
void pa_output_end(struct perf_output_handle *handle, unsigned long size);
int pa_output_skip(struct perf_output_handle *handle, unsigned long size);
void *pa_output_get_aux(struct perf_output_handle *handle);
long pa_output_copy_aux(struct perf_output_handle *aux_handle,
			struct perf_output_handle *handle,
			unsigned long from, unsigned long to);

#endif /* PERFAUX_OUTPUT_H */
