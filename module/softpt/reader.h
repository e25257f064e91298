/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reader of the bytes of an x86 instruction: its prefixes, and ModRM with what
 * follows.
 */
#ifndef SOFTPT_READER_H
#define SOFTPT_READER_H

#include <linux/types.h>

#define REX_W		0x08
#define REX2_MAP	0x80	/* in REX2's payload: opcode map 1, as with 0F */

#define MODRM_MOD(modrm)	((modrm) >> 6)
#define MODRM_REG(modrm)	(((modrm) >> 3) & 7)
#define MODRM_RM(modrm)		((modrm) & 7)

/* Reads beyond the end return 0; @at is then greater than @n. */
struct spt_reader {
	const u8 *bytes;
	unsigned int n;
	unsigned int at;
	bool is64;
	bool opsize;		/* 66 */
	bool addrsize;		/* 67 */
	bool rex2;
	u8 rex;
};

static inline u8 spt_peek(const struct spt_reader *r)
{
	return r->at < r->n ? r->bytes[r->at] : 0;
}

static inline u8 spt_next(struct spt_reader *r)
{
	u8 byte = spt_peek(r);

	r->at++;
	return byte;
}

/* Read the prefixes. A REX prefix counts only right before the opcode. */
void spt_read_prefixes(struct spt_reader *r);

/* Skip ModRM, SIB and displacement. Return ModRM. */
u8 spt_read_modrm(struct spt_reader *r);

static inline unsigned int spt_opsize(const struct spt_reader *r)
{
	return r->opsize ? 2 : 4;
}

#endif /* SOFTPT_READER_H */
