// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>

bool probe(void);
bool probe(void)
{
	return perf_paranoid_any();
}
