/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels, and the only place for them. This file is included
 * before every file of the module (see Kbuild). PA_HAVE_* come from the probes
 * in probe/: each probe compiles one use of one feature.
 */
#ifndef PERFAUX_COMPAT_H
#define PERFAUX_COMPAT_H

/* This must precede the first header. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/stringify.h>
#include <linux/workqueue.h>
#include <asm/cpufeature.h>

/*
 * The linker does not check symbols that the module finds by name, nor functions that run in
 * place of the kernel's. So check here that the kernel's headers declare the expected type.
 */
#define PA_SAME_TYPE(theirs, ours)					\
	static_assert(__same_type(theirs, ours),			\
		      "this kernel declares " __stringify(theirs) " with another type")

/*
 * Arguments and instruction pointer in an ftrace callback. Before 6.2 ("ftrace:
 * abstract DYNAMIC_FTRACE_WITH_ARGS accesses") only full registers have them.
 */
#ifdef PA_HAVE_FTRACE_REGS
#define PA_FTRACE_FLAGS		0
#define pa_ftrace_argument(fregs, n)	ftrace_regs_get_argument(fregs, n)
#define pa_ftrace_set_ip(fregs, ip)	\
	ftrace_regs_set_instruction_pointer(fregs, ip)
#else
#define PA_FTRACE_FLAGS		FTRACE_OPS_FL_SAVE_REGS
#define pa_ftrace_argument(fregs, n)	\
	regs_get_kernel_argument(ftrace_get_regs(fregs), n)
#define pa_ftrace_set_ip(fregs, ip)	\
	ftrace_instruction_pointer_set(fregs, ip)
#endif

/* 6.3 ("driver core: make struct device_type.devnode() take a const *") */
#ifdef PA_HAVE_DEVNODE_CONST
#define pa_devnode_device		const struct device
#else
#define pa_devnode_device		struct device
#endif

/* 6.3 ("mm: introduce vma->vm_flags wrapper functions") */
#ifdef PA_HAVE_VM_FLAGS_SET
#define pa_vm_flags_set(vma, flags)	vm_flags_set(vma, flags)
#define pa_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#else
#define pa_vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#define pa_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/*
 * 6.7 ("fs: store real path instead of fake path in backing file f_path"): the
 * path and inode of the file that the user opened, if a file of overlayfs is mapped.
 */
#ifdef PA_HAVE_FILE_USER_PATH
#define pa_file_user_path(file)		file_user_path(file)
#define pa_file_user_inode(file)	file_user_inode(file)
#else
#define pa_file_user_path(file)		(&(file)->f_path)
#define pa_file_user_inode(file)	file_inode(file)
#endif

/* 6.6 ("fs: add ctime accessors infrastructure") */
#ifdef PA_HAVE_INODE_GET_CTIME
#define pa_inode_ctime(inode)		inode_get_ctime(inode)
#else
#define pa_inode_ctime(inode)		((inode)->i_ctime)
#endif

/* 6.4 ("module: replace module_layout with module_memory") */
#ifdef PA_HAVE_MODULE_MEMORY
#define pa_module_text(mod)		((mod)->mem[MOD_TEXT].base)
#define pa_module_text_size(mod)	((mod)->mem[MOD_TEXT].size)
#else
#define pa_module_text(mod)		((mod)->core_layout.base)
#define pa_module_text_size(mod)	((mod)->core_layout.text_size)
#endif

/*
 * Return whether the user of current may look into current. Newer kernels keep
 * this flag in the task (struct task_exec_state), older ones in the mm.
 */
#ifdef PA_HAVE_GET_DUMPABLE
#include <linux/sched/coredump.h>
static inline bool pa_current_is_dumpable(void)
{
	return get_dumpable(current->mm) == SUID_DUMP_USER;
}
#else
#include <linux/sched/coredump.h>
#include <linux/sched/exec_state.h>
static inline bool pa_current_is_dumpable(void)
{
	bool ret;

	rcu_read_lock();
	ret = READ_ONCE(rcu_dereference(current->exec_state)->dumpable) ==
	      TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return ret;
}
#endif

