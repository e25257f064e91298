/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was executed between two traps of a processor that traps behind taken
 * branches only. Pure, for the module and for programs.
 *
 * From its first instruction on a block is a line of instructions, of which the
 * conditional branches were not taken, up to the one that was. Which one that was
 * is known from where it led to, if the block is clear: no two branches of it lead
 * to the same place, and at its end is a branch that is always taken. What needs a
 * look of its own at each step is not in a clear block.
 */
#ifndef SOFTPT_BLOCK_H
#define SOFTPT_BLOCK_H

#include <linux/types.h>

#include "insn.h"

/* Of the code ahead. Few blocks are longer; those are stepped. */
#define SPT_BLOCK_BYTES		256
#define SPT_BLOCK_INSNS		48

/* The branches of a clear block that are conditional */
#define SPT_BLOCK_BRANCHES	8

struct spt_block {
	u64 ip;			/* of its first instruction */
	bool is64;
	unsigned int n;		/* bytes that could be read */
	u8 bytes[SPT_BLOCK_BYTES];
};

bool spt_block_is_clear(const struct spt_block *block);

/*
 * Of one that is clear: would a trap behind its first instruction tell that the
 * processor does not wait for branches?
 */
bool spt_block_is_proof(const struct spt_block *block);

/* Of one that is clear: @from, the branch that has led to @next. False: none has. */
bool spt_block_branch_to(const struct spt_block *block, u64 next, u64 *from);

/*
 * Of one that is clear: the instruction at @ip, with its length. False: it is not on
 * the line.
 */
bool spt_block_insn(const struct spt_block *block, u64 ip, struct spt_insn *insn);

/*
 * Of one that is clear: @from, the instruction on the line that has led to @next
 * without a branch. A processor that has trapped there does not wait for branches.
 */
bool spt_block_step_to(const struct spt_block *block, u64 next, u64 *from);

#endif /* SOFTPT_BLOCK_H */
