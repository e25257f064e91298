/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in an Intel PT trace at which decoding can begin.
 */
#ifndef VIEW_PSB_H
#define VIEW_PSB_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* The contents of the packets from PSB to PSBEND */
struct psb {
	bool	is_whole;	/* PSBEND is there */
	bool	has_tsc;
	bool	has_ip;		/* tracing is on, and the next instruction is at @ip */
	__u64	tsc;
	__u64	ip;
};

#define PSB_SIZE	16
/* The packets from PSB to PSBEND are never longer. */
#define PSB_HEAD_MAX	256

/* Return the offset of the first PSB at or after @from, or @size if there is none. */
size_t psb_find(const __u8 *data, size_t size, size_t from);

void psb_read(const __u8 *data, size_t size, struct psb *psb);

#endif /* VIEW_PSB_H */
