// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the trace in the fast decoder: where they happen, and what they do to tracing.
 *
 * libipt's block decoder has the same rules (pt_block_decoder.c). Events that only a trace of the
 * kernel has, and those that errata of processors change, are left to it.
 */
#include "view/decode/fast.h"

static bool give_up(struct fast *f)
{
	f->give_up = true;
	return false;
}

static bool is_at(const struct fast *f, __u64 ip)
{
	return f->event.ip_suppressed || f->ip == ip;
}

bool event_is_due(struct fast *f)
{
	const struct pt_event *e = &f->event;

	switch (e->type) {
	case ptev_enabled:
	case ptev_overflow:
	case ptev_stop:
	case ptev_pwre:
	case ptev_pwrx:
	case ptev_tick:
	case ptev_cbr:
	case ptev_mnt:
		return true;
	case ptev_disabled:
		/* This one is at a branch, so it is not due before the next block. */
		return f->arrived;
	case ptev_async_disabled:
		if (f->config->errata.skd022)
			return give_up(f);
		return f->ip == e->variant.async_disabled.at;
	case ptev_async_branch:
		return f->ip == e->variant.async_branch.from;
	case ptev_async_paging:
		return is_at(f, e->variant.async_paging.ip);
	case ptev_async_vmcs:
		return is_at(f, e->variant.async_vmcs.ip);
	case ptev_exec_mode:
		return !f->enabled || is_at(f, e->variant.exec_mode.ip);
	case ptev_exstop:
		return !f->enabled || is_at(f, e->variant.exstop.ip);
	case ptev_mwait:
		return !f->enabled || is_at(f, e->variant.mwait.ip);
	case ptev_tsx:
		if (f->config->errata.bdm64)
			return give_up(f);
		return is_at(f, e->variant.tsx.ip);
	case ptev_paging:
	case ptev_vmcs:
	case ptev_ptwrite:
		return f->enabled ? give_up(f) : true;
	}
	/* An event of a newer libipt */
	return give_up(f);
}

__u64 event_place(const struct fast *f, __u64 none)
{
	const struct pt_event *e = &f->event;

	switch (e->type) {
	case ptev_disabled:
		return e->ip_suppressed ? none : e->variant.disabled.ip;
	case ptev_async_disabled:
		return e->variant.async_disabled.at;
	case ptev_async_branch:
		return e->variant.async_branch.from;
	case ptev_async_paging:
		return e->variant.async_paging.ip;
	case ptev_async_vmcs:
		return e->variant.async_vmcs.ip;
	case ptev_exec_mode:
		return e->variant.exec_mode.ip;
	case ptev_exstop:
		return e->variant.exstop.ip;
	case ptev_mwait:
		return e->variant.mwait.ip;
	case ptev_tsx:
		return e->variant.tsx.ip;
	default:
		return none;
	}
}

static void enable(struct fast *f, const struct pt_event *e)
{
	if (e->status_update) {
		f->give_up |= !f->enabled;
		return;
	}
	f->give_up |= f->enabled || e->ip_suppressed;
	f->enabled = true;
	f->ip = e->variant.enabled.ip;
}

static void disable(struct fast *f, const struct pt_event *e)
{
	f->give_up |= e->status_update ? f->enabled : !f->enabled;
	f->enabled = false;
}

void event_tell(struct fast *f)
{
	const struct pt_event *e = &f->event;

	f->pending = false;
	f->arrived = false;
	switch (e->type) {
	case ptev_enabled:
		enable(f, e);
		break;
	case ptev_disabled:
	case ptev_async_disabled:
		disable(f, e);
		break;
	case ptev_async_branch:
		f->give_up |= !f->enabled;
		f->ip = e->variant.async_branch.to;
		break;
	case ptev_overflow:
		f->enabled = !e->ip_suppressed;
		f->ip = e->ip_suppressed ? 0 : e->variant.overflow.ip;
		break;
	case ptev_exec_mode:
		/* branch.c reads 64-bit code only. */
		f->give_up |= e->variant.exec_mode.mode != ptem_64bit;
		f->has_mode = true;
		break;
	case ptev_stop:
		f->give_up |= f->enabled;
		break;
	default:
		break;
	}
	if (!f->give_up)
		walk_event(f->w, e);
}
