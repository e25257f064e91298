// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lengths of the instructions that do not branch: SDM volume 2, appendix A. The
 * kernel does not export insn_get_length() to modules.
 *
 * An instruction that is not in the tables has no known length and is stepped. The
 * tables leave out instructions that no Intel processor has any more or has yet,
 * XOP, and opcodes that exist only in other modes.
 */
#include "insn.h"
#include "reader.h"

/*
 * What follows an opcode:
 *
 *	.	nothing			m	ModRM
 *	b	1 byte			M	ModRM and 1 byte
 *	z	2 or 4 bytes		Z	ModRM and 2 or 4 bytes
 *	w	2 bytes			a	an address
 *	v	2, 4 or 8 bytes		g	ModRM, and 1 byte if it is TEST
 *	e	3 bytes			G	ModRM, and 2 or 4 bytes if it is TEST
 *	x	no known length		i	nothing, in 32-bit mode only
 *	d	1 byte, in 32-bit mode only
 */
static const char forms_0[] =
	"mmmmbziimmmmbzix"	/* 00 */
	"mmmmbziimmmmbzii"	/* 10 */
	"mmmmbzximmmmbzxi"	/* 20 */
	"mmmmbzximmmmbzxi"	/* 30 */
	"iiiiiiiiiiiiiiii"	/* 40 */
	"................"	/* 50 */
	"iixmxxxxzZbM...."	/* 60 */
	"bbbbbbbbbbbbbbbb"	/* 70 */
	"MZxMmmmmmmmmmmmm"	/* 80 */
	"..........x....."	/* 90 */
	"aaaa....bz......"	/* a0 */
	"bbbbbbbbvvvvvvvv"	/* b0 */
	"MMw.xxMZe.w.xbi."	/* c0 */
	"mmmmdd..mmmmmmmm"	/* d0 */
	"bbbbbbbbzzxb...."	/* e0 */
	"xxxx..gG......mm";	/* f0 */

static const char forms_1[] =
	"mmmmx.....x.xm.M"	/* 00 */
	"mmmmmmmmmmmmmmmm"	/* 10 */
	"xxxxxxxxmmmmmmmm"	/* 20 */
	"......x.xxxxxxxx"	/* 30 */
	"mmmmmmmmmmmmmmmm"	/* 40 */
	"mmmmmmmmmmmmmmmm"	/* 50 */
	"mmmmmmmmmmmmmmmm"	/* 60 */
	"MMMMmmm.xxxxmmmm"	/* 70 */
	"zzzzzzzzzzzzzzzz"	/* 80 */
	"mmmmmmmmmmmmmmmm"	/* 90 */
	"...mMmxx...mMmmm"	/* a0 */
	"mmmmmmmmmmMmmmmm"	/* b0 */
	"mmMmMMMm........"	/* c0 */
	"mmmmmmmmmmmmmmmm"	/* d0 */
	"mmmmmmmmmmmmmmmm"	/* e0 */
	"mmmmmmmmmmmmmmmm";	/* f0 */

/* Return what follows an opcode of map 1 with VEX or EVEX. */
static char vex_map_1(u8 opcode)
{
	switch (opcode) {
	case 0x77:
		return '.';
	case 0x70 ... 0x73: case 0xc2: case 0xc4 ... 0xc6:
		return 'M';
	case 0x80 ... 0x8f:	/* branches on Knights Corner */
		return 'x';
	}
	return 'm';
}

static char vex_map(unsigned int map, u8 opcode)
{
	switch (map) {
	case 1:
		return vex_map_1(opcode);
	case 2:
		return 'm';
	case 3:
		return 'M';
	}
	return 'x';
}

static char read_vex2(struct spt_reader *r)
{
	spt_next(r);
	return vex_map_1(spt_next(r));
}

static char read_vex3(struct spt_reader *r)
{
	const unsigned int map = spt_next(r) & 0x1f;

	spt_next(r);
	return vex_map(map, spt_next(r));
}

