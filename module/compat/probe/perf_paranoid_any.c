// SPDX-License-Identifier: GPL-2.0-only
/* Probe: perf_paranoid_any() exists (a patch of Debian and others). */
#include <linux/perf_event.h>

bool probe(void);
bool probe(void)
{
	return perf_paranoid_any();
}
