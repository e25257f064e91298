// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that can be executed and not be read: where the processor has protection keys
 * mprotect(2) uses one for that. Says whether it cannot.
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

/* Nothing else is in its page. */
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
