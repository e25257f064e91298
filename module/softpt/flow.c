// SPDX-License-Identifier: GPL-2.0-only
/*
 * The encoder of control flow as Intel PT packets. SDM volume 3, "Packet
 * Definitions" and the table "Packet Generation under Different Enable Conditions",
 * tell which packet is sent when. Where the SDM leaves a choice, the encoder does
 * what both libipt (pt_insn_decoder.c) and perf (intel-pt-decoder.c) follow
 * exactly.
 *
 * The outcomes of conditional branches are collected, up to a long TNT, and sent
 * before any packet that has an IP. So no decoder has to postpone a TIP.
 *
 * Address ranges apply to each instruction. The hardware checks them only when a
 * branch is taken, and therefore continues to trace after the end of a range.
 * Decoders cannot see the difference.
 */
#include "flow.h"
#include "packet.h"

/* Position of an address relative to the ranges */
enum spt_place {
	SPT_INSIDE,		/* traced */
	SPT_OUTSIDE,
	SPT_STOP,		/* in a range that stops the trace */
};

static u8 *at_end(struct spt_flow *flow)
{
	return flow->out + flow->out_used;
}

static void added(struct spt_flow *flow, const u8 *end)
{
	unsigned int used = end - flow->out;

	flow->since_psb += used - flow->out_used;
	flow->out_used = used;
}

static void put_tnt(struct spt_flow *flow)
{
	if (!flow->nr_tnt)
		return;
	added(flow, spt_packet_tnt(at_end(flow), flow->tnt, flow->nr_tnt));
	flow->tnt = 0;
	flow->nr_tnt = 0;
}

static void branched(struct spt_flow *flow, bool taken)
{
	flow->tnt = flow->tnt << 1 | taken;
	if (++flow->nr_tnt == SPT_TNT_LONG)
		put_tnt(flow);
}

static void put_ip(struct spt_flow *flow, enum spt_ip_packet type, u64 ip)
{
	put_tnt(flow);
	added(flow, spt_packet_ip(at_end(flow), type, ip, flow->last_ip));
	flow->last_ip = ip;
}

static void put_pgd(struct spt_flow *flow)
{
	put_tnt(flow);
	added(flow, spt_packet_ip_none(at_end(flow), SPT_TIP_PGD));
	flow->enabled = false;
}

static void put_pgd_ip(struct spt_flow *flow, u64 ip)
{
	put_ip(flow, SPT_TIP_PGD, ip);
	flow->enabled = false;
}

static void put_tsc(struct spt_flow *flow, u64 tsc)
{
	if (!flow->tsc)
		return;
	added(flow, spt_packet_tsc(at_end(flow), tsc));
	flow->last_tsc = tsc;
}

static void put_mode(struct spt_flow *flow)
{
	added(flow, spt_packet_mode_exec(at_end(flow), flow->is64));
	flow->told_mode = true;
}

/*
 * Decoders forget calls at a PSB. At a TIP.PGE the hardware forgets calls, but
 * decoders do not. It does no harm if this stack has fewer calls than the
 * decoder's: both push on top.
 */
static void forget_calls(struct spt_flow *flow)
{
	flow->nr_calls = 0;
}

static void called(struct spt_flow *flow, u64 return_ip)
{
	flow->top = (flow->top + 1) % SPT_CALLS_MAX;
	flow->calls[flow->top] = return_ip;
	if (flow->nr_calls < SPT_CALLS_MAX)
		flow->nr_calls++;
}

/*
 * Return whether @ip is the return address of the last call. If @ip is not, libipt's
 * stack keeps the call and perf's does not (proceed() in libipt,
 * intel_pt_walk_insn() in perf), so the entries below are useless.
 */
static bool returned(struct spt_flow *flow, u64 ip)
{
	if (flow->noretcomp || !flow->nr_calls)
		return false;
	if (flow->calls[flow->top] != ip) {
		forget_calls(flow);
		return false;
	}
	flow->top = (flow->top + SPT_CALLS_MAX - 1) % SPT_CALLS_MAX;
	flow->nr_calls--;
	return true;
}

