/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of softpt.ko that run in the kernel: a PMU named intel_pt for
 * processors that have none. softpt steps the traced task with TF and writes the
 * steps as packets (flow.h) through perf's AUX functions.
 *
 *	hooks.c		where the kernel calls softpt: traps, system calls, signals
 *	trace.c		what to do at each of these calls
 *	encode.c	from what was executed to the flow
 *	place.c		where a task continues, and from where a step came
 *	task.c		the state of a stepped task
 *	work.c		what the task does before it continues
 *	code.c		reading the program's code
 *	known.c		instructions that were decoded before
 *	btf.c		branch stepping, on processors that have it
 *	signals.c	timers that are faster than steps
 *	buffer.c	the AUX area
 *	pmu.c		perf's callbacks, filter.c its address filters
 *
 * An event of a task is active only on the CPU on which the task is current.
 * Therefore the state of a CPU and of its current task is used with interrupts off
 * and needs no lock. Nothing here runs in NMI, except the calls that
 * spt_event_stop() refuses.
 */
#ifndef SOFTPT_H
#define SOFTPT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/signal_types.h>
#include <linux/task_work.h>

#include "block.h"
#include "flow.h"
#include "insn.h"

/*
 * Room that is enough for everything that is written between two checks of the
 * room: three begins with PSB+, some steps, a block that leaves and enters each
 * range, and an end.
 */
#define SPT_RESERVE	(10 * SPT_FLOW_MAX)

/*
 * Addresses at which a task can continue: where it is, at a restarted system call,
 * at rseq's abort.
 */
#define SPT_PLACES	3

/* Length of SYSCALL, SYSENTER, INT n: arch_do_signal_or_restart() goes back by this. */
#define SPT_SYSCALL_SIZE	2

/*
 * A LEA and a CALL of which only the LEA was executed. If they replace a NOP of 10
 * bytes, the pair is a uprobe (swbp_optimize() of 7.2).
 */
enum spt_pair {
	SPT_PAIR_NONE,
	SPT_PAIR_MAYBE,		/* not known until spt_code_refresh() */
	SPT_PAIR_UPROBE,	/* decoders see a NOP that was not executed yet */
	SPT_PAIR_PROGRAM,	/* the program's own: LEA must still be encoded */
};

/* Enough for an instruction, and mostly for the next one, too */
#define SPT_CODE_BYTES	(2 * SPT_INSN_MAX + 2)

/* Bytes of the program's code, as they were when they were read */
struct spt_code {
	u64 ip;
	unsigned int n;		/* bytes that could be read */
	u8 bytes[SPT_CODE_BYTES];
};

/* Words that contain the longest instruction */
#define SPT_KNOWN_WORDS	2

/* An instruction that was decoded before, see known.c */
struct spt_known {
	u64 ip;
	u64 words[SPT_KNOWN_WORDS];	/* the bytes from ip on that were decoded */
	struct spt_insn insn;
	bool is64;			/* the mode in which it was decoded */
};

/* The state of a task that is stepped, or was stepped a moment ago */
struct spt_task {
	refcount_t ref;
	struct hlist_node node;		/* while bound, see spt_task_bind() */
	struct task_struct *task;	/* the task it was last bound to; only compared */
	unsigned int bound;
	struct callback_head work;
	bool queued;

	bool stepping;			/* TF is set, and we need it */
	bool user_tf;			/* somebody else wants TF, too */
	bool early;			/* FRED: the first trap comes before an instruction */
	bool is64;
	/* the next instruction is at one of these addresses; usually there is only one */
	u64 places[SPT_PLACES];
	unsigned int nr_places;

	/* the code at the places, while a step from one of them is encoded */
	struct spt_code code[SPT_PLACES];
	unsigned int nr_code;
	/*
	 * what is known of the instruction at the only place, or NULL; valid as
	 * long as code[] is
	 */
	const struct spt_known *known;
	/*
	 * A step from one of the places is not encoded yet because its code was not
	 * in memory. The task work reads the code, see spt_trace_step(). The flow
	 * is still as it was before the step.
	 */
	bool put_off;
	unsigned long put_off_flags;	/* regs->flags of the trap */

	/*
	 * The task has had critical sections of rseq. Aborts of such sections
	 * cannot be seen in a block, so there are no more blocks.
	 */
	bool has_sections;
	bool in_block;			/* the next trap comes after a taken branch */
	bool branches_only;		/* for a debugger: PTRACE_SINGLEBLOCK */
	struct spt_block block;		/* starts at places[0] */
	u64 model_ip;			/* the model's address, see btf.c */

