// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places: the addresses at which a task can continue, and the place from which a
 * step came.
 */
#include <linux/errno.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <uapi/asm/vsyscall.h>

#include "softpt.h"

void spt_place_set(struct spt_task *t, u64 ip)
{
	t->places[0] = ip;
	t->nr_places = 1;
}

bool spt_place_is(const struct spt_task *t, u64 ip)
{
	unsigned int i;

	for (i = 0; i < t->nr_places; i++) {
		if (t->places[i] == ip)
			return true;
	}
	return false;
}

/* Return how likely the instruction at @ip has led to @next; 0 is hardly likely. */
static int spt_place_likely(const struct spt_task *t, u64 ip, u64 next)
{
	struct spt_insn insn;
	unsigned int length;

	spt_code_read(t, &insn, ip);
	if (spt_insn_is_late(&insn))
		return next - ip <= 2 * SPT_INSN_MAX ? 2 : 1;
	switch (insn.class) {
	case SPT_JUMP:
	case SPT_CALL:
		return next == insn.target ? 3 : 0;
	case SPT_BRANCH:
		return next == insn.target || next == ip + insn.length ? 3 : 0;
	case SPT_PUSHF:
	case SPT_POPF:
	case SPT_SYSCALL:
		return next == ip + insn.length ? 3 : 0;
	case SPT_JUMP_INDIRECT:
	case SPT_CALL_INDIRECT:
	case SPT_RETURN:
	case SPT_FAR:
		return 1;
	case SPT_OTHER:
		length = spt_code_length(t, ip);
		if (length)
			return next == ip + length || next == ip ? 3 : 0;
		break;
	case SPT_MOV_SS:
	case SPT_INT3:
	case SPT_BAD:
		break;
	}
	return next - ip <= SPT_INSN_MAX ? 2 : 0;
}

u64 spt_place_from(const struct spt_task *t, u64 next)
{
	unsigned int i, best = 0;
	int most = -1;

	if (t->nr_places == 1)
		return t->places[0];
	for (i = 0; i < t->nr_places; i++) {
		int likely = spt_place_likely(t, t->places[i], next);

		if (likely > most) {
			most = likely;
			best = i;
		}
	}
	return t->places[best];
}

/* The kernel emulates this page in page faults, see emulate_vsyscall(). */
bool spt_place_is_vsyscall(u64 ip)
{
	return (ip & PAGE_MASK) == VSYSCALL_ADDR;
}

/* The emulated call ends with a return, without a step. */
u64 spt_place_after_vsyscall(const struct pt_regs *regs)
{
	u64 ip = 0;

	if (copy_from_user_nofault(&ip, (void __user *)regs->sp, sizeof(ip)))
		return regs->ip;
	return ip;
}

/* Same as syscall_get_error(), see arch_do_signal_or_restart() */
static bool spt_may_restart(struct pt_regs *regs)
{
	if ((int)regs->orig_ax == -1)
		return false;
	switch (-(int)regs->ax) {
	case ERESTART_RESTARTBLOCK:
	case ERESTARTNOHAND:
	case ERESTARTSYS:
	case ERESTARTNOINTR:
		return true;
	}
	return false;
}

/* The kernel may abort a section of rseq at the return from any interrupt. */
void spt_place_or_abort(struct spt_task *t, u64 ip)
{
	u64 abort = spt_code_rseq_abort(t, ip);

	if (abort)
		t->places[t->nr_places++] = abort;
}

void spt_place_find(struct spt_task *t, struct pt_regs *regs)
{
	spt_place_set(t, regs->ip);
	if (spt_place_is_vsyscall(regs->ip)) {
		spt_place_set(t, spt_place_after_vsyscall(regs));
		return;
	}
	if (spt_may_restart(regs))
		t->places[t->nr_places++] = regs->ip - SPT_SYSCALL_SIZE;
	spt_place_or_abort(t, regs->ip);
}

/*
 * Return whether the kernel has restarted the system call after our work
 * (get_signal() runs the work first), and the system call has led back here. In the
 * restarted system call regs->ax has no error that would ask for a restart.
 */
bool spt_place_is_restarted(const struct spt_task *t, struct pt_regs *regs)
{
	return t->nr_places > 1 && t->places[0] == regs->ip &&
	       t->places[1] == regs->ip - SPT_SYSCALL_SIZE &&
	       (int)regs->orig_ax != -1 && !spt_may_restart(regs);
}

bool spt_place_has_branched(const struct spt_task *t, u64 next)
{
	u64 from = spt_place_from(t, next);
	struct spt_insn insn;

	if (t->silent)
		return false;
	spt_code_read(t, &insn, from);
	if (insn.class == SPT_BRANCH)
		return next != from + insn.length;
	/* If unsure, stop once too often rather than never. */
	return spt_insn_is_jump(&insn) || insn.class == SPT_FAR || insn.cut;
}

bool spt_place_has_code(const struct spt_task *t)
{
	unsigned int i, late;

	if (t->known)
		return true;
	for (i = 0; i < t->nr_places; i++) {
		u64 ip = t->places[i];
		struct spt_insn insn;

		spt_code_read(t, &insn, ip);
		for (late = 0; late < SPT_LATE_MAX && spt_insn_is_late(&insn); late++) {
			ip += insn.length;
			spt_code_read(t, &insn, ip);
		}
		if (insn.cut)
			return false;
	}
	return true;
}
