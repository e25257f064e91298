/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks: the code that a processor executed between two traps, if it traps only
 * after taken branches. Pure code, for the module and for programs.
 *
 * A block is a sequence of instructions that were executed one after the other:
 * none of its conditional branches was taken, except the last branch. That branch
 * is found by the address to which it led. This works only if the block is clear: no two
 * of its branches lead to the same address, and it ends with a branch that is
 * always taken. A clear block has no instruction that must be looked at when it is
 * stepped.
 */
#ifndef SOFTPT_BLOCK_H
#define SOFTPT_BLOCK_H

#include <linux/types.h>

#include "insn.h"

/*
 * Bytes and instructions of a block, at most. The few blocks that are longer are
 * stepped.
 */
#define SPT_BLOCK_BYTES		256
#define SPT_BLOCK_INSNS		48

/* Conditional branches of a clear block, at most */
#define SPT_BLOCK_BRANCHES	8

struct spt_block {
	u64 ip;			/* of the first instruction */
	bool is64;
	unsigned int n;		/* bytes that could be read */
	u8 bytes[SPT_BLOCK_BYTES];
};

bool spt_block_is_clear(const struct spt_block *block);

/*
 * @block is clear. Return whether a trap after its first instruction would prove
 * that the processor does not wait for branches.
 */
bool spt_block_is_proof(const struct spt_block *block);

/*
 * @block is clear. Set @from to the branch that led to @next. Return false if no
 * branch leads there.
 */
bool spt_block_branch_to(const struct spt_block *block, u64 next, u64 *from);

/*
 * @block is clear. Set @insn to the instruction at @ip, with its length. Return
 * false if no instruction of the block is at @ip.
 */
bool spt_block_insn(const struct spt_block *block, u64 ip, struct spt_insn *insn);

/*
 * @block is clear. Set @from to the instruction of the block that led to @next
 * without a branch. A processor that trapped there does not wait for branches.
 * Return false if no instruction of the block leads to @next like this.
 */
bool spt_block_step_to(const struct spt_block *block, u64 next, u64 *from);

#endif /* SOFTPT_BLOCK_H */
