// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module/softpt/block.c on code that is written here: which blocks are clear,
 * and what is found in them. No block is clear if it is cut short. Prints TAP.
 */
#include <inttypes.h>
#include <string.h>

#include "block.h"
#include "../tap.h"

#define IP	0x401000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Offsets from IP; NO means none */
#define NO	(-1)

#define UNCLEAR	.clear = false

static const struct code {
	const char *what;
	u8 bytes[64];
	unsigned int n;
	bool clear;
	bool proof;
	/* an address, and the branch that leads there */
	int next, from;
} codes[] = {
	{ "a jump", { 0xeb, 0x10 }, 2, true, false, 0x12, 0 },
	{ "a return", { 0xc3 }, 1, true, false, 0x7777, 0 },
	{ "two moves, a call", { 0x48, 0x89, 0xc3, 0x31, 0xc0, 0xe8, 0, 1, 0, 0 }, 10,
	  true, true, 0x10a, 5 },
	{ "a branch that is taken", { 0x90, 0x74, 0x20, 0xeb, 0x10 }, 5, true, true, 0x23, 1 },
	{ "the jump behind it", { 0x90, 0x74, 0x20, 0xeb, 0x10 }, 5, true, true, 0x15, 3 },
	{ "neither", { 0x90, 0x74, 0x20, 0xeb, 0x10 }, 5, true, true, 0x16, NO },
	{ "a loop", { 0xff, 0xc8, 0x75, 0xfc, 0xeb, 0 }, 6, true, false, 0, 2 },
	{ "two branches to one place", { 0x74, 0x10, 0x75, 0x0e, 0xeb, 0 }, 6, UNCLEAR },
	{ "branch and jump to one place", { 0x74, 0x10, 0xeb, 0x0e }, 4, UNCLEAR },
	{ "branch and call to one place", { 0x74, 0x10, 0xe8, 0x0b, 0, 0, 0 }, 7, UNCLEAR },
	{ "a branch, a return", { 0x74, 0x10, 0xc3 }, 3, UNCLEAR },
	{ "a branch, an indirect jump", { 0x74, 0x10, 0xff, 0xe0 }, 4, UNCLEAR },
	{ "a branch, an indirect call", { 0x74, 0x10, 0xff, 0xd0 }, 4, UNCLEAR },
	{ "a move, a return", { 0x31, 0xc0, 0xc3 }, 3, true, false, 0x5555, 2 },
	{ "flags that are pushed", { 0x9c, 0xeb, 0 }, 3, UNCLEAR },
	{ "flags that are popped", { 0x90, 0x9d, 0xeb, 0 }, 4, UNCLEAR },
	{ "a system call", { 0x0f, 0x05, 0xeb, 0 }, 4, UNCLEAR },
	{ "INT3", { 0x90, 0xcc, 0xeb, 0 }, 4, UNCLEAR },
	{ "a load of SS", { 0x8e, 0xd0, 0xeb, 0 }, 4, UNCLEAR },
	{ "what UMIP has the kernel do", { 0x0f, 0x01, 0x00, 0xeb, 0 }, 5, UNCLEAR },
	{ "CLI", { 0xfa, 0xeb, 0 }, 3, UNCLEAR },
	{ "a transaction", { 0xc7, 0xf8, 0, 0, 0, 0, 0xeb, 0 }, 8, UNCLEAR },
	{ "a far return", { 0x90, 0xcb }, 2, UNCLEAR },
	{ "LEA of a uprobe's pair", { 0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8, 0, 0, 0, 0 }, 10,
	  UNCLEAR },
	{ "another LEA", { 0x48, 0x8d, 0x64, 0x24, 0x88, 0xe8, 0, 0, 0, 0 }, 10,
	  true, true, 10, 5 },
	{ "XOP", { 0x8f, 0xe8, 0x78, 0xc0, 0xc0, 0, 0xeb, 0 }, 8, UNCLEAR },
	{ "no branch", { 0x90, 0x90, 0x90 }, 3, UNCLEAR },
	{ "48 instructions without a branch",
	  { [0 ... 47] = 0x90, 0xeb, 0 }, 50, UNCLEAR },
	{ "47 instructions, a jump", { [0 ... 46] = 0x90, 0xeb, 0 }, 49, true, true, 49, 47 },
	{ "eight branches", { 0x70, 1, 0x71, 2, 0x72, 3, 0x73, 4, 0x74, 5, 0x75, 6, 0x76, 7,
	  0x77, 8, 0xeb, 0x40 }, 18, true, false, 0x18, 14 },
	{ "nine branches", { 0x70, 1, 0x71, 2, 0x72, 3, 0x73, 4, 0x74, 5, 0x75, 6, 0x76, 7,
	  0x77, 8, 0x78, 9, 0xeb, 0x40 }, 20, UNCLEAR },
};

static void set(struct spt_block *block, const struct code *code, unsigned int n)
{
	memset(block, 0xcc, sizeof(*block));
	block->ip = IP;
	block->is64 = true;
	block->n = n;
	memcpy(block->bytes, code->bytes, n);
}

static bool is_right(const struct code *code)
{
	struct spt_block block;
	struct spt_insn insn;
	u64 from = 0;
	bool found;

	set(&block, code, code->n);
	if (spt_block_is_clear(&block) != code->clear)
		return false;
	for (unsigned int n = 0; n < code->n; n++) {
		set(&block, code, n);
		if (spt_block_is_clear(&block))
			return false;
	}
	if (!code->clear)
		return true;
	set(&block, code, code->n);
	found = spt_block_branch_to(&block, IP + code->next, &from);
	if (code->from == NO ? found : !found || from != IP + code->from)
		return false;
	if (found && !spt_block_insn(&block, from, &insn))
		return false;
	return spt_block_is_proof(&block) == code->proof &&
	       !spt_block_insn(&block, IP + code->n, &insn) &&
	       !spt_block_insn(&block, IP - 1, &insn);
}

/*
 * A trap at an address where no branch leads: the processor does not wait for
 * branches, and may be in a REP.
 */
static bool steps_are_found(void)
{
	static const struct code rep = {
		.bytes = { 0x90, 0xf3, 0xa4, 0x31, 0xc0, 0xeb, 0x10 }, .n = 7,
	};
	struct spt_block block;
	u64 from;

	set(&block, &rep, rep.n);
	return spt_block_step_to(&block, IP + 1, &from) && from == IP &&
	       spt_block_step_to(&block, IP + 3, &from) && from == IP + 1 &&
	       spt_block_step_to(&block, IP, &from) && from == IP &&
	       !spt_block_step_to(&block, IP + 2, &from) &&
	       !spt_block_step_to(&block, IP + 7, &from);
}

int main(void)
{
	puts("TAP version 13");
	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++)
		tap_report(is_right(&codes[i]), "%s", codes[i].what);
	tap_report(steps_are_found(), "a trap behind what is no branch");
	return tap_end();
}
