// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turn the blocks of instructions that libipt's decoder finds into flow between functions.
 *
 * After the last packet, the decoder goes on until it needs a further one. On this way it reaches
 * the first instruction of the next run, where this run ends. If it does not, data is missing in
 * between.
 */
#include <errno.h>
#include <string.h>

#include "view/code/object.h"
#include "view/decode/run.h"

/* The size of SYSCALL, SYSENTER and INT n */
#define SYSCALL_SIZE	2
/* As in perf: no program executes this many blocks without a branch that needs a packet. */
#ifndef BLOCKS_MAX
#define BLOCKS_MAX	100000
#endif

struct walk {
	struct run *r;
	struct pt_block_decoder *decoder;
	struct function *function;	/* of the last instruction */
	struct pt_block last;		/* whose end was not looked at yet; ninsn 0: none */
	bool	on;			/* tracing is on */
	bool	at_end;			/* there are no further packets */
	bool	met;			/* the first instruction of the next run was reached */
	bool	stopped;		/* the run ends here, because data or code is missing */
	__u64	tsc;
	unsigned int blocks;		/* since the offset in the data was looked at */
	__u64	offset;
};

static void add(struct walk *w, const struct flow *f)
{
	out_add(w->r->out, f);
}

/* The process and its maps can have changed. */
static void move_image(struct walk *w, __u64 ns)
{
	struct image *i = w->r->image;
	const struct space *space = w->r->setup->space->find(w->r->setup->space, ns);

	if (space == i->view.space && ns >= i->view.time && ns < i->view.until)
		return;
	const int rc = image_move(i, space, ns);

	if (rc)
		w->r->out->err = rc;
	pt_blk_set_image(w->decoder, i->pt);
}

static void set_time(struct walk *w, __u64 tsc)
{
	__u64 ns;

	if (tsc <= w->tsc)
		return;
	w->tsc = tsc;
	ns = clock_ns(&w->r->setup->clock, tsc);
	out_time(w->r->out, ns);
	move_image(w, ns);
}

static void look_at_time(struct walk *w)
{
	uint64_t tsc;

	if (!pt_blk_time(w->decoder, &tsc, NULL, NULL))
		set_time(w, tsc);
}

static enum flow_kind other_kind(__u64 from, __u64 to)
{
	if (is_kernel(from) == is_kernel(to))
		return FLOW_JUMP;
	return is_kernel(to) ? FLOW_FAR_CALL : FLOW_FAR_RETURN;
}

/* After the last block, the flow goes to @to. Add an element unless it stays in the function. */
static void go_to(struct walk *w, __u64 to)
{
	struct flow f = { .from = w->last.end_ip, .to = to };

	f.function = image_function(w->r->image, to, &f.is_begin);
	if (!w->last.ninsn) {
		w->function = f.function;
		return;
	}
	switch (w->last.iclass) {
	case ptic_call:
		f.kind = FLOW_CALL;
		f.size = image_call_size(w->r->image, f.from, w->last.isid,
					 w->last.mode == ptem_64bit);
		break;
	case ptic_return:
		f.kind = FLOW_RETURN;
		break;
	default:
		f.kind = other_kind(f.from, to);
		if (f.kind == FLOW_JUMP && f.function == w->function)
			goto out;
	}
	add(w, &f);
out:
	w->function = f.function;
	w->last.ninsn = 0;
}

static void add_place(struct walk *w, enum flow_kind kind, __u64 from, __u64 to)
{
	struct flow f = { .kind = kind, .from = from, .to = to };

	f.function = image_function(w->r->image, to, &f.is_begin);
	add(w, &f);
	w->function = f.function;
	w->last.ninsn = 0;
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
	return w->last.ninsn ? w->last.end_ip + SYSCALL_SIZE : 0;
}

static void cut(struct walk *w, const char *why)
{
	add(w, &(struct flow) {
		.kind = FLOW_CUT, .from = w->last.ninsn ? w->last.end_ip : 0, .text = why });
	w->last.ninsn = 0;
}

static void overflow(struct walk *w, const struct pt_event *e)
{
	cut(w, "the processor's buffer overflowed: packets are missing");
	if (e->ip_suppressed)
		w->on = false;
	else
		add_place(w, FLOW_SYNC, 0, e->variant.overflow.ip);
}

