/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intel PT packets as bytes (SDM volume 3, "Packet Definitions"). Each function
 * writes one packet to @at and returns where the next one goes.
 */
#ifndef SOFTPT_PACKET_H
#define SOFTPT_PACKET_H

#include <linux/types.h>

/* Filler, may be anywhere between packets. */
#define SPT_PAD			0x00

/* The longest of each */
#define SPT_PSB_SIZE		16
#define SPT_IP_SIZE		9
#define SPT_TNT_SIZE		8

/* Branches that one TNT packet can tell of */
#define SPT_TNT_SHORT		6
#define SPT_TNT_LONG		47

/* Packets with an IP: the low five bits of their first byte */
enum spt_ip_packet {
	SPT_TIP_PGD = 0x01,
	SPT_TIP = 0x0d,
	SPT_TIP_PGE = 0x11,
	SPT_FUP = 0x1d,
};

u8 *spt_packet_psb(u8 *at);
u8 *spt_packet_psbend(u8 *at);
u8 *spt_packet_tracestop(u8 *at);
/* The low 56 bits of @tsc */
u8 *spt_packet_tsc(u8 *at, u64 tsc);
/* Core:bus ratio: the frequency in 100 MHz */
u8 *spt_packet_cbr(u8 *at, u8 ratio);
u8 *spt_packet_mode_exec(u8 *at, bool is64);

/* @ip relative to that of the packet before, @last_ip: 0 after PSB */
u8 *spt_packet_ip(u8 *at, enum spt_ip_packet type, u64 ip, u64 last_ip);
/* @ip whatever was before */
u8 *spt_packet_ip_full(u8 *at, enum spt_ip_packet type, u64 ip);
u8 *spt_packet_ip_none(u8 *at, enum spt_ip_packet type);

/*
 * The outcomes of @nr branches, 1 to SPT_TNT_LONG: bit 0 of @taken is the last
 * one's, bits above them are 0. The short form where it suffices.
 */
u8 *spt_packet_tnt(u8 *at, u64 taken, unsigned int nr);

#endif /* SOFTPT_PACKET_H */
