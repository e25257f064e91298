// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with code that can be executed but not read. mprotect(2) uses a
 * protection key for this, if the processor has protection keys; otherwise the
 * program says so.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>

#include "mark.h"

#define PAGE		4096
#define TIMES		20

MARK(0, odd)
MARK(1, even)

static sigjmp_buf before;

static void __attribute__((section(".text.hidden"), aligned(PAGE), noinline))
hidden(void (*odd)(void), void (*even)(void))
{
	for (int i = 0; i < TIMES; i++) {
		if (i & 1)
			odd();
		else
			even();
	}
}

/* The page of this function has nothing else. */
static void __attribute__((section(".text.hidden"), aligned(PAGE), used))
behind(void)
{
}

static void fault(int sig)
{
	siglongjmp(before, 1);
}

int main(void)
{
	volatile char byte = 0;

	CHECK(!mprotect(hidden, PAGE, PROT_EXEC));
	hidden(mark_odd, mark_even);
	signal(SIGSEGV, fault);
	if (!sigsetjmp(before, 1)) {
		byte = *(volatile char *)hidden;
		printf("it can be read\n");
	} else {
		printf("it cannot be read\n");
	}
	marks_print();
	return byte & 0;
}
