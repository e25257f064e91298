// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that do not end by a return, and calls that the kernel makes. Prints the call stacks, see
 * path.h.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "path.h"

#define NOINLINE	__attribute__((noinline))

static volatile unsigned long sum;
static jmp_buf place;
static sigjmp_buf signal_place;

static NOINLINE void leaf(void)
{
	sum++;
}

static NOINLINE void recurse(unsigned int n)
{
	leaf();
	if (n)
		recurse(n - 1);
	leaf();
}

static NOINLINE void thrower(unsigned int n)
{
	leaf();
	if (!n)
		longjmp(place, 1);
	/* Without this condition, the compiler warns of an infinite recursion. */
	if (sum)
		thrower(n - 1);
	sum++;
}

static NOINLINE void catcher(unsigned int n)
{
	if (!setjmp(place))
		thrower(n);
	leaf();
}

static NOINLINE void on_signal(int number)
{
	(void)number;
	recurse(2);
}

static NOINLINE void on_jump(int number)
{
	(void)number;
	leaf();
	siglongjmp(signal_place, 1);
}

static NOINLINE void in_handler(int number)
{
	(void)number;
	leaf();
	raise(SIGUSR1);
	leaf();
}

static NOINLINE void signals(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, in_handler);
	raise(SIGUSR1);
	leaf();
	raise(SIGUSR2);
	leaf();
	signal(SIGUSR1, on_jump);
	if (!sigsetjmp(signal_place, 1))
		raise(SIGUSR1);
	leaf();
}

static NOINLINE void fault(int number)
{
	(void)number;
	leaf();
	siglongjmp(signal_place, 1);
}

static NOINLINE void faults(void)
{
	static volatile int *volatile nowhere;

	signal(SIGSEGV, fault);
	if (!sigsetjmp(signal_place, 1))
		*nowhere = 1;
	leaf();
}

static NOINLINE int compare(const void *a, const void *b)
{
	leaf();
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void callbacks(void)
{
	int list[] = { 3, 1, 2, 5, 4 };

	qsort(list, 5, sizeof(*list), compare);
	leaf();
}

int main(void)
{
	recurse(20);
	catcher(0);
	catcher(5);
	recurse(3);
	signals();
	faults();
	callbacks();
	leaf();
	path_print();
	return 0;
}
