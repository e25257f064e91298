/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The encoder: it turns the steps of one thread into Intel PT packets (SDM volume
 * 3, "Intel Processor Trace"). Pure code, for the module and for programs. It takes
 * no locks and has no memory of its own; the caller must serialise the calls.
 *
 * A flow is either inside (after a begin) or outside (before a begin, after an
 * end). The encoder puts packets into flow->out. The caller takes them and sets
 * out_used to 0. A call cannot fail and adds at most SPT_FLOW_MAX bytes, for which
 * the caller must provide room.
 */
#ifndef SOFTPT_FLOW_H
#define SOFTPT_FLOW_H

#include <linux/types.h>

#include "insn.h"

/* One call adds at most this many bytes to out. */
#define SPT_FLOW_MAX		128

/* Bytes between two PSB+, as with PSBFreq 1 (4K) of the hardware */
#define SPT_PSB_PERIOD		4096

/* Return compression remembers this many calls (SDM: "maximum depth of 64"). */
#define SPT_CALLS_MAX		64

/* Address ranges (IA32_RTIT_ADDRn_CFG), as caps/num_address_ranges reports */
#define SPT_RANGES_MAX		2

struct spt_range {
	u64 first;		/* the first byte of the range */
	u64 last;		/* the last byte of the range, as in the hardware */
	bool stop;		/* TraceStop range, else a filter range */
};

struct spt_flow {
	/* set by the caller before spt_flow_init() */
	bool tsc;		/* TSC packets: TSCEn */
	bool noretcomp;		/* DisRETC */
	u8 cbr;			/* TSC frequency in 100 MHz; 0 becomes 1, as libipt refuses 0 */
	unsigned int nr_ranges;
	struct spt_range ranges[SPT_RANGES_MAX];

	/* for the caller */
	u8 out[SPT_FLOW_MAX];
	unsigned int out_used;
	bool inside;		/* between begin and end */
	bool stopped;		/* by a TraceStop range, until spt_flow_reset() */

	/* private */
	bool enabled;		/* PacketEn: inside, and in a filter range */
	bool is64;
	bool told_mode;
	u32 since_psb;
	u64 last_ip;		/* for compression of addresses; 0 after PSB */
	u64 last_tsc;
	u64 tnt;
	unsigned int nr_tnt;
	u64 calls[SPT_CALLS_MAX];
	unsigned int nr_calls;	/* valid entries, at most SPT_CALLS_MAX */
	unsigned int top;
};

void spt_flow_init(struct spt_flow *flow);

/*
 * The packets from here on go to a separate place (a new AUX region, after loss,
 * after a stop and start). The next begin starts with PSB+, and the flow relies on
 * nothing before it. The flow is outside afterwards. If the flow is inside before this call, and
 * the trace must stay decodable up to its end, call spt_flow_end_at() first.
 */
void spt_flow_reset(struct spt_flow *flow);

/*
 * User code continues at @ip; the instruction there has not been executed yet. @tsc
 * is the present time. The flow must be outside.
 */
void spt_flow_begin(struct spt_flow *flow, u64 ip, bool is64, u64 tsc);

/*
 * The instruction that is passed to spt_flow_step() next has changed the mode. Call
 * this before spt_flow_step() of a far transfer between 32-bit and 64-bit code. It
 * does nothing if the mode is the same as before, so it can be called before each
 * step.
 */
void spt_flow_mode(struct spt_flow *flow, bool is64);

/*
 * The instruction at @ip has been executed, and @next is the address of the next
 * one. For SPT_SYSCALL call spt_flow_end() instead. If @insn cannot lead to @next
 * (the bytes were changed, or could not be read: SPT_BAD), this encodes an
 * interruption at @ip and a begin at @next, and returns false.
 */
bool spt_flow_step(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		   u64 next, u64 tsc);

/*
 * Same as spt_flow_step() without a time, if both @ip and @next are in the traced ranges
 * and @insn can lead to @next. Return false otherwise, and do nothing.
 */
bool spt_flow_step_within(struct spt_flow *flow, const struct spt_insn *insn,
			  u64 ip, u64 next);

/* Return whether the next instruction will be traced: inside, and in a filter range. */
static inline bool spt_flow_is_traced(const struct spt_flow *flow)
{
	return flow->enabled;
}

/*
 * The last instruction, SPT_SYSCALL or SPT_INT3, has led into the kernel. Does
 * nothing if outside.
 */
void spt_flow_end(struct spt_flow *flow);

/*
 * Something other than an instruction (a signal, the scheduler, the end of room)
 * ended the flow before the instruction at @ip was executed. Does nothing if
 * outside.
 */
void spt_flow_end_at(struct spt_flow *flow, u64 ip);

/*
 * Write a PSB+ in the middle of the trace, with a FUP that gives the address: @ip
 * is the next instruction. Call this after a step if spt_flow_wants_psb() and there
 * is room.
 */
bool spt_flow_wants_psb(const struct spt_flow *flow);
void spt_flow_psb(struct spt_flow *flow, u64 ip, u64 tsc);

#endif /* SOFTPT_FLOW_H */
