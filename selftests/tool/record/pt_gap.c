// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes its trace lose its middle: auxrec, which is its parent, is stopped for so
 * long that the pool becomes full. Each of the three parts has its own function.
 */
#include <signal.h>
#include <unistd.h>

static volatile unsigned long sum;

static void __attribute__((noinline)) add(unsigned int n)
{
	sum += n;
}

static void __attribute__((noinline)) xor(unsigned int n)
{
	sum ^= n;
}

/* Indirect calls take most room in a trace. */
static void call(unsigned int nr)
{
	static void (*volatile table[])(unsigned int) = { add, xor };
	unsigned int i;

	for (i = 0; i < nr; i++)
		table[i & 1](i);
}

static void __attribute__((noinline)) before(void)
{
	call(100);
}

static void __attribute__((noinline)) during(void)
{
	call(20000);
}

static void __attribute__((noinline)) after(void)
{
	call(101);
}

int main(void)
{
	unsigned int i;

	before();
	kill(getppid(), SIGSTOP);
	during();
	kill(getppid(), SIGCONT);
	/* It makes room when it has written what was there. */
	for (i = 0; i < 10; i++)
		usleep(100000);
	after();
	return 0;
}
