// SPDX-License-Identifier: GPL-2.0-only
/* A program whose system calls do not take the usual way: seccomp, and user dispatch. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mark.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#endif

#define TF	0x100

MARK(0, trapped)
MARK(1, dispatched)
MARK(2, called)

static char selector;

static void on_sys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	CHECK(!(uc->uc_mcontext.gregs[REG_EFL] & TF));
	/* SYSCALL has saved the flags there. */
	CHECK(!(uc->uc_mcontext.gregs[REG_R11] & TF));
	if (selector) {
		selector = 0;
		mark_dispatched();
		uc->uc_mcontext.gregs[REG_RAX] = 17;
		/* rt_sigreturn is also a system call */
		return;
	}
	mark_trapped();
	uc->uc_mcontext.gregs[REG_RAX] = 42;
}

static long call(long nr)
{
	mark_called();
	return syscall(nr);
}

static void user_dispatch(void)
{
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector))
		return;
	for (int i = 0; i < 3; i++) {
		CHECK(call(SYS_getppid) != 17);
		selector = 1;
		CHECK(call(SYS_getppid) == 17);
	}
	CHECK(!prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0));
}

static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgrp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 99),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sync, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog));
	for (int i = 0; i < 3; i++) {
		CHECK(call(SYS_getppid) == 42);
		CHECK(call(SYS_getpgrp) == -1 && errno == 99);
		CHECK(call(SYS_getuid) == (long)getuid());
		/*
		 * ENOSYS without a tracer; with a tracer, the result that the
		 * tracer sets
		 */
		call(SYS_sync);
	}
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &sa, NULL);
	user_dispatch();
	filter();
	marks_print();
	return 0;
}
