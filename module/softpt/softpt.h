/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * softpt.ko, the kernel's side of it: a PMU named intel_pt for processors that
 * have none. It steps the traced task by TF and writes what it sees as packets
 * (flow.h) through perf's AUX functions.
 *
 *	hooks.c		where the kernel calls us: traps, system calls, signals
 *	trace.c		what that means for the trace
 *	task.c		what is known of a task that is stepped
 *	code.c		reading the program's code
 *	btf.c		where the processor can trap behind branches only
 *	signals.c	timers that are faster than steps
 *	buffer.c	the AUX area
 *	pmu.c		perf's callbacks, filter.c its address filters
 *
 * An event of a task is active only on the CPU on which the task is current. So
 * what belongs to a CPU and to its current task is used with interrupts off, and
 * needs no lock. Nothing here runs in NMI, but for what spt_event_stop() refuses.
 */
#ifndef SOFTPT_H
#define SOFTPT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/signal_types.h>

#include "block.h"
#include "flow.h"
#include "insn.h"

/*
 * Room for what is written between two looks at how much there is: three begins
 * with PSB+, some steps, a block that leaves and enters each range, and an end.
 */
#define SPT_RESERVE	(10 * SPT_FLOW_MAX)

/* Addresses at which a task may go on: as it is, restarted, rseq's abort. */
#define SPT_PLACES	3

/*
 * LEA and CALL, of which only the first was executed. In the place of a NOP of 10
 * bytes they are a uprobe's (swbp_optimize() of 7.2).
 */
enum spt_pair {
	SPT_PAIR_NONE,
	SPT_PAIR_MAYBE,		/* until spt_code_refresh() */
	SPT_PAIR_UPROBE,	/* decoders see a NOP, which was not executed yet */
	SPT_PAIR_PROGRAM,	/* the program's own: LEA has still to be told */
};

/* An instruction, and mostly the one behind it. */
#define SPT_CODE_BYTES	(2 * SPT_INSN_MAX + 2)

/* Code of the program, as it was when it was read. */
struct spt_code {
	u64 ip;
	unsigned int n;		/* bytes that could be read */
	u8 bytes[SPT_CODE_BYTES];
};

/* What is known of a task that is, or was a moment ago, stepped. */
struct spt_task {
	refcount_t ref;
	struct hlist_node node;		/* while bound, see spt_task_bind() */
	struct task_struct *task;	/* last bound to; only to compare */
	unsigned int bound;
	struct callback_head work;
	bool queued;

	bool stepping;			/* TF is set, by us or for us as well */
	bool user_tf;			/* and somebody else wants it */
	bool early;			/* FRED: the first trap is before an instruction */
	bool is64;
	/* where the next instruction is: usually known, else one of them */
	u64 places[SPT_PLACES];
	unsigned int nr_places;

	/* of the places, while a step from there is told */
	struct spt_code code[SPT_PLACES];
	unsigned int nr_code;
	/*
	 * A step from one of the places is not told yet, as its code was not in
	 * memory: the work reads it, see spt_trace_step(). The flow is as it was
	 * before the step.
	 */
	bool put_off;
	unsigned long put_off_flags;	/* regs->flags of the trap */

	/*
	 * It has had critical sections of rseq, whose aborts would not be seen in a
	 * block: no more blocks.
	 */
	bool has_sections;
	bool in_block;			/* the next trap is behind a taken branch */
	bool branches_only;		/* for a debugger: PTRACE_SINGLEBLOCK */
	struct spt_block block;		/* from places[0] on */
	u64 model_ip;			/* btf.c */

	/*
	 * An instruction that uprobes execute, or have redirected: told when it
	 * is known where it has led to. Unless outside, the flow is there.
	 */
	bool held;
	bool held_read;			/* held_insn is valid */
	u64 held_ip;
	struct spt_insn held_insn;
	bool silent;			/* in the code of uprobes */

	/* uprobes' code in mm, see spt_code_refresh() */
	const struct mm_struct *mm;
	const void *area;
	u64 area_start;
	u64 area_end;
	u64 trampoline_start;		/* the last one */
	u64 trampoline_end;
	bool suspicious;		/* at places[0] there may be one */
	enum spt_pair pair;		/* if not NONE, places[0] is its CALL, */
	u64 pair_ip;			/* and the flow is here */

