/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements for the machine, and for functions that are not exported to modules.
 * Only for ptm_driver.c, after all other headers.
 */
#ifndef PTM_DRIVER_H
#define PTM_DRIVER_H

/* MSRs. They were renamed in 6.16 ("x86/msr: Rename 'rdmsrl()' to 'rdmsrq()'"). */
#undef rdmsrl
#undef wrmsrl
#undef rdmsrq
#undef wrmsrq
#undef rdmsrl_safe_on_cpu
#undef rdmsrq_safe_on_cpu
#define rdmsrl(msr, value)	((value) = ptm_rdmsr(msr))
#define rdmsrq(msr, value)	((value) = ptm_rdmsr(msr))
#define wrmsrl(msr, value)	ptm_wrmsr(msr, value)
#define wrmsrq(msr, value)	ptm_wrmsr(msr, value)

/* pt_init() checks whether tracing has been on since boot. */
static inline int ptm_rdmsr_on_cpu(unsigned int cpu, u32 msr, u64 *value)
{
	*value = 0;
	return 0;
}

#define rdmsrl_safe_on_cpu	ptm_rdmsr_on_cpu
#define rdmsrq_safe_on_cpu	ptm_rdmsr_on_cpu

/* CPUID reports PT, and no VMX, which would turn PT off. */
#undef cpuid
#undef cpuid_count
#undef boot_cpu_has
#define cpuid_count		ptm_cpuid
#define cpuid(leaf, a, b, c, d)	ptm_cpuid(leaf, 0, a, b, c, d)
#define boot_cpu_has(bit)	((bit) == X86_FEATURE_INTEL_PT)

/*
 * These functions are not exported. x86_add_exclusive() keeps PT apart from LBR and
 * BTS, which the virtual machine does not have.
 */
#define x86_add_exclusive	ptm_add_exclusive
#define x86_del_exclusive	ptm_del_exclusive
static inline int ptm_add_exclusive(unsigned int what)
{
	return 0;
}

static inline void ptm_del_exclusive(unsigned int what)
{
}

/* The same as in kernel/events/core.c. */
#define perf_event_itrace_started	ptm_itrace_started
static inline void ptm_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}

/* Looked up like in auxgen, see auxgen_sample.c. */
#define perf_output_copy_aux	(*auxgen_copy_aux)

/* The driver's initcall must not become the module's init function, which calls it later. */
#undef arch_initcall
#define arch_initcall(fn) static initcall_t ptm_driver_initcall __initdata = (fn)

/*
 * pt_handle_status() zeroes memory that single-entry ToPA did not fill; count these
 * bytes.
 */
#undef memset
#define memset(to, c, size)	ptm_memset(to, c, size)
static inline void *ptm_memset(void *to, int c, size_t size)
{
	this_cpu_ptr(&ptm_cpu)->padding += size;
	return __builtin_memset(to, c, size);
}

/* Let topa_insert_pages() see no run of pages that is longer than run_order allows. */
static inline unsigned long ptm_run(const struct page *page)
{
	return min_t(unsigned long, page_private(page), ptm_run_order);
}

#undef page_private
#define page_private(page)	ptm_run(page)

#endif /* PTM_DRIVER_H */
