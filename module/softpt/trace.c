// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core of softpt: what to do when a stepped task traps, enters the kernel, and
 * is about to leave the kernel.
 *
 * A flow begins with the first instruction that was executed, not when the task is
 * about to continue. Until then the kernel may still change the address (a
 * restarted system call, rseq), and often no instruction is executed at all.
 *
 * If TF is set (stepping), the next instruction is at one of the places, and the
 * flow, if inside, is at the first place. If TF is not set, no instruction is
 * executed except the held one, and the flow, if inside, is at the held
 * instruction. All functions are called with interrupts off.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include "softpt.h"

/* Return the address of the flow, while TF is set and the flow is inside (struct spt_flow). */
static u64 spt_flow_at(const struct spt_task *t)
{
	if (t->held)
		return t->held_ip;
	return t->pair != SPT_PAIR_NONE ? t->pair_ip : t->places[0];
}

static void spt_hold(struct spt_task *t, u64 ip)
{
	t->held = true;
	t->held_read = false;
	t->held_ip = ip;
}

/*
 * Hide TF from the program. SYSCALL saves the flags in R11 and the return address
 * in RCX. This must be done before anybody looks at them: a debugger, seccomp, and
 * the dispatch to user space come before the tracepoint (syscall_trace_enter()).
 */
static void spt_hide_tf(struct pt_regs *regs)
{
	if (regs->r11 == regs->flags && regs->cx == regs->ip)
		regs->r11 &= ~X86_EFLAGS_TF;
	regs->flags &= ~X86_EFLAGS_TF;
}

static void spt_disarm(struct spt_task *t, struct pt_regs *regs)
{
	if (t->branches_only)
		spt_btf_set(true);
	t->branches_only = false;
	if (t->stepping && !t->user_tf && !test_thread_flag(TIF_SINGLESTEP))
		spt_hide_tf(regs);
	t->stepping = false;
}

/* Return whether the task is after a held INT3, which may be the two bytes of INT 3. */
static bool spt_is_behind_int3(const struct spt_task *t, const struct pt_regs *regs)
{
	if (!t->held)
		return false;
	return regs->ip == t->held_ip + 1 ||
	       (t->held_read && t->held_insn.class == SPT_SYSCALL &&
		regs->ip == t->held_ip + t->held_insn.length);
}

/*
 * The held INT3 is not a uprobe. The program's own INT3 is a far transfer into the
 * kernel and is encoded like a system call. A debugger's INT3 is not in the file,
 * see read_held(): decoders find the instruction there that the INT3 has replaced,
 * and which was not executed.
 */
static void spt_end_int3(struct spt_cpu *c)
{
	struct spt_task *t = c->task;

	t->held = false;
	if (!t->held_read || (t->held_insn.class != SPT_INT3 &&
			      t->held_insn.class != SPT_SYSCALL)) {
		spt_encode_end_at(c, t->held_ip);
		return;
	}
	if (!c->e->flow.inside)
		spt_encode_begin(c, t->held_ip);
	spt_flow_end(&c->e->flow);
	spt_output(c);
}

/*
 * An INT3 that belongs to the program or to its debugger, and not to a uprobe, leads
 * to SIGTRAP (do_int3(), handle_swbp()). A debugger may take that signal away, and
 * then spt_trace_signal() is not called.
 */
static void spt_drop_int3(struct spt_cpu *c, struct pt_regs *regs)
{
	if (spt_is_behind_int3(c->task, regs) &&
	    sigismember(&current->pending.signal, SIGTRAP))
		spt_end_int3(c);
}

/* The pair was the program's own: encode its LEA. */
static void spt_tell_pair(struct spt_cpu *c, struct pt_regs *regs)
{
	const struct spt_insn insn = { .class = SPT_OTHER };
	struct spt_task *t = c->task;

	if (t->pair != SPT_PAIR_PROGRAM)
		return;
	t->pair = SPT_PAIR_NONE;
	if (c->e->flow.stopped)
		return;
	spt_encode_come_to(c, t->pair_ip);
	spt_encode_insn(c, &insn, t->pair_ip, t->pair_ip + SPT_LEA_SIZE);
	spt_trace_settle(c, regs);
}

