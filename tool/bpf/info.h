/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf(2) says of a program and its types, in the layout of perf's features
 * BPF_PROG_INFO and BPF_BTF.
 */
#ifndef AUXREC_BPF_INFO_H
#define AUXREC_BPF_INFO_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "stream/records.h"

/* One entry of a feature, after the u32 that counts them. */
struct bpf_item {
	struct bpf_item *next;
	__u64 feature;		/* REC_FEAT_BPF_PROG_INFO, REC_FEAT_BPF_BTF */
	__u32 btf_id;		/* of a program that has types, else 0 */
	bool cut;		/* a program's arrays do not all fit */
	size_t size;		/* of bytes */
	__u64 bytes[];
};

/* The most that fits in a record, with the count and the padding. */
#define BPF_ITEM_MAX	(REC_SIZE_MAX - 24)

/*
 * The program or the types of a descriptor, to be freed. What is longer than
 * BPF_ITEM_MAX: a program goes without some arrays, types are refused (-E2BIG).
 * Return 0 or -errno.
 */
int bpf_prog_item(int fd, struct bpf_item **item);
int bpf_btf_item(int fd, __u32 id, struct bpf_item **item);

#endif /* AUXREC_BPF_INFO_H */
