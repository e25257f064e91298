// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's hooks that call softpt: a die notifier for debug traps and INT3, and
 * tracepoints for system calls and signals. They are registered only while an event
 * exists; otherwise no task is slower than without the module.
 */
#include <linux/err.h>
#include <linux/kdebug.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <asm/debugreg.h>
#include <asm/unistd.h>

#include "softpt.h"

/*
 * Hide the step from everybody else. ptrace_triggered() has handled data
 * breakpoints already. If a step and a breakpoint of the next instruction come
 * together, hw_breakpoint_handler() leaves the breakpoint's bit set; that breakpoint
 * will trap again.
 */
static int spt_swallow(unsigned long *dr6)
{
	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	current->thread.virtual_dr6 &= ~DR_STEP;
	return *dr6 || current->thread.virtual_dr6 & DR_TRAP_BITS ?
	       NOTIFY_DONE : NOTIFY_STOP;
}

static int spt_debug(struct pt_regs *regs, unsigned long *dr6)
{
	struct spt_cpu *c = spt_current();
	struct spt_task *t;
	bool shared;

	if (!c)
		return NOTIFY_DONE;
	t = c->task;
	if (!(*dr6 & DR_STEP)) {
		spt_trace_trap(c, regs);
		return NOTIFY_DONE;
	}
	if (t->in_block && spt_btf_waits(t, regs->ip)) {
		int ret = spt_swallow(dr6);

		/* A data breakpoint is also a trap. */
		if (ret == NOTIFY_DONE)
			spt_trace_trap(c, regs);
		return ret;
	}
	/* uprobes step the task themselves. Our work will see where the step led to. */
	if (!t->stepping || spt_code_in_uprobe()) {
		spt_task_queue(t);
		return NOTIFY_DONE;
	}
	/* A debugger, or the program itself, must see the steps that it asked for. */
	shared = t->user_tf || test_thread_flag(TIF_SINGLESTEP);
	if (shared && t->branches_only) {
		shared = spt_place_has_branched(t, regs->ip);
		/* The debugger gets one trap, as without softpt. */
		t->branches_only = !shared;
	}
	spt_trace_step(c, regs);
	return shared ? NOTIFY_DONE : spt_swallow(dr6);
}

static int spt_die(struct notifier_block *nb, unsigned long val, void *data)
{
	struct die_args *args = data;
	struct spt_cpu *c;

	if (!args->regs || !user_mode(args->regs))
		return NOTIFY_DONE;
	switch (val) {
	case DIE_DEBUG:
		/* notify_debug() passes the address of its dr6. */
		return spt_debug(args->regs, (unsigned long *)args->err);
	case DIE_INT3:
		c = spt_current();
		if (c)
			spt_trace_int3(c, args->regs);
		break;
	}
	return NOTIFY_DONE;
}

/* Runs before the notifier of uprobes, which has the priority INT_MAX - 1. */
static struct notifier_block spt_die_nb = {
	.notifier_call = spt_die,
	.priority = INT_MAX,
};

static bool is_sigreturn(struct pt_regs *regs, long id)
{
#ifdef CONFIG_IA32_EMULATION
	/* __NR_ia32_sigreturn, __NR_ia32_rt_sigreturn */
	if (in_ia32_syscall())
		return id == 119 || id == 173;
#endif
	return (id & ~__X32_SYSCALL_BIT) == __NR_rt_sigreturn ||
	       id == (__X32_SYSCALL_BIT | 513);
}

/* Probe of the tracepoint sys_enter. A debugger or seccomp may have run before it. */
static void spt_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct spt_task *t = NULL;
	struct spt_cpu *c;

	local_irq_disable();
	c = spt_current();
	if (c) {
		t = c->task;
		t->sigreturn = is_sigreturn(regs, id);
		spt_trace_pause(c, regs);
		spt_trace_settle(c, regs);
		if (!t->grace)
			t = NULL;
		else
			refcount_inc(&t->ref);
	}
	local_irq_enable();
	if (t) {
		spt_signals_restore(t);
		spt_task_put(t);
	}
}

