// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX sampling: a driver copies from the area that it writes to into a sample of
 * another event, see pt_event_snapshot_aux().
 */
#include "auxgen_pmu.h"
#include "unexported.h"

long (*auxgen_copy_aux)(struct perf_output_handle *aux_handle,
			struct perf_output_handle *handle,
			unsigned long from, unsigned long to);

int auxgen_sample_init(void)
{
	void *at = unexported("perf_output_copy_aux");

	if (IS_ERR(at))
		return PTR_ERR(at);
	auxgen_copy_aux = at;
	return 0;
}