/*
 * This FUP has a full IP: perf reads the FUP before it handles the PSB, and decodes
 * it relative to the last IP before the PSB (intel_pt_psb_with_fup()).
 */
static void put_psb_plus(struct spt_flow *flow, u64 ip, u64 tsc)
{
	put_tnt(flow);
	flow->since_psb = 0;
	flow->last_ip = 0;
	forget_calls(flow);
	added(flow, spt_packet_psb(at_end(flow)));
	put_tsc(flow, tsc);
	put_mode(flow);
	added(flow, spt_packet_cbr(at_end(flow), flow->cbr));
	if (flow->enabled) {
		added(flow, spt_packet_ip_full(at_end(flow), SPT_FUP, ip));
		flow->last_ip = ip;
	}
	added(flow, spt_packet_psbend(at_end(flow)));
}

static enum spt_place place_of(const struct spt_flow *flow, u64 ip)
{
	bool filtered = false, matched = false;
	unsigned int i;

	for (i = 0; i < flow->nr_ranges; i++) {
		const struct spt_range *range = &flow->ranges[i];
		bool hit = ip >= range->first && ip <= range->last;

		if (range->stop && hit)
			return SPT_STOP;
		if (!range->stop) {
			filtered = true;
			matched |= hit;
		}
	}
	return filtered && !matched ? SPT_OUTSIDE : SPT_INSIDE;
}

/* The thread comes to @ip from code that is not traced. */
static void enter(struct spt_flow *flow, u64 ip, u64 tsc)
{
	switch (place_of(flow, ip)) {
	case SPT_OUTSIDE:
		return;
	case SPT_STOP:
		added(flow, spt_packet_tracestop(at_end(flow)));
		flow->stopped = true;
		return;
	case SPT_INSIDE:
		break;
	}
	if (tsc != flow->last_tsc)
		put_tsc(flow, tsc);
	if (!flow->told_mode)
		put_mode(flow);
	forget_calls(flow);
	put_ip(flow, SPT_TIP_PGE, ip);
	flow->enabled = true;
}

static u64 behind(const struct spt_insn *insn, u64 ip)
{
	return ip + insn->length;
}

/*
 * If SPT_OTHER has no length, it can lead to itself or up to SPT_INSN_MAX bytes
 * further.
 */
static bool leads_to(const struct spt_insn *insn, u64 ip, u64 next)
{
	switch (insn->class) {
	case SPT_OTHER:
		if (insn->length)
			return next == behind(insn, ip);
		return next - ip <= SPT_INSN_MAX;
	case SPT_PUSHF:
	case SPT_POPF:
	case SPT_MOV_SS:
		return next == behind(insn, ip);
	case SPT_JUMP:
	case SPT_CALL:
		return next == insn->target;
	case SPT_BRANCH:
		return next == insn->target || next == behind(insn, ip);
	case SPT_JUMP_INDIRECT:
	case SPT_CALL_INDIRECT:
	case SPT_RETURN:
	case SPT_FAR:
		return true;
	case SPT_SYSCALL:
	case SPT_INT3:
	case SPT_BAD:
		break;
	}
	return false;
}

/* Both @ip and @next are in the traced ranges. */
static void go_on(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		  u64 next)
{
	switch (insn->class) {
	case SPT_BRANCH:
		branched(flow, next != behind(insn, ip));
		break;
	case SPT_CALL:
		/*
		 * A CALL to the next instruction only reads its own address; it is
		 * never returned from (SDM, "RET Compression").
		 */
		if (next != behind(insn, ip))
			called(flow, behind(insn, ip));
		break;
	case SPT_CALL_INDIRECT:
		called(flow, behind(insn, ip));
		put_ip(flow, SPT_TIP, next);
		break;
	case SPT_RETURN:
		if (returned(flow, next))
			branched(flow, true);
		else
			put_ip(flow, SPT_TIP, next);
		break;
	case SPT_FAR:
		/* perf takes CALLF and RETF for calls and returns; libipt does not. */
		forget_calls(flow);
		put_tnt(flow);
		if (!flow->told_mode)
			put_mode(flow);
		put_ip(flow, SPT_TIP, next);
		break;
	case SPT_JUMP_INDIRECT:
		put_ip(flow, SPT_TIP, next);
		break;
	default:
		break;
	}
}