/* Begin a block if the task has a single place and nobody else wants to see each step. */
static void spt_enter_block(struct spt_task *t)
{
	if (!spt_btf_may_work() || !t->stepping || t->user_tf ||
	    test_thread_flag(TIF_SINGLESTEP) || t->silent || t->held ||
	    t->pair != SPT_PAIR_NONE || t->nr_places != 1 || t->has_sections ||
	    spt_place_is_vsyscall(t->places[0]))
		return;
	t->in_block = spt_btf_begin(&t->block, t->places[0], t->is64);
	t->model_ip = t->places[0];
}

static void spt_resume(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;

	spt_drop_int3(c, regs);
	spt_tell_pair(c, regs);
	/* If there was no room, c->event is NULL now. */
	if (!c->event)
		return;
	/* While uprobes step, they would take our TF for the program's own. */
	if (t->stepping || c->e->flow.stopped || spt_code_in_uprobe())
		return;
	t->is64 = user_64bit_mode(regs);
	t->user_tf = regs->flags & X86_EFLAGS_TF;
	regs->flags |= X86_EFLAGS_TF;
	/* A step of a debugger or of the program ends where it ends without softpt. */
	t->early = t->user_tf && pa_traps_at_return(regs);
	if (!t->user_tf)
		pa_trap_after_return(regs);
	t->stepping = true;
	t->silent = spt_code_is_uprobes(t, regs->ip);
	if (regs->ip != t->pair_ip + SPT_LEA_SIZE)
		t->pair = SPT_PAIR_NONE;
	spt_place_find(t, regs);
	/*
	 * PTRACE_SINGLEBLOCK: step each instruction, and pass fewer traps to the
	 * debugger.
	 */
	t->branches_only = test_thread_flag(TIF_BLOCKSTEP) && spt_btf_may_work();
	if (t->branches_only)
		spt_btf_set(false);
	spt_enter_block(t);
}

/* Hide TF where the program could see it, and note whether the program sets TF itself. */
static void spt_watch_flags(struct spt_task *t, struct pt_regs *regs,
			    const struct spt_insn *insn, u64 ip)
{
	u8 __user *tf = (u8 __user *)regs->sp + 1;
	u8 byte;

	switch (insn->class) {
	case SPT_PUSHF:
		if (t->user_tf || copy_from_user_nofault(&byte, tf, 1))
			return;
		byte &= ~(X86_EFLAGS_TF >> 8);
		/* The program has just written to the page, so it is in memory. */
		if (copy_to_user_nofault(tf, &byte, 1))
			return;
		break;
	case SPT_POPF:
		t->user_tf = regs->flags & X86_EFLAGS_TF;
		break;
	case SPT_FAR:
		if (!(regs->flags & X86_EFLAGS_TF))
			t->user_tf = false;
		else if (spt_code_is_iret(t, ip))
			t->user_tf = true;
		break;
	default:
		break;
	}
}

/* The CALL of a pair was stepped. Hold the NOP that LEA and CALL have replaced. */
static void spt_stepped_pair(struct spt_task *t, u64 next)
{
	spt_hold(t, t->pair_ip);
	t->held_insn = (struct spt_insn){ .class = SPT_OTHER };
	t->held_read = true;
	t->silent = true;
	t->pair = SPT_PAIR_NONE;
	spt_code_at_trampoline(t, next);
}