static void spt_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct spt_task *t = NULL;
	bool sigreturn = false;
	struct spt_cpu *c;

	local_irq_disable();
	c = spt_current();
	if (c) {
		spt_trace_pause(c, regs);
		spt_trace_settle(c, regs);
		spt_task_queue(c->task);
		sigreturn = c->task->sigreturn;
		c->task->sigreturn = false;
		if (sigreturn || spt_signals_still_wait(c->task, ret)) {
			t = c->task;
			refcount_inc(&t->ref);
		}
	}
	local_irq_enable();
	if (!t)
		return;
	if (sigreturn)
		spt_signals_returned(t);
	else
		spt_signals_wait_on(t);
	spt_task_put(t);
}

/* Probe of signal_deliver. Runs with siglock held, before the kernel makes the frame. */
static void spt_signal_deliver(void *data, int sig, struct kernel_siginfo *info,
			       struct k_sigaction *ka)
{
	struct spt_cpu *c = spt_current();
	struct pt_regs *regs = current_pt_regs();

	if (!c)
		return;
	spt_signals_restore_locked(c->task);
	/* SI_KERNEL: force_sig(SIGTRAP). For other signals, @info may not be a valid pointer. */
	spt_trace_signal(c, regs, sig == SIGTRAP && info->si_code == SI_KERNEL);
	spt_trace_settle(c, regs);
	if (ka->sa.sa_handler != SIG_IGN && ka->sa.sa_handler != SIG_DFL)
		spt_signals_delivered(c->task, sig, info);
	spt_task_queue(c->task);
}

static struct spt_hook {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} spt_hooks[] = {
	{ .name = "sys_enter", .probe = spt_sys_enter },
	{ .name = "sys_exit", .probe = spt_sys_exit },
	{ .name = "signal_deliver", .probe = spt_signal_deliver },
};

static DEFINE_MUTEX(spt_hooks_lock);
static unsigned int spt_hooks_users;

static void spt_hook_match(struct tracepoint *tp, void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spt_hooks); i++) {
		if (!strcmp(tp->name, spt_hooks[i].name))
			spt_hooks[i].tp = tp;
	}
}

int spt_hooks_find(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(spt_hook_match, NULL);
	for (i = 0; i < ARRAY_SIZE(spt_hooks); i++) {
		if (spt_hooks[i].tp)
			continue;
		pr_err("this kernel has no tracepoint %s: build it with CONFIG_FTRACE_SYSCALLS\n",
		       spt_hooks[i].name);
		return -EOPNOTSUPP;
	}
	return 0;
}

static void spt_unhook(unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(spt_hooks[n].tp,
					    spt_hooks[n].probe, NULL);
	tracepoint_synchronize_unregister();
	unregister_die_notifier(&spt_die_nb);
}

static int spt_hook(void)
{
	unsigned int i;
	int ret;

	ret = register_die_notifier(&spt_die_nb);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(spt_hooks); i++) {
		ret = tracepoint_probe_register(spt_hooks[i].tp,
						spt_hooks[i].probe, NULL);
		if (ret) {
			spt_unhook(i);
			return ret;
		}
	}
	return 0;
}

int spt_hooks_get(void)
{
	int ret = 0;

	mutex_lock(&spt_hooks_lock);
	if (!spt_hooks_users)
		ret = spt_hook();
	if (!ret)
		spt_hooks_users++;
	mutex_unlock(&spt_hooks_lock);
	return ret;
}

void spt_hooks_put(void)
{
	mutex_lock(&spt_hooks_lock);
	if (!--spt_hooks_users)
		spt_unhook(ARRAY_SIZE(spt_hooks));
	mutex_unlock(&spt_hooks_lock);
}