/* The address to which a function returns, at the function's first instruction */
#ifdef CONFIG_X86_64
#define pa_caller_address(regs) \
	(*(unsigned long *)kernel_stack_pointer(regs))
#else
#define pa_caller_address(regs)		procedure_link_pointer(regs)
#endif

/*
 * 6.12 ("sched/core: Disable page allocation in task_tick_mm_cid()"): add a work with the
 * runqueue locked. Later kernels have no such flag, because KASAN does not allocate there.
 */
#ifdef PA_HAVE_TWAF_NO_ALLOC
#define pa_task_work_add(task, work) \
	task_work_add(task, work, TWA_RESUME | TWAF_NO_ALLOC)
#else
#define pa_task_work_add(task, work)	task_work_add(task, work, TWA_RESUME)
#endif

/*
 * 6.3 ("perf/core: Save the dynamic parts of sample data size"): data that is added to a
 * sample is counted when it is added. Before 6.3 it is counted when the sample is written.
 */
#ifdef PA_HAVE_SAMPLE_DYN_SIZE
#define pa_sample_grow(data, n)		((data)->dyn_size += (n))
#else
#define pa_sample_grow(data, n)		((void)(data), (void)(n))
#endif

/* 6.13 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()") */
static inline void
pa_hrtimer_setup(struct hrtimer *timer,
		 enum hrtimer_restart (*fn)(struct hrtimer *),
		 enum hrtimer_mode mode)
{
#ifdef PA_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

/* 6.17 ("workqueue: Add system_percpu_wq and system_dfl_wq"); 7.2 warns about the old name. */
#ifdef PA_HAVE_SYSTEM_DFL_WQ
#define pa_unbound_wq			system_dfl_wq
#else
#define pa_unbound_wq			system_unbound_wq
#endif

/* 6.19 ("rseq: Introduce struct rseq_data"): struct rseq __user * */
#ifndef CONFIG_RSEQ
#define pa_task_rseq(task)		((void)(task), (struct rseq __user *)NULL)
#elif defined(PA_HAVE_RSEQ_DATA)
#define pa_task_rseq(task)		((task)->rseq.usrptr)
#else
#define pa_task_rseq(task)		((task)->rseq)
#endif

/*
 * 6.9 ("x86/ptrace: Add FRED additional information to the pt_regs structure"): return
 * whether the return to user space traps immediately if TF is set, before any instruction is
 * executed.
 */
#ifdef PA_HAVE_FRED_SS
static inline bool pa_traps_at_return(const struct pt_regs *regs)
{
	return cpu_feature_enabled(X86_FEATURE_FRED) && regs->fred_ss.swevent;
}

/* As prevent_single_step_upon_eretu() */
static inline void pa_trap_after_return(struct pt_regs *regs)
{
	if (cpu_feature_enabled(X86_FEATURE_FRED))
		regs->fred_ss.swevent = 0;
}
#else
static inline bool pa_traps_at_return(const struct pt_regs *regs)
{
	return false;
}

static inline void pa_trap_after_return(struct pt_regs *regs)
{
}
#endif

/*
 * 6.2 ("perf: Rewrite core context handling"): a task has one context of perf events. Before
 * 6.2 it has one for hardware events and one for software events. RCU reader.
 */
#ifdef PA_HAVE_ONE_TASK_CONTEXT
#define PA_NR_TASK_CONTEXTS		1
#define pa_task_context(task, nr)	\
	((void)(nr), rcu_dereference_raw((task)->perf_event_ctxp))
#else
#define PA_NR_TASK_CONTEXTS		perf_nr_task_contexts
#define pa_task_context(task, nr)	\
	rcu_dereference_raw((task)->perf_event_ctxp[nr])
#endif

#endif /* PERFAUX_COMPAT_H */
