/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control flow of one thread, told step by step, as Intel PT packets (SDM
 * volume 3, "Intel Processor Trace"). Pure, for the module and for programs: no
 * locks, no memory of its own; the caller serialises.
 *
 * A flow is outside (before begin, after end) or inside. Packets go to
 * flow->out; the caller takes them and sets out_used to 0. Each call adds at
 * most SPT_FLOW_MAX bytes, and has no way to fail: the caller provides room.
 */
#ifndef SOFTPT_FLOW_H
#define SOFTPT_FLOW_H

#include <linux/types.h>

#include "insn.h"

/* The most that one call adds to out. */
#define SPT_FLOW_MAX		128

/* PSB+ again after so many bytes, as PSBFreq 1 (4K) of the hardware. */
#define SPT_PSB_PERIOD		4096

/* Return compression remembers so many calls (SDM: "maximum depth of 64"). */
#define SPT_CALLS_MAX		64

/* IA32_RTIT_ADDRn_CFG; caps num_address_ranges says so many. */
#define SPT_RANGES_MAX		2

struct spt_range {
	u64 first;		/* of the range's bytes */
	u64 last;		/* inclusive, as the hardware has it */
	bool stop;		/* TraceStop, else a filter that is to match */
};

struct spt_flow {
	/* set by the caller before spt_flow_init() */
	bool tsc;		/* TSC packets: TSCEn */
	bool noretcomp;		/* DisRETC */
	u8 cbr;			/* TSC frequency in 100 MHz; 0 becomes 1: libipt refuses 0 */
	unsigned int nr_ranges;
	struct spt_range ranges[SPT_RANGES_MAX];

	/* for the caller */
	u8 out[SPT_FLOW_MAX];
	unsigned int out_used;
	bool inside;		/* between begin and end */
	bool stopped;		/* TraceStop: until spt_flow_reset() */

	/* private */
	bool enabled;		/* inside, and in a filter range: PacketEn */
	bool is64;
	bool told_mode;
	u32 since_psb;
	u64 last_ip;		/* for compression; 0 after PSB */
	u64 last_tsc;
	u64 tnt;
	unsigned int nr_tnt;
	u64 calls[SPT_CALLS_MAX];
	unsigned int nr_calls;	/* valid ones, at most SPT_CALLS_MAX */
	unsigned int top;
};

void spt_flow_init(struct spt_flow *flow);

/*
 * What follows goes to a place of its own (a new AUX region, after loss, after
 * stop and start): the next begin starts with PSB+ and nothing before is relied
 * on. The flow is outside afterwards; if it was inside, and the trace before is
 * to stay decodable to its end, call spt_flow_end_at() first.
 */
void spt_flow_reset(struct spt_flow *flow);

/*
 * User code goes on at @ip, which has not been executed. @tsc: now. Only if
 * outside.
 */
void spt_flow_begin(struct spt_flow *flow, u64 ip, bool is64, u64 tsc);

/*
 * The instruction that is about to be told has changed the mode: before
 * spt_flow_step() of a far transfer between 32-bit and 64-bit code. Nothing if
 * the mode is what it was, so that it may be called before each step.
 */
void spt_flow_mode(struct spt_flow *flow, bool is64);

/*
 * The instruction at @ip has been executed, and @next is the address of the next
 * one. For SPT_SYSCALL see spt_flow_end(). A @next that @insn cannot lead to
 * (the bytes were changed, or were not readable: SPT_BAD) is told as what it
 * looks like, an interruption at @ip and a begin at @next. Returns false then.
 */
bool spt_flow_step(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		   u64 next, u64 tsc);

/* The instruction that is next will be told: inside, and in a range. */
static inline bool spt_flow_is_traced(const struct spt_flow *flow)
{
	return flow->enabled;
}

/* The instruction before has led into the kernel: SPT_SYSCALL, SPT_INT3. If inside. */
void spt_flow_end(struct spt_flow *flow);

/*
 * Something that no instruction did (a signal, the scheduler, the end of room)
 * before the instruction at @ip was executed. If inside.
 */
void spt_flow_end_at(struct spt_flow *flow, u64 ip);

/*
 * A PSB+ in the middle, with the FUP that says where: @ip is next. To be called
 * after a step if spt_flow_wants_psb(), when there is room.
 */
bool spt_flow_wants_psb(const struct spt_flow *flow);
void spt_flow_psb(struct spt_flow *flow, u64 ip, u64 tsc);

#endif /* SOFTPT_FLOW_H */
