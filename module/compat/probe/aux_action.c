// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>

bool probe(const struct perf_event_attr *attr);
bool probe(const struct perf_event_attr *attr)
{
	return attr->aux_start_paused || attr->aux_pause || attr->aux_resume;
}
