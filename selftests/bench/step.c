// SPDX-License-Identifier: GPL-2.0-only
/*
 * step: measure the time of an instruction, as the average of 100,000. If the clock counts
 * instructions (vm/run --icount), this is the number of instructions executed for each one.
 */
#include <stdio.h>
#include <time.h>

#define LOOPS	50000L

static long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

int main(void)
{
	long n = LOOPS, begin = now_ns();

	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (n));
	printf("%.1f ns for each instruction\n", (double)(now_ns() - begin) / (2 * LOOPS));
	return 0;
}
