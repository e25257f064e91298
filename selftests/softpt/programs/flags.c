// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that looks for TF in all places where it can see its flags. It never
 * sets TF.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mark.h"

#define TF	0x100

MARK(0, looked)
MARK(1, handler)

static void look(uint64_t flags)
{
	CHECK(!(flags & TF));
	mark_looked();
}

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	look(uc->uc_mcontext.gregs[REG_EFL]);
	mark_handler();
	look(__builtin_ia32_readeflags_u64());
}

static uint64_t after_syscall(long nr)
{
	uint64_t flags;

	asm volatile("syscall\n\tmov %%r11, %0" : "=r"(flags), "+a"(nr) : : "rcx",
		     "r11", "memory");
	return flags;
}

/* An argument means that the kernel has INT 0x80. */
int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	uint16_t word;
	uint64_t flags;

	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 10; i++) {
		look(__builtin_ia32_readeflags_u64());
		asm volatile("pushfw\n\tpopw %0" : "=r"(word));
		look(word);
		/* POPF twice, while an older copy of the flags stays on the stack. */
		asm volatile("pushf; pushf; popf; pushf; popf; pop %0" : "=r"(flags));
		look(flags);
		asm volatile("pushf; orq $0x10, (%%rsp); popf; pushf; pop %0" : "=r"(flags));
		look(flags);
		look(after_syscall(SYS_getppid));
		look(after_syscall(-1));
		raise(SIGUSR1);
		look(__builtin_ia32_readeflags_u64());
		if (argc == 1)
			continue;
		asm volatile("int $0x80; pushf; pop %0" : "=r"(flags) : "a"(20) : "memory");
		look(flags);
	}
	marks_print();
	return 0;
}
