/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that write Intel PT packets (SDM volume 3, "Packet Definitions"). Each
 * function writes one packet to @at and returns the address of the next one.
 */
#ifndef SOFTPT_PACKET_H
#define SOFTPT_PACKET_H

#include <linux/types.h>

/* Filler, allowed anywhere between packets */
#define SPT_PAD			0x00

/* The longest packet of each kind */
#define SPT_PSB_SIZE		16
#define SPT_IP_SIZE		9
#define SPT_TNT_SIZE		8

/* Branches in one TNT packet, at most */
#define SPT_TNT_SHORT		6
#define SPT_TNT_LONG		47

/* Packets with an IP: these are the low five bits of their first byte. */
enum spt_ip_packet {
	SPT_TIP_PGD = 0x01,
	SPT_TIP = 0x0d,
	SPT_TIP_PGE = 0x11,
	SPT_FUP = 0x1d,
};

u8 *spt_packet_psb(u8 *at);
u8 *spt_packet_psbend(u8 *at);
u8 *spt_packet_tracestop(u8 *at);
/* Writes the low 56 bits of @tsc. */
u8 *spt_packet_tsc(u8 *at, u64 tsc);
/* Core:bus ratio: the frequency in 100 MHz */
u8 *spt_packet_cbr(u8 *at, u8 ratio);
u8 *spt_packet_mode_exec(u8 *at, bool is64);

/*
 * Write @ip relative to @last_ip, the IP of the packet before; @last_ip is 0 after
 * PSB.
 */
u8 *spt_packet_ip(u8 *at, enum spt_ip_packet type, u64 ip, u64 last_ip);
/* Write @ip in full, independent of the packets before. */
u8 *spt_packet_ip_full(u8 *at, enum spt_ip_packet type, u64 ip);
u8 *spt_packet_ip_none(u8 *at, enum spt_ip_packet type);

/*
 * Write the outcomes of @nr branches, 1 to SPT_TNT_LONG. Bit 0 of @taken is the
 * outcome of the last branch; the bits above the @nr outcomes are 0. The packet is
 * short if @nr allows it.
 */
u8 *spt_packet_tnt(u8 *at, u64 taken, unsigned int nr);

#endif /* SOFTPT_PACKET_H */
