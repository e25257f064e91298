// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turn blocks of instructions and events of the trace into flow between functions.
 */
#include "view/decode/walk.h"

/* The size of SYSCALL, SYSENTER and INT n */
#define SYSCALL_SIZE	2

static void add(struct walk *w, const struct flow *f)
{
	out_add(w->r->out, f);
}

/* The process and its maps can have changed. */
static void move_image(struct walk *w, __u64 ns)
{
	struct image *i = w->r->image;
	const struct space *space = w->r->setup->space->find(w->r->setup->space, ns);
	int rc;

	if (space == i->view.space && ns >= i->view.time && ns < i->view.until)
		return;
	rc = image_move(i, space, ns);
	if (rc)
		w->r->out->err = rc;
	if (w->decoder)
		pt_blk_set_image(w->decoder, i->pt);
}

void walk_time(struct walk *w, __u64 tsc)
{
	__u64 ns;

	if (tsc <= w->tsc)
		return;
	w->tsc = tsc;
	ns = clock_ns(&w->r->setup->clock, tsc);
	out_time(w->r->out, ns);
	move_image(w, ns);
}

static enum flow_kind other_kind(__u64 from, __u64 to)
{
	if (is_kernel(from) == is_kernel(to))
		return FLOW_JUMP;
	return is_kernel(to) ? FLOW_FAR_CALL : FLOW_FAR_RETURN;
}

void walk_go(struct walk *w, const struct walk_place *p)
{
	const struct walk_last *last = w->last;
	struct flow f = { .to = p->ip, .function = p->function, .is_begin = p->is_begin };

	if (!last) {
		w->function = p->function;
		return;
	}
	w->last = NULL;
	f.from = last->end_ip;
	switch (last->iclass) {
	case ptic_call:
		f.kind = FLOW_CALL;
		f.size = last->size ?: image_call_size(w->r->image, f.from, last->isid,
						       last->is_64bit);
		break;
	case ptic_return:
		f.kind = FLOW_RETURN;
		break;
	default:
		f.kind = other_kind(f.from, p->ip);
		if (f.kind == FLOW_JUMP && p->function == w->function)
			return;
	}
	w->function = p->function;
	add(w, &f);
}

static struct walk_place place(struct walk *w, __u64 ip)
{
	struct walk_place p = { .ip = ip };

	p.function = image_function(w->r->image, ip, &p.is_begin);
	return p;
}

static void go_to(struct walk *w, __u64 to)
{
	const struct walk_place p = place(w, to);

	walk_go(w, &p);
}

static void add_place(struct walk *w, enum flow_kind kind, __u64 from, __u64 to)
{
	const struct walk_place p = place(w, to);

	add(w, &(struct flow) {
		.kind = kind, .from = from, .to = to, .function = p.function,
		.is_begin = p.is_begin });
	w->function = p.function;
	w->last = NULL;
}

static void begin(struct walk *w, __u64 ip)
{
	w->on = true;
	add_place(w, FLOW_BEGIN, 0, ip);
}

static void end(struct walk *w, __u64 from, __u64 to)
{
	w->on = false;
	add_place(w, FLOW_END, from, to);
}

/* Return where the program goes on if the last block ends with a system call. */
static __u64 after_last(const struct walk *w)
{
	return w->last ? w->last->end_ip + SYSCALL_SIZE : 0;
}

static void cut(struct walk *w, const char *why)
{
	add(w, &(struct flow) {
		.kind = FLOW_CUT, .from = w->last ? w->last->end_ip : 0, .text = why });
	w->last = NULL;
}

static void overflow(struct walk *w, const struct pt_event *e)
{
	cut(w, "the processor's buffer overflowed: packets are missing");
	w->on = !e->ip_suppressed;
	if (w->on)
		add_place(w, FLOW_SYNC, 0, e->variant.overflow.ip);
}

void walk_event(struct walk *w, const struct pt_event *e)
{
	const __u64 from = w->last ? w->last->end_ip : 0;

	switch (e->type) {
	case ptev_enabled:
		if (e->has_tsc)
			walk_time(w, e->tsc);
		if (!e->status_update)
			begin(w, e->variant.enabled.ip);
		break;
	case ptev_disabled:
		/* libipt 2.1 reports a disabled event for each PSB+ without an address. */
		if (e->status_update)
			break;
		if (!e->ip_suppressed) {
			/* A branch out of what is traced */
			go_to(w, e->variant.disabled.ip);
			end(w, from, e->variant.disabled.ip);
		} else {
			end(w, from, after_last(w));
		}
		break;
	case ptev_async_disabled:
		go_to(w, e->variant.async_disabled.at);
		end(w, e->variant.async_disabled.at, e->variant.async_disabled.at);
		break;
	case ptev_async_branch:
		go_to(w, e->variant.async_branch.from);
		add_place(w, FLOW_INTERRUPT, e->variant.async_branch.from,
			  e->variant.async_branch.to);
		break;
	case ptev_overflow:
		overflow(w, e);
		break;
	default:
		break;
	}
}

/* Does the next run begin in this block? */
static bool meets(const struct walk *w, __u64 ip, __u64 end_ip)
{
	const struct psb *next = &w->r->next;

	return next->has_ip && next->ip >= ip && next->ip <= end_ip;
}

bool walk_other_block(struct walk *w, const struct walk_place *p, const struct walk_last *last,
		      __u64 nr_insns)
{
	if (walk_is_rest(w, last))
		w->last = NULL;
	else
		walk_go(w, p);
	if (w->at_end) {
		w->met = meets(w, p->ip, last->end_ip);
		/* Without a next run, it is unknown how far the program got. */
		w->stopped = !w->met && !w->r->next.has_ip;
		if (walk_ends(w))
			return false;
	}
	w->last = last;
	out_steps(w->r->out, nr_insns);
	return true;
}

void walk_fail(struct walk *w, const struct flow *f)
{
	struct flow copy = *f;

	copy.from = w->last ? w->last->end_ip : 0;
	add(w, &copy);
	w->stopped = true;
	w->on = false;
}

void walk_begin(struct walk *w)
{
	const struct run *r = w->r;
	__u64 ns = ~0ULL;

	if (r->psb.has_tsc) {
		ns = clock_ns(&r->setup->clock, r->psb.tsc);
		w->tsc = r->psb.tsc;
		out_begin(r->out, ns);
	}
	move_image(w, ns);
	if (r->psb.has_ip)
		add_place(w, FLOW_SYNC, 0, r->psb.ip);
}

void walk_end(struct walk *w)
{
	const struct run *r = w->r;
	const struct psb *next = &r->next;

	/* Are packets missing between this run and the next? */
	if (!w->met && w->on && next->is_whole)
		cut(w, "the trace does not go on here: packets are missing");
	if (next->has_tsc && (w->met || !w->on))
		out_time(r->out, clock_ns(&r->setup->clock, next->tsc));
	out_end(r->out);
}
