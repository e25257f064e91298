// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that goes all ways into and out of a handler, with the same
 * instructions each time.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "mark.h"

#define TF	0x100

MARK(0, outer)
MARK(1, inner)
MARK(2, alternate)
MARK(3, jumped)
MARK(4, fault)
MARK(5, again)
MARK(6, moved)
MARK(7, end)

static sigjmp_buf out;
static char *page;

static void check_flags(void *context)
{
	ucontext_t *uc = context;

	CHECK(!(uc->uc_mcontext.gregs[REG_EFL] & TF));
}

static void inner(int sig, siginfo_t *info, void *context)
{
	mark_inner();
	check_flags(context);
}

static void outer(int sig, siginfo_t *info, void *context)
{
	mark_outer();
	check_flags(context);
	raise(SIGUSR2);
}

static void alternate(int sig, siginfo_t *info, void *context)
{
	mark_alternate();
	check_flags(context);
}

static void jump(int sig, siginfo_t *info, void *context)
{
	mark_jumped();
	siglongjmp(out, 1);
}

/* The instruction is executed again, and works then. */
static void repair(int sig, siginfo_t *info, void *context)
{
	mark_fault();
	check_flags(context);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

/* Continue after UD2. */
static void skip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	mark_moved();
	check_flags(context);
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static void on(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &sa, NULL);
}

int main(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	sigset_t set, old;

	sigaltstack(&ss, NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	on(SIGUSR1, outer, 0);
	on(SIGUSR2, inner, 0);
	on(SIGALRM, alternate, SA_ONSTACK);
	on(SIGHUP, jump, SA_NODEFER);
	on(SIGSEGV, repair, SA_ONSTACK);
	on(SIGILL, skip, SA_RESETHAND);
	for (int i = 0; i < 5; i++) {
		raise(SIGUSR1);
		raise(SIGALRM);
		if (!sigsetjmp(out, 1))
			raise(SIGHUP);
		mprotect(page, 4096, PROT_NONE);
		*(volatile char *)page = 1;
		on(SIGILL, skip, SA_RESETHAND);
		asm volatile("ud2");
		/* Two signals together, when they are unblocked */
		sigfillset(&set);
		sigprocmask(SIG_BLOCK, &set, &old);
		raise(SIGUSR1);
		raise(SIGALRM);
		sigprocmask(SIG_SETMASK, &old, NULL);
		mark_again();
	}
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	mark_end();
	marks_print();
	return 0;
}
