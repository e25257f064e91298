// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions that fault, and that the kernel executes instead: those of UMIP
 * (fixup_umip_exception()), CLI and STI with iopl() (fixup_iopl_exception()). What
 * comes behind them is of each kind.
 */
#define _GNU_SOURCE
#include <sys/io.h>
#include <sys/syscall.h>

#include "mark.h"

MARK(0, passed)
MARK(1, end)

/* Behind them: nothing special, a branch that is taken, one that is not, ... */
#define TRY(insn)							\
	asm volatile("sub $256, %%rsp\n\t"				\
		     insn "; nop; nop\n\t"				\
		     "cmp %0, %0\n\t"					\
		     insn "; je 1f; ud2; 1:\n\t"			\
		     insn "; jne 1f; nop; 1:\n\t"			\
		     insn "; jmp 1f; ud2; 1:\n\t"			\
		     "mov $3, %%ecx\n\t"				\
		     insn "; 1: loop 1b\n\t"				\
		     insn "; call mark_passed\n\t"			\
		     "lea mark_passed(%%rip), %%rcx\n\t"		\
		     insn "; call *%%rcx\n\t"				\
		     "lea 1f(%%rip), %%rcx; push %%rcx\n\t"		\
		     insn "; ret; ud2; 1:\n\t"				\
		     "mov $110, %%eax\n\t"				\
		     insn "; syscall\n\t"				\
		     insn "; pushf; popf\n\t"				\
		     "cmp %0, %0\n\t"					\
		     insn ";" insn ";" insn "; je 1f; ud2; 1:\n\t"	\
		     "mov %%ss, %%ecx\n\t"				\
		     insn "; mov %%ecx, %%ss; nop\n\t"			\
		     "cmp %0, %0\n\t"					\
		     "mov %%ecx, %%ss;" insn "; je 1f; ud2; 1:\n\t"	\
		     "add $256, %%rsp" : : "r"(0L) :			\
		     "rax", "rcx", "rdx", "r11", "cc", "memory")

int main(void)
{
	for (int i = 0; i < 3; i++) {
		TRY("sgdt 64(%%rsp)");
		TRY("sidt 64(%%rsp)");
		TRY("sldt %%edx");
		TRY("str %%dx");
		TRY("smsw %%rdx");
		TRY("smsw 64(%%rsp)");
	}
	if (!iopl(3)) {
		for (int i = 0; i < 3; i++) {
			TRY("cli");
			TRY("sti");
		}
	}
	mark_end();
	marks_print();
	return 0;
}
