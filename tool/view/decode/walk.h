/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turn the path of a run into flow. Both decoders report their blocks and events here.
 */
#ifndef VIEW_WALK_H
#define VIEW_WALK_H

#include "view/decode/run.h"

/* The end of a block, and its last instruction */
struct walk_last {
	__u64	end_ip;		/* the address of this instruction */
	int	isid;
	__u8	iclass;		/* enum pt_insn_class */
	__u8	size;		/* 0: not known */
	bool	is_64bit;
};

struct walk {
	struct run *r;
	struct pt_block_decoder *decoder;	/* of libipt; NULL: fast.c decodes */
	struct function *function;	/* of the last instruction */
	const struct walk_last *last;	/* its branch is not in the flow yet; NULL: none */
	bool	on;			/* tracing is on */
	bool	at_end;			/* there are no further packets */
	bool	met;			/* the first instruction of the next run was reached */
	bool	stopped;		/* the run ends here, because data or code is missing */
	__u64	tsc;
	struct walk_last ends[2];	/* for run.c: of the last two blocks */
};

/* The place where a block begins */
struct walk_place {
	__u64	ip;
	struct function *function;
	bool	is_begin;		/* it is the function's first instruction */
};

/* The run begins. */
void walk_begin(struct walk *w);
/* The run has ended: tell whether packets are missing before the next run, and set the times. */
void walk_end(struct walk *w);

static inline bool walk_ends(const struct walk *w)
{
	return w->met || w->stopped;
}

/* A time of the trace. The process and its maps can have changed. */
void walk_time(struct walk *w, __u64 tsc);

/* After the last block, the flow goes to @p. Add an element unless it stays in the function. */
void walk_go(struct walk *w, const struct walk_place *p);

/*
 * The flow goes through a block. @last must stay valid until the next block was told. Return
 * whether to go on: if not, the block is not a part of this run.
 */
bool walk_other_block(struct walk *w, const struct walk_place *p, const struct walk_last *last,
		      __u64 nr_insns);

/*
 * Is the block that ends with @last only the rest of the block before it? Where libipt ends a block
 * without a branch depends on the blocks in its cache, and so on other runs:
 * pt_blk_proceed_no_event_fill_cache() in pt_block_decoder.c ends a block before an
 * instruction that the cache has. Such an end must not change the flow.
 */
static inline bool walk_is_rest(const struct walk *w, const struct walk_last *last)
{
	return w->last && w->last->isid == last->isid &&
	       (w->last->iclass == ptic_other || w->last->iclass == ptic_ptwrite);
}

static inline bool walk_block(struct walk *w, const struct walk_place *p,
			      const struct walk_last *last, __u64 nr_insns)
{
	/* Most blocks follow a branch within a function. */
	if (w->at_end || !w->last || w->last->iclass == ptic_call ||
	    w->last->iclass == ptic_return ||
	    (p->function != w->function && !walk_is_rest(w, last)))
		return walk_other_block(w, p, last, nr_insns);
	w->last = last;
	out_steps(w->r->out, nr_insns);
	return true;
}

void walk_event(struct walk *w, const struct pt_event *e);

/* Packets or code cannot be decoded from here on. */
void walk_fail(struct walk *w, const struct flow *f);

/*
 * fast.c: decode a run, which has begun, with a cache of the code. Return false if it has anything
 * that this decoder does not know. The caller must then decode the run anew.
 */
bool fast_decode(struct walk *w, const struct pt_config *config);

#endif /* VIEW_WALK_H */
