/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of an x86 instruction as its trace needs: how it may leave the line,
 * and where that line goes on. Pure, for the module and for programs.
 */
#ifndef SOFTPT_INSN_H
#define SOFTPT_INSN_H

#include <linux/types.h>

/* No instruction is longer. */
#define SPT_INSN_MAX	15

enum spt_insn_class {
	SPT_OTHER,		/* goes on behind itself, or repeats (REP) */
	SPT_JUMP,		/* direct */
	SPT_BRANCH,		/* conditional: Jcc, LOOPcc, JrCXZ; XBEGIN's abort is not one */
	SPT_CALL,		/* direct */
	SPT_JUMP_INDIRECT,
	SPT_CALL_INDIRECT,
	SPT_RETURN,
	SPT_FAR,		/* far transfer in user space: JMPF, CALLF, RETF, IRET */
	SPT_SYSCALL,		/* SYSCALL, SYSENTER, INT n: into the kernel */
	SPT_PUSHF,		/* writes flags, with TF, to memory */
	SPT_POPF,		/* reads TF from memory */
	SPT_MOV_SS,		/* no trap before the instruction behind it is done */
	SPT_INT3,		/* into the kernel, if it is not a uprobe's or a debugger's */
	SPT_BAD,		/* not one, or the bytes end before it is known; INT1 */
};

/* Instructions that fault in user space and are executed by the kernel. */
enum spt_emulation {
	SPT_NOT_EMULATED,
	SPT_UMIP,		/* where the processor has it */
	SPT_IOPL,
};

struct spt_insn {
	enum spt_insn_class class;
	u8 length;		/* of all but SPT_BAD and most of SPT_OTHER, else 0 */
	bool cut;		/* SPT_BAD, since the bytes end before it is known */
	enum spt_emulation emulation;	/* of SPT_OTHER */
	u64 target;		/* of SPT_JUMP, SPT_BRANCH, SPT_CALL */
};

/* A near branch that is always taken */
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

/* LEA -128(%rsp), %rsp: before a CALL it may be half of a uprobe (swbp_optimize()). */
#define SPT_LEA_SIZE	5
bool spt_insn_is_lea(const u8 *bytes, unsigned int n);

/*
 * @bytes: @n of them from @ip on, n <= SPT_INSN_MAX; fewer where the mapping
 * ends. @is64: 64-bit mode, else 32-bit.
 */
void spt_insn_decode(struct spt_insn *insn, const u8 *bytes, unsigned int n,
		     u64 ip, bool is64);

/* length.c: in bytes, of what is SPT_OTHER; 0: not known, or the bytes end before. */
unsigned int spt_insn_length(const u8 *bytes, unsigned int n, bool is64);

#endif /* SOFTPT_INSN_H */
