// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsc_khz: print the rate of this machine's time stamp counter in kHz. QEMU's emulated CPUs have
 * the same rate (cpu_get_host_ticks()). The program fails if there is no such counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>

/* The time between the readings. A reading takes some millionths of it. */
#define NS	200000000

struct both {
	uint64_t ns;
	uint64_t tsc;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Read both clocks at nearly the same time: use the shortest of many tries. */
static struct both read_both(void)
{
	uint64_t best = UINT64_MAX;
	struct both both = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		const uint64_t before = __rdtsc(), ns = now(), after = __rdtsc();

		if (after - before >= best)
			continue;
		best = after - before;
		both.ns = ns;
		both.tsc = before + best / 2;
	}
	return both;
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = NS };
	const struct both begin = read_both();
	struct both end;

	nanosleep(&wait, NULL);
	end = read_both();
	if (end.ns <= begin.ns || end.tsc <= begin.tsc)
		return 1;
	printf("%llu\n", (unsigned long long)((end.tsc - begin.tsc) * 1000000.0 /
					      (end.ns - begin.ns) + 0.5));
	return 0;
}
#else
int main(void)
{
	return 1;
}
#endif
