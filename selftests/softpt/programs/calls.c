// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with functions for probes and for gdb: calls TIMES [wait]. gdb may end
 * the wait.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "mark.h"

MARK(0, leaf)
MARK(1, caught)
MARK(2, end)

static sigjmp_buf out;
static volatile unsigned long sum;
static volatile int waiting = 1;

static void on_signal(int sig)
{
	mark_caught();
	siglongjmp(out, 1);
}

/* The first instruction of this function is PUSH, as that of most functions. */
unsigned long __attribute__((noinline)) probed(unsigned long n)
{
	unsigned long below = n ? probed(n - 1) : 0;

	mark_leaf();
	sum += below;
	return below + n;
}

/* A signal leaves this function, so that a return probe does not see the return. */
void __attribute__((noinline)) left(void)
{
	raise(SIGUSR1);
	sum++;
}

/*
 * The first instructions of these functions: a branch, a branch before a system
 * call (which uprobes themselves cannot step over), and the NOPs of 5 or 10 bytes
 * that newer kernels replace by a call
 */
asm(".globl branches, calls_kernel, nop5, nop10\n"
	".type branches, @function\n"
	".type calls_kernel, @function\n"
	"branches:	jmp 1f\n"
	"	ud2\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	ret\n"
	"calls_kernel:\n"
	"	mov $110, %eax\n"
	"	syscall\n"
	"	ret\n"
	".type nop5, @function\n"
	".balign 16\n"
	"nop5:	.byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"	ret\n"
	".balign 16\n"
	"nop10:	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
	"	ret\n");

/* Print a byte of code, with the same instructions for each value. */
static void print_byte(const char *name, unsigned int byte)
{
	fputs(name, stdout);
	putchar("0123456789abcdef"[byte >> 4]);
	putchar("0123456789abcdef"[byte & 15]);
	putchar('\n');
}

static void print_nops(void)
{
	unsigned int byte;

	asm volatile("movzbl nop5(%%rip), %0" : "=r"(byte));
	print_byte("nop5 ", byte);
	asm volatile("movzbl nop10(%%rip), %0" : "=r"(byte));
	print_byte("nop10 ", byte);
}

int main(int argc, char **argv)
{
	volatile int times = argc > 1 ? atoi(argv[1]) : 10;
	long nr;

	signal(SIGUSR1, on_signal);
	while (argc > 2 && waiting)
		;
	for (volatile int i = 0; i < times; i++) {
		sum += probed(3);
		asm volatile("mov $3, %%edi; call branches; call nop5; call nop10" : : : "rdi");
		asm volatile("call calls_kernel" : "=a"(nr) : : "rcx", "r11", "memory");
		if (!sigsetjmp(out, 1))
			left();
	}
	mark_end();
	print_nops();
	marks_print();
	return 0;
}