	/*
	 * An instruction that uprobes execute or have redirected. It is encoded
	 * when its destination is known. If the flow is inside, the flow is at this
	 * instruction.
	 */
	bool held;
	bool held_read;			/* held_insn is valid */
	u64 held_ip;
	struct spt_insn held_insn;
	bool silent;			/* the task executes code of uprobes */

	/* the code of uprobes in mm, see spt_code_refresh() */
	const struct mm_struct *mm;
	const void *area;
	u64 area_start;
	u64 area_end;
	u64 trampoline_start;		/* the last one that was found */
	u64 trampoline_end;
	bool suspicious;		/* places[0] may be in a trampoline */
	enum spt_pair pair;		/* unless NONE: places[0] is the CALL of the pair */
	u64 pair_ip;			/* the LEA of the pair, where the flow is */

	/* used by signals.c; times are counted in steps */
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
	sigset_t timers;		/* signals that were sent by timers */
};

/* perf_event::pmu_private */
struct spt_event {
	struct spt_flow flow;
	struct spt_task *task;		/* for the first task of the event */
	const void *pinned;		/* the context that was pinned; only compared */
};

/* The event that is active on this CPU */
struct spt_cpu {
	struct perf_output_handle handle;
	struct perf_event *event;	/* NULL: no event, or no room */
	struct spt_event *e;
	struct spt_task *task;		/* of current */
	unsigned long head;		/* where the piece begins */
	unsigned long pos;		/* where to write next; both as in handle->head */
	unsigned long limit;
	bool overwrite;
	bool lost;			/* the piece is TRUNCATED and must end */
	/* an active event without room; the timer looks for room */
	struct perf_event *waiting;
	struct hrtimer retry;
};

DECLARE_PER_CPU(struct spt_cpu, spt_cpu);

/*
 * Return this CPU's state if an event is traced here now, else NULL. Interrupts are
 * off.
 */
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
 * The functions from here on are called with interrupts off.
 *
 * Begin a piece and set c->event. Return false if there is no room; the loss is
 * reported then.
 */
bool spt_output_begin(struct spt_cpu *c, struct perf_event *event);
/*
 * Wait for room without blocking. The timer begins a piece and resumes the task
 * when there is room.
 */
void spt_output_wait(struct spt_cpu *c, struct perf_event *event);
void spt_output_wait_no_more(struct spt_cpu *c);
void spt_output_end(struct spt_cpu *c);
/* Write the packets of the flow to the area. */
void spt_output(struct spt_cpu *c);
/*
 * From here on data is lost. The piece ends with the next spt_output_turn(), so
 * that the end of the piece is the time of the loss.
 */
void spt_output_lost(struct spt_cpu *c);
/*
 * Return whether a new piece is needed: less than SPT_RESERVE bytes are left, data
 * was lost, or the reader must be woken.
 */
bool spt_output_wants_turn(const struct spt_cpu *c);
/*
 * End the piece and begin a new one. If there is no room, wait for it and return
 * false. The flow is outside and reset afterwards.
 */
bool spt_output_turn(struct spt_cpu *c);

/* place.c; all functions are called with interrupts off */
/* Make @ip the only place. */
void spt_place_set(struct spt_task *t, u64 ip);
/* Find the places of a task that is about to return to user space with @regs. */
void spt_place_find(struct spt_task *t, struct pt_regs *regs);
/* If the kernel may abort a section of rseq at @ip, add the abort's address. */
void spt_place_or_abort(struct spt_task *t, u64 ip);
/* Return whether @ip is one of the places. */
bool spt_place_is(const struct spt_task *t, u64 ip);
/* Return the place from which @next was most likely reached. */
u64 spt_place_from(const struct spt_task *t, u64 next);
/* Return whether the instruction that led to @next was a taken branch. */
bool spt_place_has_branched(const struct spt_task *t, u64 next);
/* Return whether all code is in memory that is needed to encode a step from the places. */
bool spt_place_has_code(const struct spt_task *t);
/*
 * Return whether the kernel has restarted the system call, and the task is in that
 * system call.
 */