static void take_event(struct walk *w, const struct pt_event *e)
{
	const __u64 from = w->last.end_ip;

	switch (e->type) {
	case ptev_enabled:
		if (e->has_tsc)
			set_time(w, e->tsc);
		if (!e->status_update)
			begin(w, e->variant.enabled.ip);
		break;
	case ptev_disabled:
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
static bool meets(struct walk *w, const struct pt_block *b)
{
	const struct psb *next = &w->r->next;

	return next->has_ip && next->ip >= b->ip && next->ip <= b->end_ip;
}

static void take_block(struct walk *w, const struct pt_block *b)
{
	if (w->at_end && meets(w, b)) {
		go_to(w, b->ip);
		w->met = true;
		return;
	}
	/* Without a next run nobody knows how far the program got. */
	if (w->at_end && !w->r->next.has_ip) {
		go_to(w, b->ip);
		w->stopped = true;
		return;
	}
	go_to(w, b->ip);
	w->last = *b;
	out_steps(w->r->out, b->ninsn);
}

static struct object *object_at(const struct view *v, __u64 ip)
{
	const struct mapping *m = is_kernel(ip) ? NULL : view_find(v, ip);

	return m ? m->object : is_kernel(ip) ? v->spaces->objects->kernel : NULL;
}

static void fail(struct walk *w, int code)
{
	struct flow f = { .kind = FLOW_ERROR, .text = pt_errstr(pt_errcode(code)) };

	if (code == -pte_eos) {
		w->stopped = true;
		return;
	}
	/* At the end of the data, this means that the next run was not met. */
	if (w->at_end && code == -pte_bad_query) {
		w->stopped = true;
		return;
	}
	if (w->last.ninsn)
		f.from = w->last.end_ip;
	if (code == -pte_nomap) {
		f.kind = FLOW_NO_CODE;
		f.to = w->r->image->missing;
		f.object = object_at(&w->r->image->view, f.to);
	}
	add(w, &f);
	w->stopped = true;
	w->on = false;
}

/*
 * A jump to itself needs no packets, so the decoder follows it without an end if the packets that
 * leave it are missing. Is this such a loop?
 */
static bool is_endless(struct walk *w)
{
	uint64_t offset = 0;

	if (++w->blocks < BLOCKS_MAX)
		return false;
	w->blocks = 0;
	pt_blk_get_offset(w->decoder, &offset);
	if (offset != w->offset) {
		w->offset = offset;
		return false;
	}
	add(w, &(struct flow) {
		.kind = FLOW_ERROR, .from = w->last.ninsn ? w->last.end_ip : 0,
		.text = "the code is a loop that no packet leaves" });
	w->stopped = true;
	w->on = false;
	return true;
}

static int take_events(struct walk *w, int status)
{
	struct pt_event e;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_blk_event(w->decoder, &e, sizeof(e));
		if (status < 0)
			break;
		take_event(w, &e);
	}
	return status;
}

static void walk(struct walk *w)
{
	int status = pt_blk_sync_set(w->decoder, 0);
	struct pt_block b;

	while (!w->met && !w->stopped) {
		status = take_events(w, status);
		if (status < 0)
			break;
		w->at_end = status & pts_eos;
		if (w->at_end && !w->on)
			return;
		memset(&b, 0, sizeof(b));
		status = pt_blk_next(w->decoder, &b, sizeof(b));
		if (b.ninsn)
			take_block(w, &b);
		if (status < 0 || is_endless(w))
			break;
		look_at_time(w);
	}
	if (status < 0 && !w->met && !w->stopped)
		fail(w, status);
}

/* Add a cut if packets are missing between this run and the next. */
static void join(struct walk *w)
{
	const struct psb *next = &w->r->next;

	if (w->met || (!w->on && !next->has_ip))
		return;
	if (w->on && next->is_whole)
		cut(w, "the trace does not go on here: packets are missing");
}

void run_decode(struct run *r)
{
	struct walk w = { .r = r, .on = r->psb.has_ip, .tsc = 0 };
	struct pt_config config = r->setup->config;
	__u64 ns;

	config.begin = (__u8 *)r->data;
	config.end = (__u8 *)r->data + r->size;
	config.flags.variant.block.end_on_call = 1;
	config.flags.variant.block.end_on_jump = 1;
	w.decoder = pt_blk_alloc_decoder(&config);
	if (!w.decoder) {
		r->out->err = -ENOMEM;
		return;
	}
	pt_blk_set_image(w.decoder, r->image->pt);
	if (r->psb.has_tsc) {
		ns = clock_ns(&r->setup->clock, r->psb.tsc);
		w.tsc = r->psb.tsc;
		out_begin(r->out, ns);
		move_image(&w, ns);
	} else {
		move_image(&w, ~0ULL);
	}
	if (r->psb.has_ip)
		add_place(&w, FLOW_SYNC, 0, r->psb.ip);
	walk(&w);
	join(&w);
	if (r->next.has_tsc && (w.met || !w.on))
		out_time(r->out, clock_ns(&r->setup->clock, r->next.tsc));
	out_end(r->out);
	pt_blk_free_decoder(w.decoder);
}