static void spt_stepped(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;
	struct spt_insn insn;
	u64 next = regs->ip;
	u64 from = spt_place_from(t, next);

	if (t->pair == SPT_PAIR_UPROBE) {
		spt_stepped_pair(t, next);
		return;
	}
	spt_encode_moved(c, from);
	spt_encode_come_to(c, from);
	from = spt_encode_catch_up(c, &insn, from, next, true);
	if (insn.class == SPT_OTHER && next == from + SPT_LEA_SIZE &&
	    spt_code_may_be_pair(t, from)) {
		t->pair = SPT_PAIR_MAYBE;
		t->pair_ip = from;
		spt_place_set(t, next);
		return;
	}
	if (spt_code_is_uprobes(t, next)) {
		spt_hold(t, from);
		t->held_insn = insn;
		t->held_read = insn.class != SPT_CALL;
		t->silent = true;
		return;
	}
	if (spt_code_may_be_probe(&insn)) {
		spt_hold(t, from);
		t->held_insn = insn;
		t->suspicious = true;
		spt_place_set(t, next);
		return;
	}
	/* Up to here, the instruction is decoded in the mode in which it was executed. */
	spt_watch_flags(t, regs, &insn, from);
	t->is64 = user_64bit_mode(regs);
	spt_flow_mode(&c->e->flow, t->is64);
	spt_encode_insn(c, &insn, from, next);
	if (spt_place_is_vsyscall(next)) {
		spt_encode_end_at(c, next);
		next = spt_place_after_vsyscall(regs);
	}
	spt_place_set(t, next);
	spt_place_or_abort(t, next);
}

/* Encode the step that has led to regs->ip. */
static void spt_tell_step(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;

	if (t->early && spt_place_is(t, regs->ip)) {
		/* No instruction was executed. */
	} else if (!t->silent) {
		spt_stepped(c, regs);
	} else if (!spt_code_is_uprobes(t, regs->ip)) {
		t->silent = false;
		spt_place_set(t, regs->ip);
	}
	t->early = false;
	spt_code_forget(t);
	if (spt_code_is_stale(t) || (t->held && !t->held_read) ||
	    t->pair == SPT_PAIR_MAYBE || spt_signals_are_due(t))
		spt_task_queue(t);
	regs->flags |= X86_EFLAGS_TF;
	if (c->e->flow.stopped) {
		spt_disarm(t, regs);
		if (t->grace)
			spt_task_queue(t);
	} else {
		spt_trace_settle(c, regs);
	}
}

/*
 * The code that was executed may not be in memory any more: the kernel has
 * reclaimed its page, the file system has dropped it from the page cache, or NUMA
 * balancing wants to see the next access (change_prot_numa()). No page can be read
 * in here, because die notifiers are called with rcu_read_lock() held
 * (atomic_notifier_call_chain()). The step is therefore put off until our task
 * work, which runs before the task continues and before it takes a signal
 * (get_signal()).
 */
void spt_trace_step(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;

	spt_encode_count(c);
	spt_encode_block(c, regs->ip, true);
	if (!t->silent) {
		spt_code_take(t);
		if (!spt_place_has_code(t)) {
			spt_code_forget(t);
			t->put_off = true;
			t->put_off_flags = regs->flags;
			spt_task_queue(t);
			return;
		}
	}
	spt_tell_step(c, regs);
	spt_enter_block(t);
}

/*
 * Encode a step that was put off. spt_code_fetch() has read its code, if the code
 * exists.
 */
static void spt_tell_step_late(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;
	bool paused = !t->stepping;

	t->put_off = false;
	/* Meanwhile spt_disarm() has cleared TF, even if POPF or IRET had set it. */
	if (paused)
		regs->flags |= t->put_off_flags & X86_EFLAGS_TF;
	t->stepping = true;
	spt_tell_step(c, regs);
	if (paused)
		spt_disarm(t, regs);
	else
		spt_enter_block(t);
}

void spt_trace_resume(struct spt_cpu *c, struct pt_regs *regs)
{
	if (c->task->put_off)
		spt_tell_step_late(c, regs);
	/* There may be no room any more, then c->event is NULL. */
	if (c->event)
		spt_resume(c, regs);
}

void spt_trace_trap(struct spt_cpu *c, struct pt_regs *regs)
{
	spt_encode_block(c, regs->ip, false);
}

/*
 * TF must be cleared before uprobes look at the flags: arch_uprobe_pre_xol() would
 * take TF for the program's own and send SIGTRAP. If the INT3 is the program's own,
 * a signal follows.
 */