bool spt_place_is_restarted(const struct spt_task *t, struct pt_regs *regs);
bool spt_place_is_vsyscall(u64 ip);
/* Return the address at which a task continues after its call of the vsyscall page. */
u64 spt_place_after_vsyscall(const struct pt_regs *regs);

/* encode.c; all functions are called with interrupts off */
/* Begin the flow at @ip. */
void spt_encode_begin(struct spt_cpu *c, u64 ip);
/* End the flow, if inside, at @ip. */
void spt_encode_end_at(struct spt_cpu *c, u64 ip);
/*
 * The instruction at @ip was executed, but which one it was is not known. The flow
 * is at @ip, or outside.
 */
void spt_encode_lost(struct spt_cpu *c, u64 ip);
/* The instruction @insn at @ip has led to @next. */
void spt_encode_insn(struct spt_cpu *c, const struct spt_insn *insn, u64 ip,
		     u64 next);
/*
 * The held instruction has led to @ip. If it has led to itself, it will be executed
 * again.
 */
void spt_encode_held(struct spt_cpu *c, u64 ip);
/* Encode the held instruction, which has led to @ip. Begin the flow there if it is outside. */
void spt_encode_come_to(struct spt_cpu *c, u64 ip);
/* The task has continued at @from, one of the places. The flow is at the first place. */
void spt_encode_moved(struct spt_cpu *c, u64 from);
/*
 * Encode the instructions that had no trap of their own. Return the address of the
 * last instruction on the way from @ip to @next, and set @insn to it. @trapped: at
 * least one instruction was executed; otherwise @next is where the kernel was
 * entered.
 */
u64 spt_encode_catch_up(struct spt_cpu *c, struct spt_insn *insn, u64 ip,
			u64 next, bool trapped);
/* Count one instruction that was stepped. */
void spt_encode_count(struct spt_cpu *c);
/*
 * The task has left the block and is at @ip. Encode the instructions of the block
 * up to @ip, or, if @trapped, up to the branch that led to @ip. places[0] is then
 * @ip, or that branch.
 */
void spt_encode_block(struct spt_cpu *c, u64 ip, bool trapped);

/* trace.c; all functions are called with interrupts off */
/*
 * The task is about to return to user space with @regs. If t->put_off is set, call
 * spt_code_fetch() before.
 */
void spt_trace_resume(struct spt_cpu *c, struct pt_regs *regs);
/* An instruction or a block was stepped. */
void spt_trace_step(struct spt_cpu *c, struct pt_regs *regs);
/* A debug trap came for another reason: the processor no longer waits for a branch. */
void spt_trace_trap(struct spt_cpu *c, struct pt_regs *regs);
/* INT3 was executed. It may belong to a uprobe. */
void spt_trace_int3(struct spt_cpu *c, struct pt_regs *regs);
/*
 * The kernel was entered. Encode the rest, end the flow and take TF away. Call
 * spt_trace_resume() later.
 */
void spt_trace_pause(struct spt_cpu *c, struct pt_regs *regs);
/*
 * Same as spt_trace_pause(), and drop the held instruction, because its destination
 * will not be seen any more. @trapped: a trap has caused the signal.
 */
void spt_trace_signal(struct spt_cpu *c, struct pt_regs *regs, bool trapped);
/*
 * End the piece and begin a new one if necessary. Afterwards there may be no room
 * any more, so pmu::stop must not call this.
 */
void spt_trace_settle(struct spt_cpu *c, struct pt_regs *regs);

/* task.c */
/* @work runs after spt_task_queue(). */
struct spt_task *spt_task_alloc(task_work_func_t work);
void spt_task_put(struct spt_task *t);
/*
 * Return the state of current. If current has none, bind @spare to it; return NULL
 * if @spare is in use by another task. Called with the runqueue locked and
 * interrupts off.
 */
struct spt_task *spt_task_bind(struct spt_task *spare);
void spt_task_unbind(struct spt_task *t);
/* Have the work run when current next returns to user space. */
void spt_task_queue(struct spt_task *t);

/* work.c */
void spt_work(struct callback_head *work);

/* code.c */
/*
 * Read the code of the places into t->code. Until spt_code_forget(), the functions
 * below use these bytes, so their answers do not change. Does not sleep: code that
 * is not in memory is missing, and its instruction is cut.
 */