/*
 * @ip is in the traced ranges, @next is not. The branch that leads to @next has a
 * TIP.PGD instead of its TNT or TIP. By the IP of the TIP.PGD libipt knows which
 * branch it is (process_one_event_after()); perf knows it by the ranges
 * (intel_pt_walk_tip()). If no branch leads to @next, a FUP must stop the decoders,
 * or they would go on to the next branch.
 */
static void leave(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		  u64 next)
{
	switch (insn->class) {
	case SPT_BRANCH:
		if (next != behind(insn, ip))
			break;
		branched(flow, false);
		put_ip(flow, SPT_FUP, next);
		break;
	case SPT_OTHER:
	case SPT_PUSHF:
	case SPT_POPF:
	case SPT_MOV_SS:
		put_ip(flow, SPT_FUP, next);
		break;
	default:
		break;
	}
	put_pgd_ip(flow, next);
}

void spt_flow_init(struct spt_flow *flow)
{
	flow->out_used = 0;
	flow->is64 = true;
	if (!flow->cbr)
		flow->cbr = 1;
	spt_flow_reset(flow);
}

void spt_flow_reset(struct spt_flow *flow)
{
	flow->inside = false;
	flow->stopped = false;
	flow->enabled = false;
	flow->told_mode = false;
	flow->since_psb = SPT_PSB_PERIOD;
	flow->last_ip = 0;
	flow->last_tsc = 0;
	flow->tnt = 0;
	flow->nr_tnt = 0;
	flow->top = 0;
	forget_calls(flow);
}

void spt_flow_begin(struct spt_flow *flow, u64 ip, bool is64, u64 tsc)
{
	flow->inside = true;
	spt_flow_mode(flow, is64);
	if (flow->stopped)
		return;
	if (flow->since_psb >= SPT_PSB_PERIOD)
		put_psb_plus(flow, ip, tsc);
	enter(flow, ip, tsc);
}

void spt_flow_mode(struct spt_flow *flow, bool is64)
{
	if (flow->is64 == is64)
		return;
	flow->is64 = is64;
	flow->told_mode = false;
}

static void interrupted(struct spt_flow *flow, u64 ip)
{
	put_ip(flow, SPT_FUP, ip);
	put_pgd(flow);
}

/* The mode can be encoded only at a far transfer. */
static bool can_lead_to(const struct spt_flow *flow,
			const struct spt_insn *insn, u64 ip, u64 next)
{
	return leads_to(insn, ip, next) &&
	       (flow->told_mode || !flow->enabled || insn->class == SPT_FAR);
}

bool spt_flow_step_within(struct spt_flow *flow, const struct spt_insn *insn,
			  u64 ip, u64 next)
{
	if (!flow->enabled || !can_lead_to(flow, insn, ip, next) ||
	    place_of(flow, next) != SPT_INSIDE)
		return false;
	go_on(flow, insn, ip, next);
	return true;
}

bool spt_flow_step(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		   u64 next, u64 tsc)
{
	bool known;

	if (spt_flow_step_within(flow, insn, ip, next))
		return true;
	known = can_lead_to(flow, insn, ip, next);
	if (!flow->inside || flow->stopped)
		return known;
	if (flow->enabled && known)
		leave(flow, insn, ip, next);
	else if (flow->enabled)
		interrupted(flow, ip);
	enter(flow, next, tsc);
	return known;
}

void spt_flow_end(struct spt_flow *flow)
{
	if (flow->enabled)
		put_pgd(flow);
	flow->inside = false;
}

void spt_flow_end_at(struct spt_flow *flow, u64 ip)
{
	if (flow->enabled)
		interrupted(flow, ip);
	flow->inside = false;
}

bool spt_flow_wants_psb(const struct spt_flow *flow)
{
	return flow->inside && !flow->stopped &&
	       flow->since_psb >= SPT_PSB_PERIOD;
}

void spt_flow_psb(struct spt_flow *flow, u64 ip, u64 tsc)
{
	if (flow->inside && !flow->stopped)
		put_psb_plus(flow, ip, tsc);
}
