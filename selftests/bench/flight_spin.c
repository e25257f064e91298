// SPDX-License-Identifier: GPL-2.0-only
/* flight_spin MS: computes for so long, in a function of its own, and ends. */
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) long flight_spin_here(long n)
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

	while (clock() - begin < ticks)
		flight_spin_here(10000);
	return 0;
}
