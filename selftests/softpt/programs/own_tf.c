// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that sets TF itself and prints which traps it gets. They are the same
 * if somebody else steps it, too.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mark.h"

MARK(0, trap)
MARK(1, stepped)
MARK(2, end)
MARKED(3, int3)

static uint64_t hash;
static int code, with_tf;

static void trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	mark_trap();
	hash = hash * 31 + uc->uc_mcontext.gregs[REG_RIP];
	with_tf += !!(uc->uc_mcontext.gregs[REG_EFL] & 0x100);
	code = info->si_code;
}

static void stepped(int int80)
{
	uint64_t seen;

	asm volatile("pushf; orq $0x100, (%%rsp); popf\n\t"
		     "mov $5, %%ecx\n"
		     "1: nop; loop 1b\n\t"
		     "call mark_stepped\n\t"
		     "pushf; pop %0\n\t"
		     "mov $110, %%eax; syscall\n\t"	/* getppid */
		     "nop; nop\n\t"
		     "test %1, %1; jz 2f\n\t"
		     "mov $20, %%eax; int $0x80\n"
		     "2: nop\n\t"
		     "pushf; andq $~0x100, (%%rsp); popf\n\t"
		     "nop; nop" : "=&r"(seen) : "r"(int80) :
		     "rax", "rcx", "r11", "cc", "memory");
	printf("TF pushed: %d\n", !!(seen & 0x100));
}

/* An argument means that the kernel has INT 0x80. */
int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 3; i++)
		stepped(argc > 1);
	/* An instruction that traps without TF, but is executed */
	asm volatile(".globl mark_int3\n"
		     "mark_int3:\n\t"
		     "int3");
	marks[3].n++;
	mark_end();
	printf("hash %lx, code %d, %d with TF\n", hash, code, with_tf);
	marks_print();
	return 0;
}
