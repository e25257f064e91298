// SPDX-License-Identifier: GPL-2.0-only
/* Probe: security_perf_event_open() takes only a type (6.15, and stable kernels). */
#include <linux/perf_event.h>
#include <linux/security.h>

int probe(void);
int probe(void)
{
	return security_perf_event_open(PERF_SECURITY_OPEN);
}