void spt_trace_int3(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;
	struct spt_insn insn;
	u64 from;

	if (!t->stepping)
		return;
	spt_encode_block(c, regs->ip - 1, false);
	if (!t->silent) {
		from = spt_place_from(t, regs->ip);
		spt_encode_moved(c, from);
		spt_encode_come_to(c, from);
		/* INT3 is one byte long, so its address is known. */
		from = spt_encode_catch_up(c, &insn, from, regs->ip - 1, false);
		if (insn.cut && from != regs->ip - 1) {
			spt_encode_lost(c, from);
			from = regs->ip - 1;
		}
		spt_hold(t, from);
	}
	spt_disarm(t, regs);
	spt_trace_settle(c, regs);
	spt_task_queue(t);
}

/*
 * Return whether a system call at @ip has led into the kernel, even if the code at @ip
 * cannot be read. In a system call (orig_ax is not -1) the task continues after the
 * instruction of the system call, so no instruction that delays its trap is there. Not
 * for SYSENTER, which does not continue at the next instruction.
 */
static bool spt_is_syscall(const struct pt_regs *regs, u64 ip)
{
	return (int)regs->orig_ax != -1 && regs->ip == ip + SPT_SYSCALL_SIZE;
}

/*
 * End the flow at the kernel's entry. The instruction that led into the kernel may
 * or may not have been executed.
 */
static void spt_end(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;
	struct spt_insn insn;
	u64 from;

	spt_encode_block(c, regs->ip, false);
	if (t->pair != SPT_PAIR_NONE) {
		spt_encode_end_at(c, t->pair_ip);
		return;
	}
	if (spt_place_is_restarted(t, regs))
		spt_place_set(t, regs->ip - SPT_SYSCALL_SIZE);
	if (spt_place_is(t, regs->ip)) {
		spt_encode_moved(c, regs->ip);
		if (t->held)
			spt_encode_held(c, regs->ip);
		spt_encode_end_at(c, regs->ip);
		return;
	}
	/* A fault in the vsyscall page has not changed the task's address. */
	if (spt_place_is_vsyscall(regs->ip))
		return;
	from = spt_place_from(t, regs->ip);
	spt_code_read(t, &insn, from);
	if (insn.class != SPT_SYSCALL && !spt_insn_is_late(&insn) && !insn.cut &&
	    !c->e->flow.inside && !t->held)
		return;
	spt_encode_moved(c, from);
	spt_encode_come_to(c, from);
	from = spt_encode_catch_up(c, &insn, from, regs->ip, false);
	if (insn.cut && spt_is_syscall(regs, from)) {
		insn.class = SPT_SYSCALL;
	} else if (insn.cut && from != regs->ip) {
		spt_encode_lost(c, from);
		return;
	}
	if (insn.class == SPT_SYSCALL && from != regs->ip) {
		spt_flow_end(&c->e->flow);
		spt_output(c);
		return;
	}
	spt_encode_end_at(c, from);
}

void spt_trace_pause(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;

	/* Only the scheduler can come here before our work has run. */
	if (t->put_off) {
		spt_encode_end_at(c, spt_flow_at(t));
	} else if (!t->stepping || t->silent || t->suspicious) {
		spt_encode_end_at(c, t->held_ip);
	} else {
		spt_end(c, regs);
		t->held = false;
	}
	spt_disarm(t, regs);
	/* The work completes or drops this state. */
	if (t->held || t->silent || t->grace || t->pair != SPT_PAIR_NONE)
		spt_task_queue(t);
}

void spt_trace_signal(struct spt_cpu *c, struct pt_regs *regs, bool trapped)
{
	struct spt_task *t = c->task;

	/* The INT3 is not a uprobe; the program or its debugger has put it there. */
	if (trapped && spt_is_behind_int3(t, regs))
		spt_end_int3(c);
	spt_trace_pause(c, regs);
	t->held = false;
	t->silent = false;
	t->suspicious = false;
	t->pair = SPT_PAIR_NONE;
}

void spt_trace_settle(struct spt_cpu *c, struct pt_regs *regs)
{
	struct spt_task *t = c->task;
	bool inside = c->e->flow.inside;
	u64 ip = spt_flow_at(t);

	if (!spt_output_wants_turn(c))
		return;
	spt_encode_end_at(c, ip);
	if (!spt_output_turn(c)) {
		spt_disarm(t, regs);
		return;
	}
	if (inside)
		spt_encode_begin(c, ip);
}
