// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MSRs of each CPU, and the output while IA32_RTIT_CTL.TraceEn is set. The model
 * writes chunks when TraceEn is set, before it is cleared, and from a timer.
 *
 * While the model does what is one step for hardware, p->busy is set. An NMI that
 * comes then is sent again after the step, so the driver in the NMI sees the step
 * either complete or not begun. As in the driver, interrupts are off.
 */
#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <asm/intel_pt.h>
#include <asm/msr-index.h>

#include "ptm.h"

DEFINE_PER_CPU(struct ptm_cpu, ptm_cpu);

/* Bits of IA32_RTIT_STATUS that software can write; the other bits follow TraceEn. */
#define STATUS_WRITABLE	(RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED | STATUS_BYTES)
/* PacketByteCnt */
#define STATUS_BYTES	GENMASK_ULL(48, 32)
#define STATUS_BYTE	BIT_ULL(32)
/* Always set in IA32_RTIT_OUTPUT_MASK_PTRS, and clear in _OUTPUT_BASE. */
#define OUTPUT_LOW	GENMASK_ULL(6, 0)

/*
 * Count a case in which hardware would raise #GP or an operational error: the driver, or
 * the module that gave it its buffer, has a bug. This context cannot print.
 */
void ptm_fault(struct ptm_cpu *p, const char *what, u64 value)
{
	if (!p->faults++) {
		p->fault = what;
		p->fault_value = value;
	}
}

static void ptm_step_begin(struct ptm_cpu *p)
{
	p->busy = 1;
	barrier();
}

static void ptm_step_end(struct ptm_cpu *p)
{
	barrier();
	p->busy = 0;
	barrier();
	if (READ_ONCE(p->resend)) {
		p->resend = false;
		ptm_pmi_send(p);
	}
}

static void ptm_fill(struct ptm_cpu *p, struct auxgen_chunk *chunk, u32 stream,
		     enum auxgen_source source)
{
	/* Events with CLOCK_MONOTONIC have the same clock (perf_event_set_clock()). */
	auxgen_fill(chunk, stream, source, p->seq[stream]++, p->lost[stream],
		    ktime_get_mono_fast_ns());
}

static void ptm_lose(struct ptm_cpu *p, u32 stream)
{
	p->seq[stream]++;
	p->lost[stream]++;
}

/* Write a chunk. Returns whether an NMI is due now. */
static bool ptm_write_chunk(struct ptm_cpu *p, enum auxgen_source source)
{
	u32 stream = (p->ctl & RTIT_CTL_MTC_RANGE) >> RTIT_CTL_MTC_RANGE_OFFSET;
	struct ptm_region region;

	if (!(p->status & RTIT_STATUS_TRIGGEREN) || !ptm_region(p, &region)) {
		ptm_lose(p, stream);
	} else {
		ptm_fill(p, region.at, stream, source);
		p->status = (p->status & ~STATUS_BYTES) |
			    ((p->status + AUXGEN_CHUNK * STATUS_BYTE) & STATUS_BYTES);
		if (ptm_advance(p, &region)) {
			p->pmi = true;
			p->skid = ptm_skid;
		}
	}
	return p->skid >= 0 && !p->skid--;
}

/* Write @n chunks. The driver's NMI may come between any two of them. */
static void ptm_write(struct ptm_cpu *p, enum auxgen_source source, u32 n)
{
	bool nmi = false;

	while (n--) {
		ptm_step_begin(p);
		if (p->ctl & RTIT_CTL_TRACEEN)
			nmi = ptm_write_chunk(p, source);
		else
			n = 0;
		ptm_step_end(p);
		if (nmi)
			ptm_pmi_send(p);
		nmi = false;
	}
}

static u64 ptm_timer_period(void)
{
	return max(READ_ONCE(ptm_period), 20U) * NSEC_PER_USEC;
}

static enum hrtimer_restart ptm_timer(struct hrtimer *timer)
{
	struct ptm_cpu *p = container_of(timer, struct ptm_cpu, timer);
	u64 begin = ktime_get_mono_fast_ns(), now;

	ptm_write(p, AUXGEN_TIMER, READ_ONCE(ptm_chunks));
	if (!(READ_ONCE(p->ctl) & RTIT_CTL_TRACEEN))
		return HRTIMER_NORESTART;
	/* On a slow machine leave half of the time to the traced tasks. */
	now = ktime_get_mono_fast_ns();
	hrtimer_set_expires(timer, ns_to_ktime(now + max(ptm_timer_period(),
							 now - begin)));
	return HRTIMER_RESTART;
}

