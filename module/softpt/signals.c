// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals of timers that are faster than the stepping of their handlers.
 *
 * A timer can be so fast that its next signal arrives before the handler of the
 * last one has been stepped. The program would then do nothing but handle signals
 * forever. softpt compares two numbers when a handler returns: the steps of the
 * program before this handler interrupted it, and the steps that the previous
 * handler took. If the program had fewer, softpt blocks signals until the program
 * has had as many. This is the grace. The program cannot see it, because softpt
 * restores the program's mask before a system call is entered and before the frame
 * of a handler is made.
 *
 * After a system call the signals of timers stay blocked, unless a signal
 * interrupted the system call. Other signals must not stay blocked: a program that
 * sends itself a signal expects it before the system call returns.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>

#include "softpt.h"

#define SPT_GRACE_MIN	64U
#define SPT_GRACE_MAX	65536U

static u64 spt_grace_steps(const struct spt_task *t)
{
	return clamp_t(u64, t->handler_steps, SPT_GRACE_MIN, SPT_GRACE_MAX);
}

/*
 * A handler was interrupted (SA_NODEFER), or the program left it by a jump. The
 * length of such a handler is unknown. So each signal that comes too soon doubles the
 * time that the next signal must wait.
 */
static void spt_signals_nested(struct spt_task *t, u64 since)
{
	if (since < SPT_GRACE_MAX)
		t->nested_grace = clamp_t(u64, 2 * t->nested_grace,
					  SPT_GRACE_MIN, SPT_GRACE_MAX);
	else
		t->nested_grace = SPT_GRACE_MIN;
	t->wants_grace = true;
}

/* Return whether the signal is one that setitimer(2) and timer_create(2) send. */
static bool spt_is_timers(int sig, const struct kernel_siginfo *info)
{
	switch (sig) {
	case SIGALRM:
	case SIGVTALRM:
	case SIGPROF:
		return info->si_code == SI_KERNEL || info->si_code == SI_TIMER;
	}
	return info->si_code == SI_TIMER;
}

void spt_signals_delivered(struct spt_task *t, int sig,
			   const struct kernel_siginfo *info)
{
	bool timers = spt_is_timers(sig, info);
	u64 since = t->steps - t->delivered;

	if (timers) {
		t->delivered = t->steps;
		sigaddset(&t->timers, sig);
	}
	if (t->in_handler) {
		if (timers)
			spt_signals_nested(t, since);
		return;
	}
	t->in_handler = true;
	t->starved = t->handler_end &&
		     t->steps + 1 - t->handler_end < spt_grace_steps(t);
	t->handler_begin = t->steps;
}

/* Signals that an instruction can cause must not be blocked: force_sig_info(). */
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

/* Block the signals in @set until t->grace_end. */
static void spt_signals_wait(struct spt_task *t, sigset_t *set)
{
	if (t->grace)
		return;
	sigprocmask(SIG_BLOCK, set, &t->blocked);
	t->grace = true;
}

static void spt_signals_wait_all(struct spt_task *t)
{
	sigset_t set;

	spt_asynchronous(&set);
	spt_signals_wait(t, &set);
}

void spt_signals_wait_on(struct spt_task *t)
{
	spt_signals_wait(t, &t->timers);
}

void spt_signals_entered(struct spt_task *t)
{
	if (!t->wants_grace)
		return;
	t->wants_grace = false;
	t->grace_end = t->steps + t->nested_grace;
	spt_signals_wait_all(t);
}

void spt_signals_returned(struct spt_task *t)
{
	t->in_handler = false;
	t->handler_steps = t->steps - t->handler_begin;
	/* One more than the number of steps: 0 means that no handler has ended yet. */
	t->handler_end = t->steps + 1;
	if (t->starved) {
		t->grace_end = t->steps + spt_grace_steps(t);
		spt_signals_wait_all(t);
	} else if (t->steps < t->grace_end) {
		spt_signals_wait_on(t);
	}
}

static bool spt_is_interrupted(long ret)
{
	switch (-ret) {
	case EINTR:
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
	case ERESTART_RESTARTBLOCK:
		return true;
	}
	return false;
}

bool spt_signals_still_wait(const struct spt_task *t, long ret)
{
	return t->steps < t->grace_end && !t->grace && !spt_is_interrupted(ret);
}

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

void spt_signals_end(struct spt_task *t)
{
	t->grace_end = 0;
	spt_signals_restore(t);
}

void spt_signals_restore_locked(struct spt_task *t)
{
	if (!t->grace)
		return;
	t->grace = false;
	current->blocked = t->blocked;
	recalc_sigpending();
}
