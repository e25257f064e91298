/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The properties of an x86 instruction that its trace needs: how it can branch, and
 * where the next instruction in memory is. Pure code, for the module and for
 * programs.
 */
#ifndef SOFTPT_INSN_H
#define SOFTPT_INSN_H

#include <linux/types.h>

/* The longest instruction */
#define SPT_INSN_MAX	15

enum spt_insn_class {
	SPT_OTHER,		/* the next instruction follows, or this one repeats (REP) */
	SPT_JUMP,		/* direct */
	SPT_BRANCH,		/* conditional: Jcc, LOOPcc, JrCXZ; not XBEGIN's abort */
	SPT_CALL,		/* direct */
	SPT_JUMP_INDIRECT,
	SPT_CALL_INDIRECT,
	SPT_RETURN,
	SPT_FAR,		/* far transfer in user space: JMPF, CALLF, RETF, IRET */
	SPT_SYSCALL,		/* SYSCALL, SYSENTER, INT n: into the kernel */
	SPT_PUSHF,		/* writes flags, with TF, to memory */
	SPT_POPF,		/* reads TF from memory */
	SPT_MOV_SS,		/* the trap comes after the next instruction */
	SPT_INT3,		/* into the kernel, unless a uprobe or a debugger put it there */
	SPT_BAD,		/* no instruction, or too few bytes to know; INT1 */
};

/* Instructions that fault in user space and are executed by the kernel. */
enum spt_emulation {
	SPT_NOT_EMULATED,
	SPT_UMIP,		/* if the processor has UMIP */
	SPT_IOPL,
};

struct spt_insn {
	enum spt_insn_class class;
	u8 length;		/* 0 for SPT_BAD and most of SPT_OTHER */
	bool cut;		/* SPT_BAD because there were too few bytes */
	enum spt_emulation emulation;	/* only for SPT_OTHER */
	u64 target;		/* only for SPT_JUMP, SPT_BRANCH, SPT_CALL */
};

/* Return whether @insn is a near branch that is always taken. */
static inline bool spt_insn_is_jump(const struct spt_insn *insn)
{
	switch (insn->class) {
	case SPT_JUMP:
	case SPT_CALL:
	case SPT_JUMP_INDIRECT:
	case SPT_CALL_INDIRECT:
	case SPT_RETURN:
		return true;
	default:
		return false;
	}
}

/* No program has more instructions in a row that delay the trap. */
#define SPT_LATE_MAX	16

/*
 * Return whether the trap comes one instruction late. This happens after MOV SS (SDM
 * volume 3, "Masking Exceptions and Interrupts When Switching Stacks"), and after
 * an instruction that the kernel has executed in a fault, because IRET then begins
 * another instruction (fixup_umip_exception(), fixup_iopl_exception()).
 */
static inline bool spt_insn_is_late(const struct spt_insn *insn)
{
	return insn->class == SPT_MOV_SS || insn->emulation;
}

/*
 * LEA -128(%rsp), %rsp: with a CALL after it, it can be half of a uprobe
 * (swbp_optimize()).
 */
#define SPT_LEA_SIZE	5
bool spt_insn_is_lea(const u8 *bytes, unsigned int n);

/*
 * Decode the instruction at @ip. @bytes are the @n bytes from @ip on, n <=
 * SPT_INSN_MAX; n is smaller if the mapping ends before. @is64: 64-bit mode, else
 * 32-bit mode.
 */
void spt_insn_decode(struct spt_insn *insn, const u8 *bytes, unsigned int n,
		     u64 ip, bool is64);

/*
 * Return the length in bytes of an SPT_OTHER instruction; 0 if the length is not
 * known or the bytes end before. Defined in length.c.
 */
unsigned int spt_insn_length(const u8 *bytes, unsigned int n, bool is64);

#endif /* SOFTPT_INSN_H */
