// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encode what a task has executed: calls of the flow (flow.h) for instructions and
 * blocks that were stepped, and for the flow's begin and end.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "softpt.h"

void spt_encode_begin(struct spt_cpu *c, u64 ip)
{
	spt_flow_begin(&c->e->flow, ip, c->task->is64, rdtsc());
	spt_output(c);
}

void spt_encode_end_at(struct spt_cpu *c, u64 ip)
{
	if (!c->e->flow.inside)
		return;
	spt_flow_end_at(&c->e->flow, ip);
	spt_output(c);
}

void spt_encode_lost(struct spt_cpu *c, u64 ip)
{
	if (c->e->flow.stopped)
		return;
	spt_encode_end_at(c, ip);
	spt_output_lost(c);
}

void spt_encode_insn(struct spt_cpu *c, const struct spt_insn *insn, u64 ip,
		     u64 next)
{
	struct spt_flow *flow = &c->e->flow;

	if (insn->cut && spt_flow_is_traced(flow)) {
		spt_encode_lost(c, ip);
		return;
	}
	/* Hypervisors may emulate RDTSC, and few steps need the time. */
	if (!spt_flow_step_within(flow, insn, ip, next))
		spt_flow_step(flow, insn, ip, next, rdtsc());
	if (!flow->out_used)
		return;
	spt_output(c);
	if (spt_flow_wants_psb(flow)) {
		spt_flow_psb(flow, next, rdtsc());
		spt_output(c);
	}
}

void spt_encode_held(struct spt_cpu *c, u64 ip)
{
	struct spt_task *t = c->task;

	if (!t->held)
		return;
	t->held = false;
	if (ip == t->held_ip)
		return;
	if (!c->e->flow.inside)
		spt_encode_begin(c, t->held_ip);
	spt_encode_insn(c, &t->held_insn, t->held_ip, ip);
}

void spt_encode_come_to(struct spt_cpu *c, u64 ip)
{
	spt_encode_held(c, ip);
	if (!c->e->flow.inside)
		spt_encode_begin(c, ip);
}

void spt_encode_moved(struct spt_cpu *c, u64 from)
{
	struct spt_task *t = c->task;

	if (!t->held && from != t->places[0])
		spt_encode_end_at(c, t->places[0]);
}

/* Not all processors have UMIP, and not all delay the trap after MOV SS. */
static bool spt_is_surely_late(const struct spt_insn *insn)
{
	return insn->emulation == SPT_IOPL ||
	       (insn->emulation == SPT_UMIP && boot_cpu_has(X86_FEATURE_UMIP));
}

u64 spt_encode_catch_up(struct spt_cpu *c, struct spt_insn *insn, u64 ip,
			u64 next, bool trapped)
{
	struct spt_task *t = c->task;
	int i;

	spt_code_read(t, insn, ip);
	for (i = 0; i < SPT_LATE_MAX && spt_insn_is_late(insn); i++) {
		u64 behind = ip + insn->length;

		if (next == ip && !trapped)
			break;
		/* If the trap was surely late, the next instruction ran, and led to itself. */
		if (next == behind && trapped && !spt_is_surely_late(insn))
			break;
		spt_encode_insn(c, insn, ip, behind);
		ip = behind;
		spt_code_read(t, insn, ip);
	}
	return ip;
}

/* The count of the event is the number of instructions that were stepped. */
void spt_encode_count(struct spt_cpu *c)
{
	c->task->steps++;
	local64_inc(&c->event->count);
}

void spt_encode_block(struct spt_cpu *c, u64 ip, bool trapped)
{
	struct spt_task *t = c->task;
	u64 at = t->block.ip, last = ip;
	struct spt_insn insn;

	if (!t->in_block)
		return;
	t->in_block = false;
	spt_btf_set(false);
	if (trapped ? !spt_btf_trapped(&t->block, ip, &last) :
		      !spt_block_insn(&t->block, ip, &insn)) {
		/* Somebody has changed the code meanwhile. */
		spt_encode_lost(c, at);
		last = ip;
	} else if (at != last) {
		spt_encode_come_to(c, at);
		for (; at != last; at += insn.length) {
			spt_block_insn(&t->block, at, &insn);
			spt_encode_insn(c, &insn, at, at + insn.length);
			spt_encode_count(c);
		}
	}
	spt_place_set(t, last);
}
