// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second function twin() for test_probe.
 */
#include "probe_twin.h"

static __attribute__((noinline, noclone)) int twin(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i + 2;
}

int other_twin(int i)
{
	return twin(i) + 1;
}
