/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ptmodel - the kernel's own Intel PT driver on a model of the hardware.
 *
 * ptm_driver.c is arch/x86/events/intel/pt.c, included from the kernel's source
 * package. Its accesses to MSRs and CPUID go to the model:
 *
 *   ptm_hw.c	MSRs of a CPU, and what is written while TraceEn is set
 *   ptm_topa.c	where it is written: ToPA tables, or a single range
 *   ptm_pmi.c	the interrupt, a real NMI
 *   ptm_main.c	parameters and counters
 *
 * "SDM" is the Intel 64 and IA-32 Architectures Software Developer's Manual, volume
 * 3, chapter "Intel Processor Trace".
 *
 * The model writes auxgen's chunks (../auxgen.h) instead of packets, so that the
 * same checker finds missing data. The stream of a chunk is the event's mtc_period,
 * which the driver passes unchanged to RTIT_CTL. If output has stopped while
 * TraceEn is set, hardware would drop data. Then the model's chunk takes a number
 * and counts as lost.
 */
#ifndef PTM_H
#define PTM_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "../auxgen_pmu.h"

/* With single-entry ToPA the interrupt comes this many bytes before the end. */
#define PTM_EARLY	512

struct ptm_cpu {
	/* IA32_RTIT_* */
	u64 ctl;
	u64 status;
	u64 base;
	u64 mask;
	u64 cr3;
	u64 addr[8];

	/*
	 * Set while the model does what is one step for hardware. An NMI that
	 * arrives then is sent again afterwards (ptm_pmi.c).
	 */
	int busy;
	bool resend;
	bool pmi;		/* IA32_PERF_GLOBAL_STATUS.TraceToPAPMI */
	int skid;		/* chunks until the NMI is sent; -1: none */
	struct hrtimer timer;

	u64 seq[AUXGEN_STREAMS];	/* chunks so far, written or lost */
	u64 lost[AUXGEN_STREAMS];

	/* counters, see ptm_main.c */
	u64 pmis;
	u64 again;
	u64 stops;
	u64 single;
	u64 padding;
	u64 faults;
	const char *fault;		/* the first fault */
	u64 fault_value;
};

DECLARE_PER_CPU(struct ptm_cpu, ptm_cpu);

/* ptm_main.c: parameters */
extern bool ptm_multiple_entries;
extern bool ptm_topa_output;
extern bool ptm_single_range;
extern unsigned int ptm_chunks;
extern unsigned int ptm_ctx_chunks;
extern unsigned int ptm_period;
extern unsigned int ptm_skid;
extern unsigned int ptm_run_order;

/* ptm_hw.c: called in any context of the driver, up to NMI */
u64 ptm_rdmsr(u32 msr);
void ptm_wrmsr(u32 msr, u64 value);
void ptm_cpuid(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx);
void ptm_fault(struct ptm_cpu *p, const char *what, u64 value);
void ptm_hw_init(void);
void ptm_hw_exit(void);

/* ptm_topa.c */
struct ptm_region {
	void *at;		/* where the next chunk goes */
	u64 size;		/* bytes */
	bool intr;
	bool stop;
};

/* Returns false on an operational error. */
bool ptm_region(struct ptm_cpu *p, struct ptm_region *region);
/* A chunk was written. Returns whether the chunk raises the interrupt. */
bool ptm_advance(struct ptm_cpu *p, const struct ptm_region *region);

/* ptm_pmi.c */
void ptm_pmi_send(struct ptm_cpu *p);
int ptm_pmi_init(void);
void ptm_pmi_exit(void);

/* ptm_driver.c */
void ptm_interrupt(void);
int ptm_driver_init(void);
void ptm_driver_exit(void);

#endif /* PTM_H */
