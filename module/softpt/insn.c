// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decode the parts of an instruction that matter to control flow: the prefixes, the
 * opcode, and the rest only of instructions that can branch. See SDM volume 2,
 * chapter 2 and appendix A.
 *
 * INT3 and INT1 never lead into user code by a step; a signal does that. libipt
 * (pt_instruction_decode()) and perf (intel_pt_insn_decoder()) both take INT3 for a
 * far transfer, like a system call, so the trace ends with spt_flow_end(). INT1 is
 * SPT_BAD and the trace ends with spt_flow_end_at(), because libipt takes INT1 for
 * a far call, and to perf INT1 is no branch. If a step does go over INT3 or INT1,
 * a debugger or a uprobe had put it there, and decoders can follow an interruption.
 * INTO is like INT3 if it traps. If INTO does not trap, decoders still expect its
 * destination: SPT_FAR.
 *
 * VEX, EVEX and XOP encode no branches, and as opcodes their first bytes are
 * SPT_OTHER, too.
 */
#include "insn.h"
#include "reader.h"

/* Read a signed little-endian number of 1, 2 or 4 bytes. */
static s64 next_signed(struct spt_reader *r, unsigned int size)
{
	u32 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (u32)spt_next(r) << (8 * i);
	if (size == 1)
		return (s8)value;
	if (size == 2)
		return (s16)value;
	return (s32)value;
}

/*
 * In 64-bit mode a near branch has a 64-bit target and ignores 66 (SDM volume 2,
 * "JMP"; AMD's processors do not ignore it). In 32-bit mode 66 makes a 16-bit EIP.
 */
static void read_target(struct spt_insn *insn, struct spt_reader *r, u64 ip,
			unsigned int size)
{
	s64 rel = next_signed(r, size);

	insn->target = ip + r->at + rel;
	if (!r->is64)
		insn->target &= r->opsize ? 0xffff : 0xffffffff;
}

static unsigned int rel_size(const struct spt_reader *r)
{
	return r->is64 ? 4 : spt_opsize(r);
}

static enum spt_insn_class group_ff(struct spt_reader *r)
{
	u8 modrm = spt_read_modrm(r);

	switch (MODRM_REG(modrm)) {
	case 2:
		return SPT_CALL_INDIRECT;
	case 4:
		return SPT_JUMP_INDIRECT;
	case 3:
	case 5:
		return MODRM_MOD(modrm) == 3 ? SPT_BAD : SPT_FAR;
	}
	return SPT_OTHER;
}

/* XBEGIN gets a length, unlike most SPT_OTHER, because its abort may lead close by. */
static enum spt_insn_class group_c7(struct spt_insn *insn, struct spt_reader *r)
{
	if (spt_next(r) == 0xf8)
		insn->length = r->at + (r->rex & REX_W ? 4 : spt_opsize(r));
	return SPT_OTHER;
}

/* fixup_iopl_exception() does not accept prefixes. */
static enum spt_insn_class cli_sti(struct spt_insn *insn, struct spt_reader *r)
{
	if (r->at == 1) {
		insn->length = r->at;
		insn->emulation = SPT_IOPL;
	}
	return SPT_OTHER;
}

/* The instructions that identify_insn() in umip.c knows: SLDT, STR; SGDT, SIDT, SMSW */
static enum spt_insn_class group_0f00(struct spt_insn *insn,
				      struct spt_reader *r, u8 opcode)
{
	u8 modrm = spt_read_modrm(r), reg = MODRM_REG(modrm);
	bool sgdt_sidt = reg < 2 && MODRM_MOD(modrm) != 3;

	if (opcode == 0x00 ? reg < 2 : sgdt_sidt || reg == 4) {
		insn->length = r->at;
		insn->emulation = SPT_UMIP;
	}
	return SPT_OTHER;
}

static enum spt_insn_class far_pointer(struct spt_reader *r)
{
	r->at += spt_opsize(r) + 2;
	return r->is64 ? SPT_BAD : SPT_FAR;
}

