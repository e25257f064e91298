// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decode a run with a cache of the code: libipt's query decoder reads the packets, and the cache
 * tells where each block ends, and what a branch does. If a run contains something that this
 * decoder does not handle, it gives up, and libipt's block decoder decodes the run.
 */
#include "view/decode/fast.h"

/* A program that executes this many blocks without trace may be in an endless loop. */
#define FREE_STEPS	1000

static bool give_up(struct fast *f)
{
	f->give_up = true;
	return false;
}

/* After the last packets, the flow ends where trace is needed. */
static bool no_trace(struct fast *f, int status)
{
	if (status != -pte_eos && !(f->w->at_end && status == -pte_bad_query))
		return give_up(f);
	f->w->stopped = true;
	return false;
}

static void push(struct fast *f, __u64 ip)
{
	f->returns[f->nr_calls++ % RETURNS] = ip;
	if (f->nr_returns < RETURNS)
		f->nr_returns++;
}

static bool pop(struct fast *f)
{
	if (!f->nr_returns)
		return give_up(f);
	f->nr_returns--;
	f->ip = f->returns[--f->nr_calls % RETURNS];
	return true;
}

/* Get the next event if one is pending. */
static inline void fetch(struct fast *f)
{
	if (!(f->status & pts_event_pending) || f->pending)
		return;
	f->status = pt_qry_event(f->query, &f->event, sizeof(f->event));
	f->unseen = true;
	if (f->status < 0)
		give_up(f);
	f->pending = true;
	f->arrived = false;
}

static bool indirect(struct fast *f)
{
	uint64_t ip = 0;
	const int status = pt_qry_indirect_branch(f->query, &ip);

	if (status < 0)
		return no_trace(f, status);
	if (status & pts_ip_suppressed)
		return give_up(f);
	f->status = status;
	f->ip = ip;
	return true;
}

/* A compressed return is a taken branch. */
static bool ret(struct fast *f)
{
	int taken = 0;
	const int status = pt_qry_cond_branch(f->query, &taken);

	if (status == -pte_bad_query)
		return indirect(f);
	if (status < 0)
		return no_trace(f, status);
	f->status = status;
	return taken ? pop(f) : give_up(f);
}

static bool cond(struct fast *f, struct code_block *b)
{
	int taken = 0;
	const int status = pt_qry_cond_branch(f->query, &taken);

	if (status < 0)
		return no_trace(f, status);
	f->status = status;
	f->ip = taken ? b->target : b->next;
	f->link = taken ? &b->to_target : &b->to_next;
	return true;
}

/* The block ends with a branch that needs trace. Return whether the flow goes on. */
static bool branch(struct fast *f, struct code_block *b)
{
	bool goes_on;

	/* libipt stores the return address even if tracing ends at the call. */
	if (b->kind == CODE_INDIRECT_CALL)
		push(f, b->next);
	/* A pending disabled event belongs to this branch. No other event can be pending here. */
	if (f->pending) {
		f->arrived = true;
		return f->event.type == ptev_disabled || give_up(f);
	}
	f->free_steps = 0;
	f->link = &b->to_target;
	switch ((enum code_kind)b->kind) {
	case CODE_COND:
		goes_on = cond(f, b);
		break;
	case CODE_RETURN:
		goes_on = ret(f);
		break;
	default:
		goes_on = indirect(f);
		break;
	}
	if (!goes_on)
		return false;
	f->unseen = true;
	fetch(f);
	return !f->give_up;
}

/* Go to the end of a block. Return whether the flow goes on. */
static bool leave(struct fast *f, struct code_block *b)
{
	f->link = &b->to_target;
	switch ((enum code_kind)b->kind) {
	case CODE_GOES_ON:
		f->ip = b->next;
		f->link = &b->to_next;
		break;
	case CODE_CALL:
		/* Code calls the next instruction to read its own address, and never returns. */
		if (b->target != b->next)
			push(f, b->next);
		f->ip = b->target;
		break;
	case CODE_JUMP:
		f->ip = b->target;
		break;
	default:
		return branch(f, b);
	}
	if (f->pending && f->event.type == ptev_disabled && !f->event.ip_suppressed &&
	    f->ip == f->event.variant.disabled.ip)
		f->arrived = true;
	return ++f->free_steps < FREE_STEPS || give_up(f);
}

/* Find the block at f->ip. */
static inline struct code_block *follow(struct fast *f)
{
	struct run *r = f->w->r;
	struct code_block *b = f->link ? *f->link : NULL;

	if (b && b->place.ip == f->ip && code_is_current(b, r->image))
		return b;
	b = code_find(r->code, f->ip);
	if (f->link)
		*f->link = b;
	return b;
}

/* Return the block at f->ip up to the place of the event, if one is pending. */
static struct code_block *next_block(struct fast *f)
{
	struct code_block *b = follow(f);
	__u64 limit;

	if (!b || !f->pending)
		return b;
	limit = event_place(f, b->place.ip);
	if (limit > b->place.ip && limit <= b->last.end_ip)
		b = code_until(f->w->r->code, b->place.ip, limit);
	return b;
}

/* Tell the events at this place. Return whether the run goes on. */
static inline bool take_events(struct fast *f)
{
	fetch(f);
	while (!f->give_up && f->pending && event_is_due(f)) {
		event_tell(f);
		f->link = NULL;
		fetch(f);
	}
	f->w->at_end = !f->pending && f->status & pts_eos;
	return !f->give_up && (f->w->on || !f->w->at_end);
}

/* Tracing is off. Only an event can come, which libipt reports one step later. */
static bool step_off(struct fast *f)
{
	if (!f->pending || f->event.type != ptev_disabled)
		return give_up(f);
	f->arrived = true;
	return true;
}

static bool is_disabled_here(const struct fast *f)
{
	const struct pt_event *e = &f->event;

	return f->pending && e->type == ptev_disabled &&
	       (e->status_update || (!e->ip_suppressed && f->ip == e->variant.disabled.ip));
}

/* Go through one block. Return whether the flow goes on. */
static inline bool step(struct fast *f)
{
	struct code_block *b = next_block(f);

	if (!b || !f->has_mode)
		return give_up(f);
	if (walk_block(f->w, &b->place, &b->last, b->nr_insns))
		return leave(f, b);
	/* run.c looks at the time after this block, unless libipt needs trace to leave it. */
	f->unseen &= b->kind < CODE_COND;
	return true;
}

static void walk(struct fast *f)
{
	uint64_t tsc;

	while (take_events(f)) {
		if (!(f->enabled && !is_disabled_here(f) ? step(f) : step_off(f)))
			break;
		if (f->unseen && !pt_qry_time(f->query, &tsc, NULL, NULL))
			walk_time(f->w, tsc);
		f->unseen = false;
		if (walk_ends(f->w))
			break;
	}
}

bool fast_decode(struct walk *w, const struct pt_config *config)
{
	struct fast f = { .w = w, .config = config };
	uint64_t ip = 0;

	code_limit(w->r->code);
	f.query = pt_qry_alloc_decoder(config);
	if (!f.query)
		return false;
	f.status = pt_qry_sync_set(f.query, &ip, 0);
	f.enabled = f.status >= 0 && !(f.status & pts_ip_suppressed);
	f.ip = ip;
	f.give_up = f.status < 0 || f.enabled != w->on;
	if (!f.give_up)
		walk(&f);
	pt_qry_free_decoder(f.query);
	return !f.give_up;
}