	/* signals.c; in steps */
	u64 steps;
	u64 handler_begin;
	u64 handler_end;
	u64 handler_steps;
	u64 delivered;
	u64 nested_grace;
	bool in_handler;
	bool starved;
	bool wants_grace;
	bool sigreturn;
	bool grace;
	u64 grace_end;
	sigset_t blocked;
	sigset_t timers;		/* signals that timers have sent */
};

/* perf_event::pmu_private */
struct spt_event {
	struct spt_flow flow;
	struct spt_task *task;		/* for the first of its tasks */
	const void *pinned;		/* the context, only to compare */
};

/* The event that is active on this CPU. */
struct spt_cpu {
	struct perf_output_handle handle;
	struct perf_event *event;	/* NULL: none, or no place to write to */
	struct spt_event *e;
	struct spt_task *task;		/* of current */
	unsigned long head;		/* of the handle, and the position */
	unsigned long pos;		/* behind it, both as handle->head */
	unsigned long limit;
	bool overwrite;
	bool lost;			/* this piece is TRUNCATED, and has to end */
	/* active, but there is no place to write to: looked for by the timer */
	struct perf_event *waiting;
	struct hrtimer retry;
};

DECLARE_PER_CPU(struct spt_cpu, spt_cpu);

/* What is traced here and now, or NULL. Interrupts off. */
static inline struct spt_cpu *spt_current(void)
{
	struct spt_cpu *c = this_cpu_ptr(&spt_cpu);

	return c->event ? c : NULL;
}

/* pmu.c */
int spt_pmu_register(void);
void spt_pmu_unregister(void);

/* filter.c: pmu::addr_filters_* */
int spt_filters_validate(struct list_head *filters);
void spt_filters_sync(struct perf_event *event);

/* buffer.c: pmu::setup_aux, free_aux */
void *spt_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite);
void spt_free_aux(void *aux);
void spt_output_init(void);
void spt_output_exit(void);
/*
 * From here on interrupts are off. Begin sets c->event; without room it fails,
 * and has told so.
 */
bool spt_output_begin(struct spt_cpu *c, struct perf_event *event);
/* Begins, and resumes the task, when there is room. */
void spt_output_wait(struct spt_cpu *c, struct perf_event *event);
void spt_output_wait_no_more(struct spt_cpu *c);
void spt_output_end(struct spt_cpu *c);
/* Writes what the flow has put out. */
void spt_output(struct spt_cpu *c);
/*
 * What comes now is lost. The piece ends with the next spt_output_turn(), so that
 * its end is the time of the loss.
 */
void spt_output_lost(struct spt_cpu *c);
/* Less than SPT_RESERVE is left, something is lost, or the reader is to wake. */
bool spt_output_wants_turn(const struct spt_cpu *c);
/*
 * End and begin anew, or wait: false. The flow is outside, and reset afterwards.
 */
bool spt_output_turn(struct spt_cpu *c);

/* trace.c; all with interrupts off */
/* @regs are about to go to user space. If t->put_off, after spt_code_fetch(). */
void spt_trace_resume(struct spt_cpu *c, struct pt_regs *regs);
/* Was it a branch, and taken, that has led to @next? */
bool spt_trace_has_branched(const struct spt_task *t, u64 next);
/* An instruction was stepped, or a block. */
void spt_trace_step(struct spt_cpu *c, struct pt_regs *regs);
/* A debug trap for other reasons: the processor does not wait for a branch any more. */
void spt_trace_trap(struct spt_cpu *c, struct pt_regs *regs);
/* INT3 was executed, which may be a uprobe's. */
void spt_trace_int3(struct spt_cpu *c, struct pt_regs *regs);
/*
 * The kernel was entered: tells what is not told yet, ends the flow and takes TF
 * away. To be resumed.
 */
void spt_trace_pause(struct spt_cpu *c, struct pt_regs *regs);
/*
 * As spt_trace_pause(), and what is held will not be seen any more. @trapped: it
 * is the signal that a trap has caused.
 */
