// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer can be so fast that its next signal is there before the handler has
 * been stepped. The program would then do nothing but handle signals, for good.
 * So when a handler returns that had interrupted the program after less steps
 * than the handler before it took, signals wait until the program has had as
 * many: they are blocked, and the program cannot see it, for the mask is
 * restored before a system call is entered and before a handler's frame is made.
 */
#include <linux/minmax.h>
#include <linux/sched/signal.h>

#include "softpt.h"

#define SPT_GRACE_MIN	64U
#define SPT_GRACE_MAX	65536U

static u64 spt_grace_steps(const struct spt_task *t)
{
	return clamp_t(u64, t->handler_steps, SPT_GRACE_MIN, SPT_GRACE_MAX);
}

void spt_signals_delivered(struct spt_task *t)
{
	/* A handler that is interrupted itself */
	if (t->in_handler)
		return;
	t->in_handler = true;
	t->starved = t->handler_end &&
		     t->steps - t->handler_end < spt_grace_steps(t);
	t->handler_begin = t->steps;
}

/* Those that an instruction may cause must not be blocked: force_sig_info(). */
static void spt_asynchronous(sigset_t *set)
{
	sigfillset(set);
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGBUS);
	sigdelset(set, SIGILL);
	sigdelset(set, SIGFPE);
	sigdelset(set, SIGTRAP);
	sigdelset(set, SIGSYS);
	sigdelset(set, SIGKILL);
	sigdelset(set, SIGSTOP);
}

void spt_signals_returned(struct spt_task *t)
{
	sigset_t set;

	t->in_handler = false;
	t->handler_steps = t->steps - t->handler_begin;
	/* 0 is never. */
	t->handler_end = t->steps + 1;
	if (!t->starved || t->grace)
		return;
	spt_asynchronous(&set);
	sigprocmask(SIG_BLOCK, &set, &t->blocked);
	t->grace_end = t->steps + spt_grace_steps(t);
	t->grace = true;
}

/* Or tracing has ended meanwhile: then there are no more steps. */
bool spt_signals_are_due(const struct spt_task *t)
{
	return t->grace && t->steps >= t->grace_end;
}

void spt_signals_restore(struct spt_task *t)
{
	if (!t->grace)
		return;
	t->grace = false;
	sigprocmask(SIG_SETMASK, &t->blocked, NULL);
}

void spt_signals_restore_locked(struct spt_task *t)
{
	if (!t->grace)
		return;
	t->grace = false;
	current->blocked = t->blocked;
	recalc_sigpending();
}
