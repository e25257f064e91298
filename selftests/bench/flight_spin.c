// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight_spin [MS [NAME]]: compute for MS milliseconds as a task with the name NAME. The
 * function that computes has a different name in each build (tests.mk).
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#ifndef FLIGHT_SPIN_HERE
#define FLIGHT_SPIN_HERE	flight_spin_here
#endif

__attribute__((noinline)) long FLIGHT_SPIN_HERE(long n)
{
	volatile long sum = 0;
	long i;

	for (i = 0; i < n; i++)
		sum += i ^ sum;
	return sum;
}

int main(int argc, char **argv)
{
	const clock_t ticks = (argc > 1 ? atol(argv[1]) : 20) * (CLOCKS_PER_SEC / 1000);
	const clock_t begin = clock();

	if (argc > 2)
		prctl(PR_SET_NAME, argv[2]);
	while (clock() - begin < ticks)
		FLIGHT_SPIN_HERE(10000);
	return 0;
}
