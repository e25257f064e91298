// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with instructions that fault and that the kernel executes instead:
 * those of UMIP (fixup_umip_exception()), and CLI and STI with iopl()
 * (fixup_iopl_exception()). Instructions of each kind follow them.
 */
#define _GNU_SOURCE
#include <sys/io.h>
#include <sys/syscall.h>

#include "mark.h"

MARK(0, passed)
MARK(1, tried)
MARK(2, end)

/* Put different things after the instruction: NOPs, a branch that is taken, one that is not ... */
#define TRY(insn) do {							\
	mark_tried();							\
	asm volatile(".macro tried; " insn "; .endm\n\t"		\
		     "sub $256, %%rsp\n\t"				\
		     "tried; nop; nop\n\t"				\
		     "cmp %0, %0\n\t"					\
		     "tried; je 1f; ud2; 1:\n\t"			\
		     "tried; jne 1f; nop; 1:\n\t"			\
		     "tried; jmp 1f; ud2; 1:\n\t"			\
		     "mov $3, %%ecx\n\t"				\
		     "tried; 1: loop 1b\n\t"				\
		     "tried; call mark_passed\n\t"			\
		     "lea mark_passed(%%rip), %%rcx\n\t"		\
		     "tried; call *%%rcx\n\t"				\
		     "lea 1f(%%rip), %%rcx; push %%rcx\n\t"		\
		     "tried; ret; ud2; 1:\n\t"				\
		     "mov $110, %%eax\n\t"				\
		     "tried; syscall\n\t"				\
		     "tried; pushf; popf\n\t"				\
		     "cmp %0, %0\n\t"					\
		     "tried; tried; tried; je 1f; ud2; 1:\n\t"		\
		     "mov %%ss, %%ecx\n\t"				\
		     "tried; mov %%ecx, %%ss; nop\n\t"			\
		     "cmp %0, %0\n\t"					\
		     "mov %%ecx, %%ss; tried; je 1f; ud2; 1:\n\t"	\
		     "add $256, %%rsp\n\t"				\
		     ".purgem tried" : : "r"(0L) :			\
		     "rax", "rcx", "rdx", "r11", "cc", "memory");	\
} while (0)

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
