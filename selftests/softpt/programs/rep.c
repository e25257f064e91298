// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with string instructions whose pages are missing. The kernel, or a
 * handler, provides the pages in the middle of the instruction.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>

#include "mark.h"

#define SIZE	(4 * 4096)

MARK(0, repaired)
MARK(1, done)

static void repair(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & -4096UL;

	mark_repaired();
	mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

static char *pages(int prot, int flags)
{
	char *p = mmap(NULL, SIZE, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void copy(char *to, char *from, unsigned long n)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	mark_done();
}

static void fill(char *to, unsigned long n)
{
	n /= 8;
	asm volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0x0101010101010101) : "memory");
	mark_done();
}

static unsigned long find(const char *in, unsigned long n)
{
	asm volatile("repne scasb" : "+D"(in), "+c"(n) : "a"(0xff) : "cc", "memory");
	mark_done();
	return n;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };
	char *from = pages(PROT_READ | PROT_WRITE, MAP_NORESERVE);
	char *to = pages(PROT_NONE, 0);

	sigaction(SIGSEGV, &sa, NULL);
	fill(from, SIZE);
	copy(to + 4000, from, 4300);
	CHECK(to[8299] == 1 && !to[8300]);
	fill(pages(PROT_NONE, 0) + 4096 - 64, 128);
	CHECK(!find(pages(PROT_NONE, 0) + 4096 - 16, 4096 - 16 + 40));
	marks_print();
	return 0;
}
