// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of code between two traps. See block.h. */
#include "block.h"

/* Return false if the instruction is unknown or must not be in a block. */
static bool read_insn(const struct spt_block *block, u64 ip, struct spt_insn *insn)
{
	const u64 at = ip - block->ip;
	const u8 *bytes = block->bytes + at;
	unsigned int n;

	if (at >= block->n)
		return false;
	n = block->n - at;
	if (n > SPT_INSN_MAX)
		n = SPT_INSN_MAX;
	spt_insn_decode(insn, bytes, n, ip, block->is64);
	if (spt_insn_is_jump(insn) || insn->class == SPT_BRANCH)
		return true;
	/*
	 * An SPT_OTHER that has a length already is either executed by the kernel
	 * or an XBEGIN, whose abort may lead close by. Neither may be in a block.
	 */
	if (insn->class != SPT_OTHER || insn->length ||
	    spt_insn_is_lea(bytes, n))
		return false;
	insn->length = spt_insn_length(bytes, n, block->is64);
	return insn->length;
}

static bool has(const u64 *targets, unsigned int nr, u64 target)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (targets[i] == target)
			return true;
	}
	return false;
}

bool spt_block_is_clear(const struct spt_block *block)
{
	u64 targets[SPT_BLOCK_BRANCHES];
	unsigned int i, nr = 0;
	struct spt_insn insn;
	u64 ip = block->ip;

	for (i = 0; i < SPT_BLOCK_INSNS; i++) {
		if (!read_insn(block, ip, &insn))
			return false;
		if (spt_insn_is_jump(&insn)) {
			/*
			 * An indirect branch may lead to the target of another branch.
			 */
			if (insn.class != SPT_JUMP && insn.class != SPT_CALL)
				return !nr;
			return !has(targets, nr, insn.target);
		}
		if (insn.class == SPT_BRANCH) {
			if (nr == SPT_BLOCK_BRANCHES ||
			    has(targets, nr, insn.target))
				return false;
			targets[nr++] = insn.target;
		}
		ip += insn.length;
	}
	return false;
}

bool spt_block_is_proof(const struct spt_block *block)
{
	struct spt_insn insn;
	u64 from;

	return read_insn(block, block->ip, &insn) && insn.class == SPT_OTHER &&
	       !spt_block_branch_to(block, block->ip, &from) &&
	       !spt_block_branch_to(block, block->ip + insn.length, &from);
}

bool spt_block_branch_to(const struct spt_block *block, u64 next, u64 *from)
{
	struct spt_insn insn;
	u64 ip;

	for (ip = block->ip; read_insn(block, ip, &insn); ip += insn.length) {
		*from = ip;
		if (insn.class == SPT_BRANCH && insn.target == next)
			return true;
		if (insn.class == SPT_JUMP || insn.class == SPT_CALL)
			return insn.target == next;
		if (spt_insn_is_jump(&insn))
			return true;
	}
	return false;
}

bool spt_block_insn(const struct spt_block *block, u64 ip, struct spt_insn *insn)
{
	u64 at;

	for (at = block->ip; read_insn(block, at, insn); at += insn->length) {
		if (at == ip)
			return true;
		if (spt_insn_is_jump(insn))
			return false;
	}
	return false;
}

bool spt_block_step_to(const struct spt_block *block, u64 next, u64 *from)
{
	struct spt_insn insn;
	u64 ip;

	for (ip = block->ip; read_insn(block, ip, &insn); ip += insn.length) {
		if (spt_insn_is_jump(&insn))
			return false;
		*from = ip;
		/* next == ip: an instruction with REP is not done yet. */
		if (next == ip + insn.length || next == ip)
			return true;
	}
	return false;
}
