/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking bpf(2) about a program and its types. The answer has the layout of perf's
 * features BPF_PROG_INFO and BPF_BTF.
 */
#ifndef AUXREC_BPF_INFO_H
#define AUXREC_BPF_INFO_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "stream/records.h"

/* One entry of a feature. A u32 that counts the entries precedes them in a record. */
struct bpf_item {
	struct bpf_item *next;
	__u64 feature;		/* REC_FEAT_BPF_PROG_INFO, REC_FEAT_BPF_BTF */
	__u32 btf_id;		/* of the program's types, 0 if it has none */
	bool cut;		/* not all arrays of the program fit */
	size_t size;		/* of @bytes */
	__u64 bytes[];
};

/* The largest entry that fits in a record, with the count and the padding. */
#define BPF_ITEM_MAX	(REC_SIZE_MAX - 24)

/*
 * Make the entry of a program's or BTF's descriptor. The caller must free it. If the
 * entry would be longer than BPF_ITEM_MAX, a program loses some arrays, and types are
 * refused (-E2BIG). Return 0 or -errno.
 */
int bpf_prog_item(int fd, struct bpf_item **item);
int bpf_btf_item(int fd, __u32 id, struct bpf_item **item);

#endif /* AUXREC_BPF_INFO_H */
