// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control flow as Intel PT packets. What is sent when: SDM volume 3, "Packet
 * Definitions" and the table "Packet Generation under Different Enable
 * Conditions". Where that leaves a choice, it is the one that both libipt
 * (pt_insn_decoder.c) and perf (intel-pt-decoder.c) follow exactly.
 *
 * Outcomes of conditional branches are kept back, up to a long TNT, and sent
 * before anything that has an IP: no decoder has to put a TIP off.
 *
 * Address ranges hold for each instruction. The hardware looks at them when a
 * branch is taken only, and so traces on behind the end of a range; decoders
 * cannot tell the difference.
 */
#include "flow.h"
#include "packet.h"

/* Where an address is, for the ranges */
enum spt_place {
	SPT_INSIDE,		/* to be traced */
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
 * Decoders forget calls at a PSB. At TIP.PGE they do not, but the hardware does;
 * that what is remembered here may be less than what they remember is no harm:
 * both push on top of it.
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
 * Whether it is where the last call came from. If not, libipt's stack keeps the
 * call and perf's does not (proceed() there, intel_pt_walk_insn() here): what
 * is below it means nothing any more.
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
 * Here the FUP has its IP in full: perf reads it ahead of the PSB, against the
 * last IP before it (intel_pt_psb_with_fup()).
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

/* Comes to @ip from where nothing is traced. */
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

/* SPT_OTHER has no length: from there it may go to itself, or a bit further. */
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

/* @next is inside, as @ip is. */
static void go_on(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		  u64 next)
{
	switch (insn->class) {
	case SPT_BRANCH:
		branched(flow, next != behind(insn, ip));
		break;
	case SPT_CALL:
		/*
		 * To find out where it is: never returned from (SDM, "RET
		 * Compression").
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
		/* To perf CALLF and RETF are calls and returns, to libipt not. */
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
 * @next is not inside, @ip is. The branch that leads there has a TIP.PGD for its
 * TNT or TIP: with an IP, by which libipt knows which branch it is
 * (process_one_event_after()); perf has the ranges to tell (intel_pt_walk_tip()).
 * If there is no branch both go on to the next one, unless a FUP stops them.
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

bool spt_flow_step(struct spt_flow *flow, const struct spt_insn *insn, u64 ip,
		   u64 next, u64 tsc)
{
	/* The mode is known to change where it is told: at a far transfer. */
	bool known = leads_to(insn, ip, next) &&
		     (flow->told_mode || !flow->enabled || insn->class == SPT_FAR);

	if (!flow->inside || flow->stopped)
		return known;
	if (flow->enabled && known && place_of(flow, next) == SPT_INSIDE) {
		go_on(flow, insn, ip, next);
		return true;
	}
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
