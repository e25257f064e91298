/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of instructions up to a branch, which are decoded once.
 *
 * Each worker has blocks of its own. A block survives a change of the view. code_find() then
 * compares its section.
 */
#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include "view/decode/walk.h"

/* How a block ends, in 64-bit mode */
enum code_kind {
	CODE_GOES_ON,		/* at the next address, with another section or another block */
	CODE_JUMP,		/* to @target */
	CODE_CALL,		/* of @target */
	CODE_COND,		/* to @target or to the next address */
	CODE_RETURN,
	CODE_INDIRECT_CALL,
	CODE_INDIRECT,		/* a jump, or a far branch */
};

struct code_block {
	struct walk_place place;
	struct walk_last last;
	__u64	next;		/* the address behind the block */
	__u64	target;
	struct code_block *to_next;	/* NULL: not known yet */
	struct code_block *to_target;	/* of an indirect branch: the last target */
	struct code_block *other;		/* in the same slot of the table */
	__u32	generation;	/* of the view for which the block was looked at */
	__u16	nr_insns;
	__u8	kind;
};

struct code *code_new(struct image *i);
void code_free(struct code *c);

/* Forget all blocks if there are too many. Blocks must not be in use. */
void code_limit(struct code *c);

/* Return the block that begins at @ip, or NULL if it cannot be decoded. */
struct code_block *code_find(struct code *c, __u64 ip);

/*
 * Decode the block at @ip up to the instruction at @limit. If no instruction begins there, decode
 * the whole block. The result is valid until the second next call. Return NULL as code_find() does.
 */
struct code_block *code_until(struct code *c, __u64 ip, __u64 limit);

/* Is this block still the code at its address? */
static inline bool code_is_current(const struct code_block *b, const struct image *i)
{
	return b && b->generation == i->generation;
}

#endif /* VIEW_CODE_H */
