// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that `make demo` traces. Its functions call each other, so that the trace
 * shows calls.
 */
#include <stdio.h>

static volatile unsigned long sum;

static void __attribute__((noinline)) leaf(unsigned int n)
{
	sum += n;
}

static void __attribute__((noinline)) branch(unsigned int n)
{
	leaf(n);
	if (n > 1)
		branch(n - 1);
	leaf(n);
}

static void __attribute__((noinline)) tree(void)
{
	branch(3);
	branch(2);
}

static void __attribute__((noinline)) spin(void)
{
	unsigned int i;

	for (i = 0; i < 2000; i++)
		leaf(i);
}

static void __attribute__((noinline)) report(void)
{
	printf("the sum is %lu\n", sum);
}

int main(void)
{
	tree();
	report();
	spin();
	return 0;
}
