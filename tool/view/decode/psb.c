// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find PSB packets, and read the packets that belong to them.
 */
#include <intel-pt.h>
#include <string.h>

#include "view/decode/psb.h"

size_t psb_find(const __u8 *data, size_t size, size_t from)
{
	static const __u8 psb[PSB_SIZE] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
	};
	const __u8 *found;

	if (size < from + PSB_SIZE)
		return size;
	found = memmem(data + from, size - from, psb, PSB_SIZE);
	return found ? (size_t)(found - data) : size;
}

/* PSB clears the last IP, to which compressed IPs refer. */
static bool full_ip(const struct pt_packet_ip *packet, __u64 *ip)
{
	switch (packet->ipc) {
	case pt_ipc_update_16:
		*ip = packet->ip & 0xffff;
		return true;
	case pt_ipc_update_32:
		*ip = packet->ip & 0xffffffff;
		return true;
	case pt_ipc_update_48:
		*ip = packet->ip & 0xffffffffffffULL;
		return true;
	case pt_ipc_sext_48:
		*ip = (__u64)((__s64)(packet->ip << 16) >> 16);
		return true;
	case pt_ipc_full:
		*ip = packet->ip;
		return true;
	default:
		return false;
	}
}

static void take(struct psb *psb, const struct pt_packet *packet)
{
	switch (packet->type) {
	case ppt_tsc:
		psb->has_tsc = true;
		psb->tsc = packet->payload.tsc.tsc;
		break;
	case ppt_fup:
		psb->has_ip = full_ip(&packet->payload.ip, &psb->ip);
		break;
	default:
		break;
	}
}

void psb_read(const __u8 *data, size_t size, struct psb *psb)
{
	struct pt_packet_decoder *decoder;
	struct pt_packet packet;
	struct pt_config config;

	memset(psb, 0, sizeof(*psb));
	pt_config_init(&config);
	config.begin = (__u8 *)data;
	config.end = (__u8 *)data + size;
	decoder = pt_pkt_alloc_decoder(&config);
	if (!decoder)
		return;
	if (!pt_pkt_sync_set(decoder, 0))
		while (pt_pkt_next(decoder, &packet, sizeof(packet)) > 0) {
			if (packet.type == ppt_psbend) {
				psb->is_whole = true;
				break;
			}
			if (packet.type == ppt_ovf)
				break;
			take(psb, &packet);
		}
	pt_pkt_free_decoder(decoder);
}
