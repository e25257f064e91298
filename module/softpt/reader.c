// SPDX-License-Identifier: GPL-2.0-only
/* Read the parts that all instructions have: SDM volume 2, chapter 2. */
#include "reader.h"

static bool is_prefix(u8 byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

void spt_read_prefixes(struct spt_reader *r)
{
	for (;;) {
		u8 byte = spt_peek(r);

		if (is_prefix(byte)) {
			r->opsize |= byte == 0x66;
			r->addrsize |= byte == 0x67;
			r->rex = 0;
		} else if (r->is64 && (byte & 0xf0) == 0x40) {
			r->rex = byte;
		} else {
			return;
		}
		r->at++;
	}
}

u8 spt_read_modrm(struct spt_reader *r)
{
	u8 modrm = spt_next(r), mod = MODRM_MOD(modrm), rm = MODRM_RM(modrm);
	bool addr16 = !r->is64 && r->addrsize;

	if (mod == 3)
		return modrm;
	if (!addr16 && rm == 4)
		rm = MODRM_RM(spt_next(r));		/* the SIB's base */
	if (mod == 1)
		r->at += 1;
	else if (mod == 2 || rm == (addr16 ? 6 : 5))
		r->at += addr16 ? 2 : 4;
	return modrm;
}