static void ptm_trace_on(struct ptm_cpu *p, u64 ctl)
{
	ptm_step_begin(p);
	p->ctl = ctl;
	p->status &= STATUS_WRITABLE;
	if (!(p->status & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED)))
		p->status |= RTIT_STATUS_TRIGGEREN | RTIT_STATUS_CONTEXTEN |
			     RTIT_STATUS_FILTEREN;
	ptm_step_end(p);
	/*
	 * An NMI cannot start the timer. It does not have to: the NMI interrupted a trace
	 * whose timer is active. If that timer is just about to end, the next call outside
	 * an NMI starts it again.
	 */
	if (!in_nmi() && !hrtimer_is_queued(&p->timer))
		hrtimer_start(&p->timer, ns_to_ktime(ptm_timer_period()),
			      HRTIMER_MODE_REL_PINNED_HARD);
	ptm_write(p, AUXGEN_CTX, READ_ONCE(ptm_ctx_chunks));
}

static void ptm_trace_off(struct ptm_cpu *p, u64 ctl)
{
	bool nmi;

	ptm_write(p, AUXGEN_CTX, READ_ONCE(ptm_ctx_chunks));
	ptm_step_begin(p);
	p->ctl = ctl;
	p->status &= STATUS_WRITABLE;
	/* A pending interrupt still comes. */
	nmi = p->skid >= 0;
	p->skid = -1;
	ptm_step_end(p);
	if (nmi)
		ptm_pmi_send(p);
}

/* An NMI can change TraceEn before this function reads it. */
static void ptm_wrmsr_ctl(struct ptm_cpu *p, u64 ctl)
{
	u64 old = READ_ONCE(p->ctl);

	if (old & ctl & RTIT_CTL_TRACEEN) {
		if (old != ctl)
			ptm_fault(p, "change of RTIT_CTL", ctl);
	} else if (ctl & RTIT_CTL_TRACEEN) {
		ptm_trace_on(p, ctl);
	} else if (old & RTIT_CTL_TRACEEN) {
		ptm_trace_off(p, ctl);
	} else {
		p->ctl = ctl;
	}
}

/* Returns NULL if there is no such MSR. */
static u64 *ptm_msr(struct ptm_cpu *p, u32 msr)
{
	switch (msr) {
	case MSR_IA32_RTIT_CTL:
		return &p->ctl;
	case MSR_IA32_RTIT_STATUS:
		return &p->status;
	case MSR_IA32_RTIT_OUTPUT_BASE:
		return &p->base;
	case MSR_IA32_RTIT_OUTPUT_MASK:
		return &p->mask;
	case MSR_IA32_RTIT_CR3_MATCH:
		return &p->cr3;
	case MSR_IA32_RTIT_ADDR0_A ... MSR_IA32_RTIT_ADDR3_B:
		return &p->addr[msr - MSR_IA32_RTIT_ADDR0_A];
	default:
		return NULL;
	}
}

void ptm_wrmsr(u32 msr, u64 value)
{
	struct ptm_cpu *p = this_cpu_ptr(&ptm_cpu);
	u64 *reg = ptm_msr(p, msr);

	if (msr == MSR_IA32_RTIT_CTL) {
		ptm_wrmsr_ctl(p, value);
		return;
	}
	/* "... any attempt to modify while TraceEn is set" */
	if (!reg || p->ctl & RTIT_CTL_TRACEEN) {
		ptm_fault(p, "write of an MSR", msr);
		return;
	}
	ptm_step_begin(p);
	if (msr == MSR_IA32_RTIT_STATUS)
		value &= STATUS_WRITABLE;
	if (msr == MSR_IA32_RTIT_OUTPUT_MASK)
		value |= OUTPUT_LOW;
	if (msr == MSR_IA32_RTIT_OUTPUT_BASE && value & OUTPUT_LOW)
		ptm_fault(p, "RTIT_OUTPUT_BASE", value);
	*reg = value;
	ptm_step_end(p);
}

u64 ptm_rdmsr(u32 msr)
{
	u64 *reg;

	/* pt_pmu_hw_init() calls with preemption on, where this_cpu_ptr() must not be used. */
	if (msr == MSR_PLATFORM_INFO || msr == MSR_IA32_VMX_MISC)
		return 0;
	reg = ptm_msr(this_cpu_ptr(&ptm_cpu), msr);
	return reg ? READ_ONCE(*reg) : 0;
}

/* Leaf 14H; see pt_caps[] in the driver. */
void ptm_cpuid(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	*eax = 0;
	*ebx = 0;
	*ecx = 0;
	*edx = 0;
	if (leaf != 0x14)
		return;
	if (subleaf == 0) {
		*eax = 1;
		*ebx = BIT(0) | BIT(1) | BIT(2) | BIT(3);
		*ecx = ptm_topa_output << 0 | ptm_multiple_entries << 1 |
		       ptm_single_range << 2;
	} else if (subleaf == 1) {
		*eax = 0xffff0002;
		*ebx = 0xffffffff;
	}
}

void ptm_hw_init(void)
{
	int i;

	for_each_possible_cpu(i) {
		struct ptm_cpu *p = per_cpu_ptr(&ptm_cpu, i);

		p->skid = -1;
		auxgen_timer_setup(&p->timer, ptm_timer);
	}
}

/* Called when no event is left. */
void ptm_hw_exit(void)
{
	int i;

	for_each_possible_cpu(i)
		hrtimer_cancel(&per_cpu_ptr(&ptm_cpu, i)->timer);
}