void spt_code_take(struct spt_task *t);
/* Same as spt_code_take(), but bring code into memory if necessary. Sleeps. */
void spt_code_fetch(struct spt_task *t);
void spt_code_forget(struct spt_task *t);
/* Decode the instruction at @ip in the task's mode. Does not sleep. */
void spt_code_read(const struct spt_task *t, struct spt_insn *insn, u64 ip);
/* Same as spt_insn_length(). Does not sleep. */
unsigned int spt_code_length(const struct spt_task *t, u64 ip);
bool spt_code_is_iret(const struct spt_task *t, u64 ip);
/* Read as much code from @ip on as is in memory. Does not sleep. */
void spt_code_read_block(struct spt_block *block, u64 ip, bool is64);
/*
 * Return whether uprobes have mapped code into current since the last
 * spt_code_refresh().
 */
bool spt_code_is_stale(const struct spt_task *t);
bool spt_code_is_uprobes(const struct spt_task *t, u64 ip);
/*
 * Return whether @insn may have led into code of uprobes that only
 * spt_code_refresh() finds.
 */
bool spt_code_may_be_probe(const struct spt_insn *insn);
/* Return whether @ip has a LEA and a CALL as uprobes write them. Does not sleep. */
bool spt_code_may_be_pair(const struct spt_task *t, u64 ip);
/* The CALL of a pair has led to @ip. */
void spt_code_at_trampoline(struct spt_task *t, u64 ip);
/*
 * Find the code of uprobes, the instruction that they have replaced at held_ip, and
 * the owner of a pair, also of a pair whose CALL current is about to execute.
 * Sleeps.
 */
void spt_code_refresh(struct spt_task *t);
/*
 * Return whether current is about to execute, or has just executed, an instruction
 * in the out-of-line code of uprobes.
 */
bool spt_code_in_uprobe(void);
/* Return the address to which rseq would move current from @ip, or 0. Does not sleep. */
u64 spt_code_rseq_abort(struct spt_task *t, u64 ip);

/* known.c */
/* Returns -ENOMEM if there is no memory. */
int spt_known_init(void);
void spt_known_exit(void);
/*
 * The two functions below are called with interrupts off. Their result is valid until
 * interrupts are on, or until the next spt_known_add().
 *
 * Return what is known of the instruction at @ip, or NULL. Compares the code in
 * current's memory. Does not sleep.
 */
const struct spt_known *spt_known_find(u64 ip, bool is64);
/*
 * Decode the instruction at @ip. @bytes has SPT_KNOWN_WORDS words from @ip on. Return
 * NULL if the instruction is one that must not be known.
 */
const struct spt_known *spt_known_add(u64 ip, const u8 *bytes, bool is64);

/* btf.c; all functions are for current, with interrupts off */
bool spt_btf_may_work(void);
/* Make TF step branches (@on) or instructions. */
void spt_btf_set(bool on);
/*
 * Read the block at @ip into @block. If it can be used, begin branch stepping and
 * return true.
 */
bool spt_btf_begin(struct spt_block *block, u64 ip, bool is64);
/*
 * Set @from to the instruction that led to the trap at @next. Return false if no
 * instruction of the block can have led there.
 */
bool spt_btf_trapped(const struct spt_block *block, u64 next, u64 *from);
/* t->in_block is set. Return whether a processor with BTF would not have trapped here. */
bool spt_btf_waits(struct spt_task *t, u64 next);

/* signals.c; all functions are for current */
void spt_signals_delivered(struct spt_task *t, int sig,
			   const struct kernel_siginfo *info);
void spt_signals_returned(struct spt_task *t);
/* The kernel has made the handler's frame. */
void spt_signals_entered(struct spt_task *t);
/*
 * The system call has returned @ret. Return whether the signals of timers must
 * still wait; if so, call spt_signals_wait_on().
 */
bool spt_signals_still_wait(const struct spt_task *t, long ret);
void spt_signals_wait_on(struct spt_task *t);
/* End the grace, if there is one. The caller must not hold siglock. */
void spt_signals_end(struct spt_task *t);
/* Restore the program's mask for a moment, for the kernel to see it. */
void spt_signals_restore(struct spt_task *t);
/* Same as spt_signals_restore(), with siglock held. */
void spt_signals_restore_locked(struct spt_task *t);
bool spt_signals_are_due(const struct spt_task *t);

/* hooks.c; all functions sleep */
int spt_hooks_find(void);
int spt_hooks_get(void);
void spt_hooks_put(void);

#endif /* SOFTPT_H */
