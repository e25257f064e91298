// SPDX-License-Identifier: GPL-2.0-only
/* The encoding of Intel PT packets. The names are those of the SDM. */
#include "packet.h"

/* Packets of two and more bytes: EXT is their first byte, EXT_* the second. */
#define EXT		0x02
#define EXT_CBR		0x03
#define EXT_PSBEND	0x23
#define EXT_PSB		0x82
#define EXT_TRACESTOP	0x83
#define EXT_LONG_TNT	0xa3

#define TSC		0x19
#define MODE		0x99
#define MODE_EXEC_64	0x01	/* CS.L */
#define MODE_EXEC_32	0x02	/* CS.D */

/* IPBytes, the high three bits of the first byte */
enum ip_bytes {
	IP_NONE = 0,
	IP_UPDATE_16 = 1,
	IP_UPDATE_32 = 2,
	IP_SIGN_EXTENDED_48 = 3,
	IP_UPDATE_48 = 4,
	IP_FULL = 6,
};

static u8 *little_endian(u8 *at, u64 value, unsigned int size)
{
	while (size--) {
		*at++ = value;
		value >>= 8;
	}
	return at;
}

static u8 *extended(u8 *at, u8 second)
{
	*at++ = EXT;
	*at++ = second;
	return at;
}

u8 *spt_packet_psb(u8 *at)
{
	unsigned int i;

	for (i = 0; i < SPT_PSB_SIZE / 2; i++)
		at = extended(at, EXT_PSB);
	return at;
}

u8 *spt_packet_psbend(u8 *at)
{
	return extended(at, EXT_PSBEND);
}

u8 *spt_packet_tracestop(u8 *at)
{
	return extended(at, EXT_TRACESTOP);
}

u8 *spt_packet_tsc(u8 *at, u64 tsc)
{
	*at++ = TSC;
	return little_endian(at, tsc, 7);
}

u8 *spt_packet_cbr(u8 *at, u8 ratio)
{
	at = extended(at, EXT_CBR);
	*at++ = ratio;
	*at++ = 0;
	return at;
}

u8 *spt_packet_mode_exec(u8 *at, bool is64)
{
	*at++ = MODE;
	*at++ = is64 ? MODE_EXEC_64 : MODE_EXEC_32;
	return at;
}

static u8 *ip_packet(u8 *at, enum spt_ip_packet type, enum ip_bytes bytes,
		     u64 ip)
{
	static const u8 size[] = {
		[IP_NONE] = 0, [IP_UPDATE_16] = 2, [IP_UPDATE_32] = 4,
		[IP_SIGN_EXTENDED_48] = 6, [IP_UPDATE_48] = 6, [IP_FULL] = 8,
	};

	*at++ = bytes << 5 | type;
	return little_endian(at, ip, size[bytes]);
}

static bool is_sign_extended_48(u64 ip)
{
	return (u64)((s64)(ip << 16) >> 16) == ip;
}

u8 *spt_packet_ip(u8 *at, enum spt_ip_packet type, u64 ip, u64 last_ip)
{
	u64 differ = ip ^ last_ip;

	if (!(differ >> 16))
		return ip_packet(at, type, IP_UPDATE_16, ip);
	if (!(differ >> 32))
		return ip_packet(at, type, IP_UPDATE_32, ip);
	if (!is_sign_extended_48(ip) && !(differ >> 48))
		return ip_packet(at, type, IP_UPDATE_48, ip);
	return spt_packet_ip_full(at, type, ip);
}

u8 *spt_packet_ip_full(u8 *at, enum spt_ip_packet type, u64 ip)
{
	if (is_sign_extended_48(ip))
		return ip_packet(at, type, IP_SIGN_EXTENDED_48, ip);
	return ip_packet(at, type, IP_FULL, ip);
}

u8 *spt_packet_ip_none(u8 *at, enum spt_ip_packet type)
{
	return ip_packet(at, type, IP_NONE, 0);
}

/*
 * The bit above the outcomes marks where they begin. The first branch is next to
 * that bit.
 */
u8 *spt_packet_tnt(u8 *at, u64 taken, unsigned int nr)
{
	u64 bits = 1ULL << nr | taken;

	if (nr <= SPT_TNT_SHORT) {
		*at++ = bits << 1;
		return at;
	}
	at = extended(at, EXT_LONG_TNT);
	return little_endian(at, bits, 6);
}