/* Maps 5 and 6 are those of half floats. */
static char read_evex(struct spt_reader *r)
{
	const unsigned int map = spt_next(r) & 7;
	u8 opcode;

	r->at += 2;
	opcode = spt_next(r);
	return map == 5 || map == 6 ? 'm' : vex_map(map, opcode);
}

static char read_map_1(struct spt_reader *r)
{
	u8 opcode = spt_next(r);

	if (opcode == 0x38 || opcode == 0x3a) {
		spt_next(r);
		return opcode == 0x38 ? 'm' : 'M';
	}
	return forms_1[opcode];
}

static char read_rex2(struct spt_reader *r)
{
	const u8 payload = spt_next(r);

	r->rex = payload & 0xf;
	return payload & REX2_MAP ? forms_1[spt_next(r)] : forms_0[spt_next(r)];
}

/*
 * Return whether C4, C5 and 62 are VEX or EVEX prefixes. In 32-bit mode the next
 * byte tells; otherwise they are LES, LDS and BOUND.
 */
static bool is_vex(const struct spt_reader *r)
{
	return r->is64 || MODRM_MOD(spt_peek(r)) == 3;
}

static char read_what_follows(struct spt_reader *r)
{
	const u8 opcode = spt_next(r);

	switch (opcode) {
	case 0x0f:
		return read_map_1(r);
	case 0x62:
		return is_vex(r) ? read_evex(r) : 'm';
	case 0xc4:
		return is_vex(r) ? read_vex3(r) : 'm';
	case 0xc5:
		return is_vex(r) ? read_vex2(r) : 'm';
	case 0xd5:
		return r->is64 ? read_rex2(r) : 'b';
	case 0x82:
		return r->is64 ? 'x' : 'M';
	case 0x8f:
		return MODRM_REG(spt_peek(r)) ? 'x' : 'm';	/* or XOP */
	}
	return forms_0[opcode];
}

static unsigned int size_z(const struct spt_reader *r)
{
	return r->rex & REX_W ? 4 : spt_opsize(r);
}

static unsigned int size_v(const struct spt_reader *r)
{
	return r->rex & REX_W ? 8 : spt_opsize(r);
}

static unsigned int size_a(const struct spt_reader *r)
{
	return (r->is64 ? 8 : 4) >> r->addrsize;
}

/* TEST is numbers 0 and 1 of its group. */
static bool is_test(u8 modrm)
{
	return MODRM_REG(modrm) < 2;
}

static bool read_rest(struct spt_reader *r, char follows)
{
	switch (follows) {
	case '.':
		return true;
	case 'i':
		return !r->is64;
	case 'd':
		r->at += 1;
		return !r->is64;
	case 'b':
		r->at += 1;
		return true;
	case 'w':
		r->at += 2;
		return true;
	case 'e':
		r->at += 3;
		return true;
	case 'z':
		r->at += size_z(r);
		return true;
	case 'v':
		r->at += size_v(r);
		return true;
	case 'a':
		r->at += size_a(r);
		return true;
	case 'm':
		spt_read_modrm(r);
		return true;
	case 'M':
		spt_read_modrm(r);
		r->at += 1;
		return true;
	case 'Z':
		spt_read_modrm(r);
		r->at += size_z(r);
		return true;
	case 'g':
		r->at += is_test(spt_read_modrm(r));
		return true;
	case 'G':
		if (is_test(spt_read_modrm(r)))
			r->at += size_z(r);
		return true;
	}
	return false;
}

unsigned int spt_insn_length(const u8 *bytes, unsigned int n, bool is64)
{
	struct spt_reader r = { .bytes = bytes, .n = n, .is64 = is64 };

	spt_read_prefixes(&r);
	if (!read_rest(&r, read_what_follows(&r)) || r.at > n ||
	    r.at > SPT_INSN_MAX)
		return 0;
	return r.at;
}
