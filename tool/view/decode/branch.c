// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read where a branch in 64-bit mode goes to. libipt tells the class and the size of an
 * instruction, but not its target. The opcodes are in the SDM, volume 2.
 */
#include <string.h>

#include "view/decode/branch.h"

/*
 * Return the number of prefixes of a near branch. In 64-bit mode none of them changes the size of
 * the branch.
 */
static __u8 skip_prefixes(const struct pt_insn *insn)
{
	static const __u8 prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65
	};
	__u8 i = 0;

	while (i < insn->size && (memchr(prefixes, insn->raw[i], sizeof(prefixes)) ||
				  (insn->raw[i] & 0xf0) == 0x40))
		i++;
	return i;
}

/* The target is relative: the last @size bytes, from @at on, have the distance. */
static bool relative(const struct pt_insn *insn, struct code_block *b, enum code_kind kind,
		     __u8 at, __u8 size)
{
	__s32 distance;

	if (at + size != insn->size)
		return false;
	if (size == 1)
		distance = (__s8)insn->raw[at];
	else
		memcpy(&distance, insn->raw + at, sizeof(distance));
	b->kind = kind;
	b->target = insn->ip + insn->size + (__s64)distance;
	return true;
}

static bool read_cond(const struct pt_insn *insn, struct code_block *b, __u8 at)
{
	const __u8 op = insn->raw[at];

	/* Jcc rel8; LOOP and JRCXZ */
	if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0)
		return relative(insn, b, CODE_COND, at + 1, 1);
	if (op == 0x0f && at + 1 < insn->size && (insn->raw[at + 1] & 0xf0) == 0x80)
		return relative(insn, b, CODE_COND, at + 2, 4);
	return false;
}

/* TIP.PGD without an address can be at a MOV to CR3: this is left to libipt's block decoder. */
static bool is_mov_to_cr3(const struct pt_insn *insn, __u8 at)
{
	return at + 2 < insn->size && insn->raw[at] == 0x0f && insn->raw[at + 1] == 0x22 &&
	       (insn->raw[at + 2] & 0x38) == 0x18;
}

bool branch_read(const struct pt_insn *insn, struct code_block *b)
{
	const __u8 at = skip_prefixes(insn);
	const __u8 op = at < insn->size ? insn->raw[at] : 0;

	switch (insn->iclass) {
	case ptic_other:
	case ptic_ptwrite:
		return !is_mov_to_cr3(insn, at);
	case ptic_cond_jump:
		return read_cond(insn, b, at);
	case ptic_jump:
		if (op == 0xeb)
			return relative(insn, b, CODE_JUMP, at + 1, 1);
		if (op == 0xe9)
			return relative(insn, b, CODE_JUMP, at + 1, 4);
		b->kind = CODE_INDIRECT;
		return op == 0xff;
	case ptic_call:
		if (op == 0xe8)
			return relative(insn, b, CODE_CALL, at + 1, 4);
		b->kind = CODE_INDIRECT_CALL;
		return op == 0xff;
	case ptic_return:
		b->kind = CODE_RETURN;
		return true;
	case ptic_far_call:
	case ptic_far_return:
	case ptic_far_jump:
		b->kind = CODE_INDIRECT;
		return true;
	default:
		return false;
	}
}
