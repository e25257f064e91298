// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>

void probe(struct perf_sample_data *data);
void probe(struct perf_sample_data *data)
{
	data->dyn_size += 8;
}
