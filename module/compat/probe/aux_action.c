// SPDX-License-Identifier: GPL-2.0-only
/* Probe: attr.aux_start_paused, aux_pause and aux_resume exist (6.13, and stable kernels). */
#include <linux/perf_event.h>

bool probe(const struct perf_event_attr *attr);
bool probe(const struct perf_event_attr *attr)
{
	return attr->aux_start_paused || attr->aux_pause || attr->aux_resume;
}
