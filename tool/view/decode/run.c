// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decode a run with the fast decoder, or else with libipt's block decoder.
 *
 * After the last packet, a decoder goes on until it needs a further one. On this way it reaches the
 * first instruction of the next run, where this run ends. If it does not, data is missing in
 * between.
 */
#include <errno.h>
#include <string.h>

#include "view/decode/run.h"
#include "view/decode/walk.h"

/* As in perf: no program executes this many blocks without a branch that needs a packet. */
#ifndef BLOCKS_MAX
#define BLOCKS_MAX	100000
#endif

/* Blocks since the offset in the data was looked at */
struct progress {
	unsigned int blocks;
	__u64	offset;
};

static void look_at_time(struct walk *w)
{
	uint32_t lost_mtc, lost_cyc;
	uint64_t tsc;

	/* libipt 2.1 refuses NULL here, and returns ~0 if it does not know the time. */
	if (!pt_blk_time(w->decoder, &tsc, &lost_mtc, &lost_cyc) && tsc != ~0ULL)
		walk_time(w, tsc);
}

static void take_block(struct walk *w, const struct pt_block *b)
{
	struct walk_last *last = w->last == &w->ends[0] ? &w->ends[1] : &w->ends[0];
	struct walk_place p = { .ip = b->ip };

	*last = (struct walk_last) {
		.is_64bit = b->mode == ptem_64bit, .iclass = b->iclass, .isid = b->isid,
		.end_ip = b->end_ip,
	};
	p.function = image_function(w->r->image, p.ip, &p.is_begin);
	walk_block(w, &p, last, b->ninsn);
}

static void fail(struct walk *w, int code)
{
	struct flow f = { .kind = FLOW_ERROR, .text = pt_errstr(pt_errcode(code)) };

	/* At the end of the data, a bad query means that the next run was not met. */
	if (code == -pte_eos || (w->at_end && code == -pte_bad_query)) {
		w->stopped = true;
		return;
	}
	if (code == -pte_nomap) {
		f.kind = FLOW_NO_CODE;
		f.to = w->r->image->missing;
		f.object = image_object(w->r->image, f.to);
	}
	walk_fail(w, &f);
}

/*
 * A jump to itself needs no packets, so the decoder follows it without an end if the packets that
 * leave it are missing. Is this such a loop?
 */
static bool is_endless(struct walk *w, struct progress *p)
{
	uint64_t offset = 0;

	if (++p->blocks < BLOCKS_MAX)
		return false;
	p->blocks = 0;
	pt_blk_get_offset(w->decoder, &offset);
	if (offset != p->offset) {
		p->offset = offset;
		return false;
	}
	walk_fail(w, &(struct flow) {
		.kind = FLOW_ERROR, .text = "the code is a loop that no packet leaves" });
	return true;
}

static int take_events(struct walk *w, int status)
{
	struct pt_event e;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_blk_event(w->decoder, &e, sizeof(e));
		if (status < 0)
			break;
		walk_event(w, &e);
	}
	return status;
}

static void walk(struct walk *w)
{
	int status = pt_blk_sync_set(w->decoder, 0);
	struct progress progress = { .blocks = 0 };
	struct pt_block b;

	while (!walk_ends(w)) {
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
		if (status < 0 || is_endless(w, &progress))
			break;
		look_at_time(w);
	}
	if (status < 0 && !walk_ends(w))
		fail(w, status);
}

/* Decode with libipt's block decoder, which handles every trace and reports errors. */
static void decode(struct walk *w, struct pt_config *config)
{
	config->flags.variant.block.end_on_call = 1;
	config->flags.variant.block.end_on_jump = 1;
	w->decoder = pt_blk_alloc_decoder(config);
	if (!w->decoder) {
		w->r->out->err = -ENOMEM;
		return;
	}
	pt_blk_set_image(w->decoder, w->r->image->pt);
	walk_begin(w);
	walk(w);
	walk_end(w);
	pt_blk_free_decoder(w->decoder);
}

void run_decode(struct run *r)
{
	const struct walk begin = { .r = r, .on = r->psb.has_ip };
	const size_t nr = r->out->nr;
	struct pt_config config = r->setup->config;
	struct walk w = begin;

	config.begin = (__u8 *)r->data;
	config.end = (__u8 *)r->data + r->size;
	if (!r->image->cache->only_libipt) {
		walk_begin(&w);
		if (fast_decode(&w, &config)) {
			walk_end(&w);
			return;
		}
		out_rewind(r->out, nr);
		w = begin;
	}
	decode(&w, &config);
}
