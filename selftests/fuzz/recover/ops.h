/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inputs of fuzz_recover: operations that fill the memory of a kept ring. Each operation is a
 * struct op and the bytes that it uses.
 */
#ifndef SELFTESTS_FUZZ_RECOVER_OPS_H
#define SELFTESTS_FUZZ_RECOVER_OPS_H

#include <linux/types.h>

/* The target computes the sums, so that wrong fields get past the check of the sums. */
enum op_kind {
	OP_ENTRY,	/* an entry of the journal; @a is enum journal_kind */
	OP_BEGIN,	/* a checkpoint of the journal begins */
	OP_SEAL,	/* the checkpoint is complete; bytes: time and lost records */
	OP_LOSE,	/* bytes: lost records */
	OP_CLAIM,	/* segment @a, @b is enum perfaux_kind */
	OP_SPAN,	/* segment @a, index @b; bytes: struct perfaux_span */
	OP_OPEN,	/* segment @a; bytes: struct perfaux_open */
	OP_GAP,		/* index @a; bytes: struct perfaux_gap */
	OP_READY,	/* segment @a */
	OP_SEGMENT,	/* segment @a; bytes: struct perfaux_segment, but not its state */
	OP_DATA,	/* segment @a, from byte @b * 16 on */
	OP_STOP,	/* bytes: struct perfaux_stop */
	OP_HEADER,	/* word @a of the header; bytes: its value */
	OP_POKE,	/* bytes: an offset in the region, 4 bytes, and what is written there */
	OP_NR_KINDS,
};

struct op {
	__u8 kind, a, b;
	__u8 pad;
	__u16 size;		/* of the bytes that follow */
} __attribute__((packed));

#endif /* SELFTESTS_FUZZ_RECOVER_OPS_H */
