// SPDX-License-Identifier: GPL-2.0-only
/* Probe: struct perf_sample_data has dyn_size (6.3). */
#include <linux/perf_event.h>

void probe(struct perf_sample_data *data);
void probe(struct perf_sample_data *data)
{
	data->dyn_size += 8;
}