void spt_trace_signal(struct spt_cpu *c, struct pt_regs *regs, bool trapped);
/* There may be no room any more: not to be called by pmu::stop. */
void spt_trace_settle(struct spt_cpu *c, struct pt_regs *regs);

/* task.c */
struct spt_task *spt_task_alloc(void);
void spt_task_put(struct spt_task *t);
/*
 * The one of current, else @spare becomes it; NULL if that is in use elsewhere.
 * With the runqueue locked, interrupts off.
 */
struct spt_task *spt_task_bind(struct spt_task *spare);
void spt_task_unbind(struct spt_task *t);
/* spt_trace_resume() at the next return of current to user space. */
void spt_task_queue(struct spt_task *t);

/* code.c */
/*
 * The code of the places is read, to t->code, until spt_code_forget(): what the
 * functions below say of it does not change. Does not sleep; what is not in memory
 * is not there, and the instruction is cut.
 */
void spt_code_take(struct spt_task *t);
/* The same, and reads in what is not in memory. Sleeps. */
void spt_code_fetch(struct spt_task *t);
void spt_code_forget(struct spt_task *t);
/* The instruction that is executed at @ip, in the task's mode. Does not sleep. */
void spt_code_read(const struct spt_task *t, struct spt_insn *insn, u64 ip);
/* As spt_insn_length(). Does not sleep. */
unsigned int spt_code_length(const struct spt_task *t, u64 ip);
bool spt_code_is_iret(const struct spt_task *t, u64 ip);
/* As much code as there is from @ip on. Does not sleep. */
void spt_code_read_block(struct spt_block *block, u64 ip, bool is64);
/* uprobes' code was mapped since the last spt_code_refresh(). Of current. */
bool spt_code_is_stale(const struct spt_task *t);
bool spt_code_is_uprobes(const struct spt_task *t, u64 ip);
/* Known only after spt_code_refresh(): @insn may have led there. */
bool spt_code_may_be_probe(const struct spt_insn *insn);
/* LEA and CALL are there, as uprobes put them. Does not sleep. */
bool spt_code_may_be_pair(const struct spt_task *t, u64 ip);
/* Its CALL has led to @ip. */
void spt_code_at_trampoline(struct spt_task *t, u64 ip);
/*
 * Finds uprobes' code, what they have replaced at held_ip, and whose a pair is: also
 * one whose CALL current is about to execute. Sleeps.
 */
void spt_code_refresh(struct spt_task *t);
/* current is about to execute, or has just executed, such code out of line. */
bool spt_code_in_uprobe(void);
/* Where rseq would go from @ip, or 0. Of current; does not sleep. */
u64 spt_code_rseq_abort(struct spt_task *t, u64 ip);

/* btf.c; of current, with interrupts off */
bool spt_btf_may_work(void);
/* TF is branch stepping, or is not. */
void spt_btf_set(bool on);
/* At @ip it can be: it is, and @block is there. */
bool spt_btf_begin(struct spt_block *block, u64 ip, bool is64);
/* The instruction, @from, that has led to the trap at @next. False: none could. */
bool spt_btf_trapped(const struct spt_block *block, u64 next, u64 *from);
/* t->in_block: a processor with BTF would not have trapped here. */
bool spt_btf_waits(struct spt_task *t, u64 next);

/* signals.c; of current */
void spt_signals_delivered(struct spt_task *t, int sig,
			   const struct kernel_siginfo *info);
void spt_signals_returned(struct spt_task *t);
/* The handler's frame is made. */
void spt_signals_entered(struct spt_task *t);
/* The system call has returned @ret: is it too early for timers? Then they wait on. */
bool spt_signals_still_wait(const struct spt_task *t, long ret);
void spt_signals_wait_on(struct spt_task *t);
/* End of grace, if there is one. Not with siglock. */
void spt_signals_end(struct spt_task *t);
/* For a moment: the kernel is to see the program's mask. */
void spt_signals_restore(struct spt_task *t);
/* The same with siglock held. */
void spt_signals_restore_locked(struct spt_task *t);
bool spt_signals_are_due(const struct spt_task *t);

/* hooks.c; sleep */
int spt_hooks_find(void);
int spt_hooks_get(void);
void spt_hooks_put(void);

#endif /* SOFTPT_H */