static enum spt_insn_class map_0(struct spt_insn *insn, struct spt_reader *r,
				 u64 ip, u8 opcode)
{
	switch (opcode) {
	case 0x17:				/* POP SS */
		return r->is64 ? SPT_BAD : SPT_MOV_SS;
	case 0x70 ... 0x7f:			/* Jcc */
	case 0xe0 ... 0xe3:			/* LOOPcc, JrCXZ */
		read_target(insn, r, ip, 1);
		return SPT_BRANCH;
	case 0x8e:				/* MOV to a segment register */
		return MODRM_REG(spt_read_modrm(r)) == 2 ? SPT_MOV_SS : SPT_OTHER;
	case 0x9a:				/* CALLF ptr */
	case 0xea:				/* JMPF ptr */
		return far_pointer(r);
	case 0x9c:
		return SPT_PUSHF;
	case 0x9d:
		return SPT_POPF;
	case 0xa1:				/* JMPABS, else MOV */
		if (!r->rex2)
			return SPT_OTHER;
		r->at += 8;
		return SPT_JUMP_INDIRECT;
	case 0xc2:				/* RET imm16 */
		r->at += 2;
		return SPT_RETURN;
	case 0xc3:
		return SPT_RETURN;
	case 0xc7:
		return group_c7(insn, r);
	case 0xca:				/* RETF imm16 */
		r->at += 2;
		return SPT_FAR;
	case 0xcb:				/* RETF */
	case 0xcf:				/* IRET */
		return SPT_FAR;
	case 0xcc:
		return SPT_INT3;
	case 0xf1:				/* INT1 */
		return SPT_BAD;
	case 0xcd:				/* INT n */
		r->at += 1;
		return SPT_SYSCALL;
	case 0xce:				/* INTO */
		return r->is64 ? SPT_BAD : SPT_FAR;
	case 0xe8:
		read_target(insn, r, ip, rel_size(r));
		return SPT_CALL;
	case 0xe9:
		read_target(insn, r, ip, rel_size(r));
		return SPT_JUMP;
	case 0xeb:
		read_target(insn, r, ip, 1);
		return SPT_JUMP;
	case 0xfa:
	case 0xfb:
		return cli_sti(insn, r);
	case 0xff:
		return group_ff(r);
	}
	return SPT_OTHER;
}

static enum spt_insn_class map_1(struct spt_insn *insn, struct spt_reader *r,
				 u64 ip, u8 opcode)
{
	switch (opcode) {
	case 0x00:
	case 0x01:
		return group_0f00(insn, r, opcode);
	case 0x05:				/* SYSCALL */
	case 0x34:				/* SYSENTER */
		return SPT_SYSCALL;
	case 0x80 ... 0x8f:			/* Jcc */
		read_target(insn, r, ip, rel_size(r));
		return SPT_BRANCH;
	case 0xb2:				/* LSS: as MOV SS on some processors */
		spt_read_modrm(r);
		return SPT_MOV_SS;
	}
	return SPT_OTHER;
}

static enum spt_insn_class read_opcode(struct spt_insn *insn,
				       struct spt_reader *r, u64 ip)
{
	u8 opcode = spt_next(r);

	if (r->is64 && opcode == 0xd5) {	/* REX2 */
		u8 payload = spt_next(r);

		r->rex2 = true;
		r->rex = payload & 0xf;
		opcode = spt_next(r);
		if (payload & REX2_MAP)
			return map_1(insn, r, ip, opcode);
	} else if (opcode == 0x0f) {
		return map_1(insn, r, ip, spt_next(r));
	}
	return map_0(insn, r, ip, opcode);
}

void spt_insn_decode(struct spt_insn *insn, const u8 *bytes, unsigned int n,
		     u64 ip, bool is64)
{
	struct spt_reader r = { .bytes = bytes, .n = n, .is64 = is64 };

	*insn = (struct spt_insn){ .class = SPT_BAD };
	spt_read_prefixes(&r);
	insn->class = read_opcode(insn, &r, ip);
	if (r.at > n || insn->length > n) {
		insn->class = SPT_BAD;
		insn->cut = n < SPT_INSN_MAX;
	}
	if (insn->class != SPT_OTHER)
		insn->length = insn->class == SPT_BAD ? 0 : r.at;
}

bool spt_insn_is_lea(const u8 *bytes, unsigned int n)
{
	static const u8 lea[SPT_LEA_SIZE] = { 0x48, 0x8d, 0x64, 0x24, 0x80 };
	unsigned int i;

	if (n < sizeof(lea))
		return false;
	for (i = 0; i < sizeof(lea); i++) {
		if (bytes[i] != lea[i])
			return false;
	}
	return true;
}
